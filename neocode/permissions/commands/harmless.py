"""Commands that only look: they pass in every mode when what they read is inside."""

import re
from collections.abc import Sequence

from neocode.permissions.commands.options import Options, read_options
from neocode.permissions.shell.words import Word

_NO_FILES = frozenset(
    {"pwd", "echo", "printf", "true", "false", ":", "whoami", "id", "uname", "date", "sleep"}
    | {"seq", "basename", "dirname", "which", "type", "hostname", "arch", "nproc", "uptime"}
    | {"cd", "test", "[", "expr", "tr", "tty", "locale", "getconf", "groups", "logname", "exit"}
    | {
        "read",
        "set",
        "jobs",
        "return",
        "break",
        "continue",
        "wait",
        "ps",
        "free",
        "df",
        "factor",
        "yes",
    }
)
_FILES = {
    "ls": ("I", "T", "w", "ignore", "hide", "block-size", "format", "sort", "time"),
    "cat": (),
    "head": ("n", "c", "lines", "bytes"),
    "tail": ("n", "c", "lines", "bytes", "s", "pid"),
    "wc": (),
    "nl": ("b", "d", "f", "h", "i", "l", "n", "s", "v", "w"),
    "tac": ("s", "separator"),
    "rev": (),
    "cut": ("b", "c", "d", "f", "delimiter", "fields", "output-delimiter", "bytes", "characters"),
    "paste": ("d", "delimiters"),
    "comm": ("output-delimiter",),
    "join": ("1", "2", "t", "o", "e", "a", "v", "j"),
    "fold": ("w", "width"),
    "fmt": ("w", "width"),
    "column": ("s", "c", "o", "N", "R"),
    "expand": ("t", "tabs"),
    "stat": ("c", "format", "printf"),
    "file": ("F", "m", "P", "e"),
    "du": ("d", "max-depth", "t", "exclude", "B", "threshold", "block-size"),
    "tree": ("L", "P", "I", "H", "T", "charset", "filelimit", "sort"),
    "realpath": ("relative-to", "relative-base"),
    "readlink": (),
    "md5sum": (),
    "sha1sum": (),
    "sha256sum": (),
    "sha512sum": (),
    "cksum": (),
    "od": ("A", "j", "N", "t"),
    "hexdump": ("e", "f", "n", "s"),
    "strings": ("n", "t", "e"),
    "diff": ("U", "C", "x", "I", "L", "exclude", "label"),
    "cmp": ("i", "n"),
    "sort": ("k", "t", "S", "key", "field-separator", "parallel"),
    "base64": ("w", "wrap"),
}
_BAD_FLAGS = {
    "date": ("s", "set", "f", "file"),
    "hostname": ("F", "file", "b", "boot"),
    "file": ("C", "compile"),
    "tree": ("o", "R"),
    "sort": ("o", "output", "T", "compress-program", "files0-from"),
    "wc": ("files0-from",),
    "du": ("files0-from",),
    "tail": ("f", "F", "follow", "retry"),
    "rg": ("pre", "hostname-bin", "z", "search-zip"),
    "grep": ("f", "file"),
    "printf": ("v",),
    "tr": (),
}
_PATTERN_FIRST = {
    "grep": (
        *("A", "B", "C", "D", "d", "e", "f", "m", "regexp", "max-count", "include", "exclude"),
        *("exclude-dir", "context", "after-context", "before-context", "label"),
    ),
    "rg": (
        *("A", "B", "C", "e", "f", "g", "m", "t", "T", "j", "M", "d", "r", "E", "regexp", "glob"),
        *("iglob", "type", "type-not", "max-count", "max-depth", "sort", "color", "replace"),
        *("context",),
    ),
    "jq": ("f", "L", "arg", "argjson", "indent"),
}
_GREPS = {"egrep": "grep", "fgrep": "grep", "zgrep": "", "ggrep": "grep"}
_VERSIONED = frozenset(
    {"python", "python3", "pip", "pip3", "node", "npm", "npx", "pnpm", "yarn", "go", "cargo"}
    | {"rustc", "rustup", "ruby", "gem", "java", "javac", "gcc", "g++", "clang", "make", "cmake"}
    | {"git", "uv", "ruff", "mypy", "pytest", "black", "docker", "perl", "php", "bash", "deno"}
    | {"bun", "tsc", "rg", "jq", "curl", "wget", "sqlite3", "psql", "tox", "poetry", "hatch"}
)
_SED = re.compile(
    r"(?:(?:(?:\d+|\$|/[^/\n]*/)(?:,(?:\d+|\$|/[^/\n]*/))?)?\s*!?\s*(?:[pdq=]|"
    r"s([/|,#@])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi\d]*)\s*(?:;\s*|$))+"
)
_AWK_BAD = re.compile(r"system|getline|\||>|@|\bARGV\b|\bENVIRON\b|printf?\s*>|close|fflush")


def reads(name: str, words: Sequence[Word]) -> list[Word] | None:
    """The files that a looking command reads; None when it is not one, or not surely.

    words: the arguments. An empty list: it reads no file, or the current folder.
    """
    name = _GREPS.get(name, name)
    if name in _VERSIONED and [word.text for word in words] in (["--version"], ["-V"], ["version"]):
        return []
    if name == "command" and words and words[0].text in ("-v", "-V"):
        return []
    if name == "node" and [word.text for word in words] == ["-v"]:
        return []
    if name in _PATTERN_FIRST:
        return _searched(name, words)
    if name in ("sed", "gsed"):
        return _streamed(words)
    if name in ("awk", "gawk", "mawk"):
        return _awk(words)
    return _plain(name, words)


def takes_only_files(name: str) -> bool:
    """True for a looking command whose arguments are no patterns, so all may be paths."""
    return name in _FILES


def searches_folders(name: str, words: Sequence[Word]) -> bool:
    """True for a search that reads every file below a folder, hidden ones too."""
    name = _GREPS.get(name, name)
    if name == "rg":
        return bool({"--hidden", "--no-ignore", "-uu", "-uuu", "-."} & {w.text for w in words})
    options = read_options(words, _PATTERN_FIRST["grep"])
    recurses = options.has("rR") or options.flags & {"recursive", "dereference-recursive"}
    return name == "grep" and bool(recurses)


def _plain(name: str, words: Sequence[Word]) -> list[Word] | None:
    if name in ("echo", "printf", "true", "false", ":", "test", "["):
        return None if name == "printf" and _bad(name, read_options(words[:1])) else []
    if name == "uniq":
        options = read_options(words, ("f", "s", "w"))
        return list(options.operands) if len(options.operands) < 2 and not options.unsure else None
    if name in _NO_FILES:
        options = read_options(words)
        if name == "hostname" and options.operands:
            return None
        if name == "set" and not (options.flags <= set("euxo") and _calm_set(options)):
            return None
        return None if _bad(name, options) else []
    if name not in _FILES:
        return None
    options = read_options(words, _FILES[name])
    return None if _bad(name, options) else list(options.operands)


def _calm_set(options: Options) -> bool:
    return all(word.text in ("pipefail", "errexit", "nounset") for word in options.operands)


def _bad(name: str, options: Options) -> bool:
    """True when an option makes the command do more than look."""
    for bad in _BAD_FLAGS.get(name, ()):
        if bad in options.flags:
            return True
        if len(bad) > 1 and any(len(flag) > 1 and bad.startswith(flag) for flag in options.flags):
            return True
    return options.unsure and bool(_BAD_FLAGS.get(name))


def _searched(name: str, words: Sequence[Word]) -> list[Word] | None:
    options = read_options(words, _PATTERN_FIRST[name])
    if _bad(name, options):
        return None
    if name == "jq" and options.has("fL", "from-file"):
        return None
    given = options.value("e", "regexp") is not None
    listing = name == "rg" and "files" in options.flags
    return list(options.operands if given or listing else options.operands[1:])


def _streamed(words: Sequence[Word]) -> list[Word] | None:
    options = read_options(words, ("e", "f", "l", "expression", "file", "line-length"))
    if not options.flags <= {"n", "E", "r", "s", "u", "e", "z", "quiet", "expression"}:
        return None
    scripts = [word for flag, word in options.values if flag in ("e", "expression")]
    files = list(options.operands)
    if not scripts:
        scripts, files = files[:1], files[1:]
    if not scripts or not all(word.literal and _SED.fullmatch(word.text) for word in scripts):
        return None
    return files


def safe_in_place(words: Sequence[Word]) -> bool:
    """True for sed -i whose scripts only print, delete or replace lines."""
    options = read_options(words, ("e", "f", "l", "expression", "file", "line-length"))
    if not options.flags <= {"i", "n", "E", "r", "s", "u", "e", "z", "in-place", "expression"}:
        return False
    scripts = [word for flag, word in options.values if flag in ("e", "expression")]
    scripts = scripts or list(options.operands[:1])
    return bool(scripts) and all(w.literal and _SED.fullmatch(w.text) for w in scripts)


def _awk(words: Sequence[Word]) -> list[Word] | None:
    options = read_options(words, ("F", "v"))
    if not options.flags <= {"F", "v"} or not options.operands:
        return None
    program, *files = options.operands
    if not program.literal or _AWK_BAD.search(program.text):
        return None
    return [word for word in files if "=" not in word.text]

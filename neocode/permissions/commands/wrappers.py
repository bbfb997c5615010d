"""Commands that run other commands: sudo, env, xargs, find -exec, sh -c and their like."""

from collections.abc import Callable, Sequence

from neocode.permissions.commands.interpreters import (
    INTERPRETERS,
    SHELLS,
    Layer,
    interpreter_layer,
    shell_layer,
)
from neocode.permissions.commands.options import read_options
from neocode.permissions.shell.words import Word, after, literal, make_word, unknown


def unwrap(name: str, words: Sequence[Word], stdin: str | None) -> Layer | None:
    """The layer under a command; words are its arguments, stdin its here-document.

    None for a command that is not known to run others.
    """
    base = name.rstrip("0123456789.") or name
    if name in SHELLS:
        return shell_layer(name, words, stdin)
    if name in INTERPRETERS or (base in INTERPRETERS and base != name):
        return interpreter_layer(base if base in INTERPRETERS else name, words, stdin)
    reader = _READERS.get(name)
    if reader:
        return reader(words)
    valued = _PLAIN.get(name)
    if valued is not None:
        return _plain(words, valued, skip=1 if name in _SKIPS_ONE else 0)
    if name in _RISKY:
        layer = _plain(words, _RISKY[name], skip=1 if name in _SKIPS_ONE else 0)
        return Layer(commands=layer.commands, note=f"{name} runs other commands.")
    return None


_SKIPS_ONE = ("timeout", "flock", "chroot")
_PLAIN: dict[str, tuple[str, ...]] = {
    "nohup": (),
    "setsid": (),
    "time": ("f", "o", "format", "output"),
    "nice": ("n", "adjustment"),
    "ionice": ("c", "n", "p", "class"),
    "stdbuf": ("i", "o", "e"),
    "timeout": ("s", "k", "signal", "kill-after"),
    "builtin": (),
    "exec": ("a",),
    "coproc": (),
    "unbuffer": (),
    "caffeinate": ("t", "w"),
}
_RISKY: dict[str, tuple[str, ...]] = {
    "sudo": ("u", "g", "h", "p", "C", "r", "t", "T", "U", "D", "user", "group"),
    "doas": ("u", "C"),
    "pkexec": ("user",),
    "runuser": ("u",),
    "busybox": (),
    "toybox": (),
    "strace": ("o", "e", "p", "s"),
    "ltrace": ("o", "e", "p", "s"),
    "parallel": ("j", "jobs", "a"),
    "npx": ("p", "package"),
    "bunx": (),
    "pipx": (),
    "flock": (),
    "chroot": (),
    "nsenter": (),
    "unshare": (),
    "firejail": (),
    "bwrap": (),
    "rlwrap": (),
    "systemd-run": (),
    "start-stop-daemon": (),
    "expect": (),
    "entr": (),
    "xvfb-run": (),
    "proot": (),
    "fakeroot": (),
}


def _plain(words: Sequence[Word], valued: Sequence[str], skip: int = 0) -> Layer:
    """The first operand and all behind it are a command."""
    index = _command_at(words, valued)
    rest = tuple(words[index + skip :])
    return Layer(commands=(rest,), whole=True) if rest else Layer()


def _command_at(words: Sequence[Word], valued: Sequence[str]) -> int:
    index = 0
    while index < len(words) and words[index].text.startswith("-") and words[index].text != "-":
        text = words[index].text
        if text == "--":
            return index + 1
        name = text[2:] if text.startswith("--") else text[-1]
        takes = name in valued and (text.startswith("--") or text[1] == text[-1] or len(text) > 2)
        index += 2 if takes else 1
    return index


def _env(words: Sequence[Word]) -> Layer:
    """env; what it sets is kept, so that the judge weighs it like FOO=x in front."""
    pairs: list[tuple[str, Word]] = []
    index = 0
    whole = True
    while index < len(words):
        word = words[index]
        if word.text.startswith(("-S", "--split-string", "-vS")):
            return Layer(note="env -S splits a text into a command.")
        if word.text in ("-u", "--unset", "-C", "--chdir"):
            whole = whole and word.text in ("-u", "--unset")
            index += 1
        elif "=" in word.text and not word.text.startswith("-"):
            name = word.text.split("=", 1)[0]
            pairs.append((name, after(word, len(name) + 1)))
        elif not word.text.startswith("-"):
            break
        index += 1
    rest = tuple(words[index:])
    if not rest:
        return Layer(note="It shows the environment, which may hold secrets.")
    note = "" if whole else "env changes the folder."
    return Layer(commands=(rest,), whole=whole, note=note, assignments=tuple(pairs))


def _command(words: Sequence[Word]) -> Layer:
    if words and words[0].text in ("-v", "-V"):
        return Layer(whole=True)
    return _plain(words, ())


def _xargs(words: Sequence[Word]) -> Layer:
    valued = ("I", "n", "P", "L", "d", "E", "s", "a", "i", "max-args", "max-procs", "delimiter")
    index = _command_at(words, valued)
    rest = tuple(words[index:]) or (literal("echo"),)
    return Layer(commands=((*rest, unknown("what it reads")),))


def _find(words: Sequence[Word]) -> Layer | None:
    """-exec and its kin; {} stands for what is found below the starting points."""
    commands: list[tuple[Word, ...]] = []
    index = 0
    while index < len(words):
        if words[index].text not in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X"):
            index += 1
            continue
        end = index + 1
        while end < len(words) and words[end].text not in (";", "+"):
            end += 1
        commands.append(_found_in(words[index + 1 : end], find_roots(words)))
        index = end
    return Layer(commands=tuple(commands), whole=True) if commands else None


def _found_in(words: Sequence[Word], roots: Sequence[Word]) -> tuple[Word, ...]:
    found: list[Word] = []
    for word in words:
        if word.text == "{}":
            found += [make_word([*root.pieces, *literal("/{}").pieces]) for root in roots]
        else:
            found.append(unknown(word.text) if "{}" in word.text else word)
    return tuple(found)


def find_roots(words: Sequence[Word]) -> tuple[Word, ...]:
    """find's starting points; the current folder when none is named."""
    roots: list[Word] = []
    for word in words:
        if word.text in ("-L", "-H", "-P"):
            continue
        if word.text.startswith(("-", "(", "!", ",")):
            break
        roots.append(word)
    return tuple(roots) or (literal("."),)


def _eval(words: Sequence[Word]) -> Layer:
    known = all(word.literal for word in words)
    script = " ".join(word.text for word in words)
    note = "" if known else "eval runs a text that is not known."
    return Layer(script=script if known else "", note=note or "eval runs a text as commands.")


def _source(words: Sequence[Word]) -> Layer:
    return Layer(note="It runs a file's commands in this shell.")


def _watch(words: Sequence[Word]) -> Layer:
    rest = words[_command_at(words, ("n", "interval")) :]
    known = all(word.literal for word in rest)
    return Layer(
        script=" ".join(w.text for w in rest) if known else "", note="watch runs it again."
    )


def _ssh(words: Sequence[Word]) -> Layer:
    index = _command_at(words, tuple("bcDEeFIiJLlmOopQRSWw"))
    rest = words[index + 1 :]
    script = " ".join(word.text for word in rest)
    return Layer(script=script, note="It runs on another machine.", far=True)


def _su(words: Sequence[Word]) -> Layer:
    options = read_options(words, ("c", "s", "g", "command", "shell"))
    script = options.value("c", "command")
    text = script.text if script is not None and script.literal else ""
    return Layer(script=text, note="It runs as another user.")


def _trap(words: Sequence[Word]) -> Layer:
    first = words[0] if words else None
    text = first.text if first is not None and first.literal else ""
    return Layer(script=text if text not in ("-", "-l", "-p") else "", note="It runs at a signal.")


def _runner(words: Sequence[Word]) -> Layer | None:
    """uv run X, poetry run X, bundle exec X ..."""
    if len(words) > 1 and words[0].text in ("run", "exec", "x", "dlx"):
        return Layer(commands=_plain(words[1:], ("with", "python", "p")).commands)
    return None


_READERS: dict[str, Callable[[Sequence[Word]], Layer | None]] = {
    "env": _env,
    "command": _command,
    "xargs": _xargs,
    "find": _find,
    "fd": _find,
    "fdfind": _find,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "watch": _watch,
    "ssh": _ssh,
    "su": _su,
    "trap": _trap,
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "pixi"), _runner),
}


def is_wrapper(name: str) -> bool:
    """True for a command that runs another one given in its arguments."""
    return name in _PLAIN or name in _RISKY or (name in _READERS and name not in ("find", "fd"))

"""git command lines: what they really are, which only look, which cannot be undone."""

from collections.abc import Sequence
from dataclasses import dataclass

from neocode.permissions.commands.options import read_options
from neocode.permissions.shell.words import Word

_VALUED = ("-c", "-C", "--git-dir", "--work-tree", "--exec-path", "--namespace", "--config-env")
_CALM = ("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")

_LOOKS = frozenset(
    {"status", "diff", "log", "show", "rev-parse", "ls-files", "ls-tree", "blame", "annotate"}
    | {"grep", "describe", "shortlog", "diff-tree", "diff-index", "diff-files", "rev-list"}
    | {"merge-base", "name-rev", "for-each-ref", "count-objects", "version", "whatchanged"}
    | {"check-ignore", "check-attr", "show-ref", "show-branch", "cherry", "range-diff"}
)
_LISTS = {
    "branch": {"a", "r", "v", "l", "all", "remotes", "list", "show-current", "verbose", "merged"}
    | {"no-merged", "contains", "no-contains", "sort", "format", "column", "no-color", "points-at"},
    "tag": {"l", "n", "list", "contains", "merged", "no-merged", "sort", "format", "points-at"},
    "remote": {"v", "verbose"},
    "config": {"get", "get-all", "get-regexp", "list", "l", "show-origin", "global", "local", "z"}
    | {"show-scope", "name-only", "null", "includes"},
}
_LIST_TAKES = (
    *("contains", "no-contains", "merged", "no-merged", "sort", "format", "points-at"),
    *("get", "get-all", "get-regexp"),
)
_LOOKING_VERBS = {
    "stash": ("list", "show"),
    "worktree": ("list",),
    "submodule": ("status", "summary"),
    "reflog": ("show", "exists"),
    "notes": ("list", "show"),
    "remote": ("get-url",),
    "bisect": ("log",),
}
_RUNS = ("output", "ext-diff", "textconv", "open-files-in-pager", "filters", "show-signature")
_CONFIG_READS = frozenset({"get", "get-all", "get-regexp", "list", "l"})


@dataclass(frozen=True, slots=True)
class GitCall:
    """A git command line. sub: "push"; "" when it is not known. args: what follows.

    folders: the values of -C. odd: global options that change what git runs or touches.
    """

    sub: str
    args: tuple[Word, ...]
    folders: tuple[Word, ...] = ()
    odd: tuple[str, ...] = ()


def read_git(words: Sequence[Word]) -> GitCall:
    """Sort the words behind "git"."""
    folders: list[Word] = []
    odd: list[str] = []
    todo = list(words)
    while todo and todo[0].text.startswith("-"):
        option = todo.pop(0)
        name = option.text.split("=", 1)[0]
        if not option.literal:
            odd.append(option.text)
        elif option.text in _VALUED:
            value = [todo.pop(0)] if todo else []
            folders += value if option.text == "-C" else []
            odd += [] if option.text == "-C" else [option.text]
        elif option.text not in (*_CALM, "--version", "--help"):
            odd.append(name)
        elif option.text == "--version":
            return GitCall("version", ())
    known = bool(todo) and todo[0].literal
    return GitCall(todo[0].text if known else "", tuple(todo[1:]), tuple(folders), tuple(odd))


def only_looks(call: GitCall) -> bool:
    """True when the command changes nothing and runs nothing of the user's."""
    options = read_options(call.args)
    if call.odd or not call.sub or options.unsure:
        return False
    if any(len(flag) > 1 and any(bad.startswith(flag) for bad in _RUNS) for flag in options.flags):
        return False
    if call.sub == "grep" and options.has("O"):
        return False
    if call.sub in _LOOKS:
        return True
    verbs = _LOOKING_VERBS.get(call.sub, ())
    if options.operands and options.operands[0].text in verbs:
        return True
    if call.sub == "reflog":
        return not options.operands
    return call.sub in _LISTS and _lists(call)


def _lists(call: GitCall) -> bool:
    options = read_options(call.args, _LIST_TAKES)
    if not options.flags <= _LISTS[call.sub]:
        return False
    if call.sub == "config":
        return bool(options.flags & _CONFIG_READS) and len(options.operands) <= 1
    explicit = bool(options.flags & {"l", "list"})
    return not options.operands or (explicit and call.sub in ("branch", "tag"))


def danger(call: GitCall) -> str:
    """Why the command is a hard question, in words; "" when it is not."""
    options = read_options(call.args, ("o", "push-option", "repo", "receive-pack", "exec"))
    match call.sub:
        case "push":
            return _push(call)
        case "clean" if options.has("f", "force"):
            return "git clean --force deletes files that git does not know for good."
        case "rm" if options.has("r") and options.has("f", "force"):
            return "It is a recursive force-delete (git rm -rf)."
        case "filter-branch" | "filter-repo":
            return f"git {call.sub} rewrites the whole history."
        case "worktree" if options.has("f", "force") and _verb(call) == "remove":
            return "It deletes a whole work tree with what is not committed."
        case "submodule" if options.has("f", "force") and _verb(call) == "deinit":
            return "It deletes a submodule's folder with what is not committed."
        case _:
            return ""


def _verb(call: GitCall) -> str:
    return next((word.text for word in call.args if not word.text.startswith("-")), "")


def _push(call: GitCall) -> str:
    options = read_options(call.args, ("o", "push-option", "repo", "receive-pack", "exec"))
    forced = options.has("f") or any(
        len(flag) > 1 and ("force".startswith(flag) or flag.startswith("force"))
        for flag in options.flags
    )
    refs = [word.text for word in options.operands]
    if forced or any(ref.startswith("+") for ref in refs):
        return "It is a force push: commits on the remote may be lost for others too."
    if options.has("d", "delete") or any(ref.startswith(":") and len(ref) > 1 for ref in refs):
        return "It deletes a branch or tag on the remote."
    if options.has("", "mirror") or options.has("", "prune"):
        return "It deletes what the remote has and this repository has not."
    return ""


_HELPERS = frozenset(
    {"difftool", "mergetool", "daemon", "instaweb", "hook", "send-email", "credential", "gui"}
)
_NAMED_PROGRAM = ("--upload-pack", "--receive-pack", "ext::", "--exec=", "--ext-diff")


def runs_code(call: GitCall) -> str:
    """Why the command may run other programs than git, in words; "" when it may not."""
    if call.odd:
        return f"git {call.odd[0]} changes what git runs or where."
    if call.sub == "config" and not only_looks(call):
        return "It changes git's settings, which may name programs to run."
    if call.sub in ("bisect", "submodule", "rebase") and any(
        word.text in ("run", "foreach", "-x", "--exec") for word in call.args
    ):
        return f"git {call.sub} runs other commands here."
    if call.sub in _HELPERS:
        return f"git {call.sub} runs other programs or hands out secrets."
    if any(word.text.startswith(_NAMED_PROGRAM) for word in call.args):
        return "It names a program for git to run."
    if call.sub == "grep" and not only_looks(call):
        return "git grep opens a program of its own here."
    return ""

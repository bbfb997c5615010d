"""What a single command would touch, and which hard questions it raises."""

from collections.abc import Sequence

from neocode.permissions.changing import weigh
from neocode.permissions.commands import git
from neocode.permissions.commands.effects import Effect, effects
from neocode.permissions.commands.environment import calm_variable, sharp_variable
from neocode.permissions.commands.forbidding import (
    far_reaching,
    forbidding,
    helper_program,
    hidden_deletion,
)
from neocode.permissions.commands.harmless import reads, searches_folders, takes_only_files
from neocode.permissions.commands.places import program_place
from neocode.permissions.commands.wrappers import find_roots
from neocode.permissions.reading import mention, mention_secrets, read_word
from neocode.permissions.report import Report
from neocode.permissions.shell.line import Part, State
from neocode.permissions.shell.resolve import target
from neocode.permissions.shell.words import Word, literal
from neocode.permissions.verdict import Policy

_ANYWHERE = frozenset({"cd", "pushd", "popd", "pwd", "echo", "printf", "true", "false", ":"})
_SETTERS = frozenset({"read", "printf", "mapfile", "readarray", "getopts", "let", "unset", "local"})
_MORE_THAN_EFFECTS = ("curl", "wget", "sed", "gsed", "rsync")
_DUMPS = frozenset(
    {"cat", "head", "tail", "grep", "egrep", "sed", "awk", "nl", "tac", "strings", "od", "xxd"}
    | {
        "hexdump",
        "base64",
        "sort",
        "cut",
        "jq",
        "less",
        "more",
        "cp",
        "tar",
        "sh",
        "bash",
        "python3",
    }
)
_FIND_ACTS = frozenset(
    {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from", "-exec", "-execdir"}
    | {"-ok", "-okdir"}
)


def examine(part: Part, policy: Policy) -> Report:
    """Look at one command, not at what it may run in turn."""
    report = Report()
    name, arguments = part.name, part.words[1:]
    sharp = _environment(part, report)
    state = _folder(part, policy, report)
    if not part.words:
        return report
    why = forbidding(name, arguments) if part.kind == "command" else ""
    if why:
        report.hard.append(why)
    program = program_place(part.words[0], state, policy.ground)
    if program:
        report.doubts.append(f"It runs a program outside the project: {program.real}.")
        report.point(program)
    if name == "git":
        state = _git(arguments, state, policy, report)
    helper = helper_program(name, arguments)
    report.doubts += filter(None, (helper, far_reaching(name, arguments)))
    runs_text = bool(helper) or (name == "git" and bool(git.read_git(arguments).odd))
    hidden = hidden_deletion(name, arguments, runs_text=runs_text)
    report.hard += [hidden] if hidden else []
    _files(part, state, policy, report)
    if name == "xargs":
        _listed(part, policy, report)
    report.looks = report.looks and not sharp
    return report


def _environment(part: Part, report: Report) -> bool:
    """Doubts about the variables that it sets; True when there are any."""
    for variable, _ in part.assignments:
        if sharp_variable(variable):
            report.doubts.append(f"It sets {variable}, which changes what programs do.")
    for word in part.words[1:] if part.name in _SETTERS else ():
        if sharp_variable(word.text.split("=", 1)[0]):
            report.doubts.append(f"It sets {word.text}, which changes what programs do.")
    return bool(report.doubts)


def _folder(part: Part, policy: Policy, report: Report) -> State:
    """Where it runs; outside the project, or somewhere unknown, is a doubt."""
    if part.kind != "command" or part.name in _ANYWHERE:
        return part.state
    for folder in sorted(part.state.folders):
        if not folder:
            report.doubts.append("It runs in a folder that is not known.")
            continue
        for place in target(literal(folder), part.state, policy.ground).places[:1]:
            if not place.inside:
                report.doubts.append(f"It runs outside the project, in {place.real}.")
                report.point(place)
    return part.state


def _git(words: Sequence[Word], state: State, policy: Policy, report: Report) -> State:
    call = git.read_git(words)
    why = git.danger(call)
    if why:
        report.hard.append(why)
    code = git.runs_code(call)
    if code:
        report.doubts.append(code)
    if not call.sub and call.args == () and words and not words[-1].literal:
        report.doubts.append("Which git command it is, is not known.")
    for folder in call.folders:
        there = target(folder, state, policy.ground)
        outside = [place for place in there.places if not place.inside]
        for place in outside:
            report.doubts.append(f"It works outside the project, in {place.real}.")
            report.point(place)
        if not there.sure:
            report.doubts.append("It works in a folder that is not known.")
        state = state.moved(frozenset(place.real for place in there.places) or frozenset({""}))
    return state


def _files(part: Part, state: State, policy: Policy, report: Report) -> None:
    name, arguments = part.name, part.words[1:]
    if part.kind == "test":
        report.looks = True
    elif part.kind == "declare":
        report.looks = len(part.words) == 1 and all(calm_variable(n) for n, _ in part.assignments)
    elif name == "find":
        _find(arguments, state, policy, report)
    elif name == "git":
        call = git.read_git(arguments)
        report.looks = git.only_looks(call)
        mention(call.args, state, policy, report)
        if report.looks:
            mention_secrets(call.args, state, policy, report)
    else:
        _others(name, arguments, state, policy, report)


def _others(
    name: str, arguments: Sequence[Word], state: State, policy: Policy, report: Report
) -> None:
    read = reads(name, arguments)
    if read is not None:
        report.looks = True
        sweeps = searches_folders(name, arguments)
        for word in read or ([literal(".")] if sweeps else []):
            read_word(word, state, policy, report, sweeps=sweeps)
        if takes_only_files(name):
            mention(arguments, state, policy, report)
        return
    known = effects(name, arguments)
    for effect in known or ():
        weigh(effect, state, policy, report)
    if known is None or name in _MORE_THAN_EFFECTS:
        mention(arguments, state, policy, report)


def _listed(part: Part, policy: Policy, report: Report) -> None:
    """xargs: the files that a find in front of it would name."""
    for source in part.upstream[:1]:
        if source.name != "find" or not _dumps(part.words):
            continue
        arguments = source.words[1:]
        roots = find_roots(arguments)
        mention_secrets(arguments[len(roots) :], source.state, policy, report)
        for root in roots:
            read_word(root, source.state, policy, report, sweeps=True)


def _dumps(words: Sequence[Word]) -> bool:
    """True when one of the words is a command that shows what is in files."""
    return any(word.text.rsplit("/", 1)[-1] in _DUMPS for word in words)


def _find(words: Sequence[Word], state: State, policy: Policy, report: Report) -> None:
    roots = find_roots(words)
    texts = [word.text for word in words]
    runs = bool({"-exec", "-execdir", "-ok", "-okdir"} & set(texts))
    for root in roots:
        read_word(root, state, policy, report, sweeps=runs and _dumps(words))
    report.looks = all(word.known for word in words) and not _FIND_ACTS & set(texts)
    if runs:
        mention_secrets(words[len(roots) :], state, policy, report)
    if "-delete" in texts:
        for root in roots:
            gone = Effect(kind="delete", word=root, tree=True, force=True)
            weigh(gone, state, policy, report)
    for flag, word in zip(texts, words[1:], strict=False):
        if flag in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            weigh(Effect(kind="write", word=word), state, policy, report)

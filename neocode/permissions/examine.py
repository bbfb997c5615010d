"""What a single command would touch, and which hard questions it raises."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from neocode.permissions.commands import git
from neocode.permissions.commands.effects import Effect, effects
from neocode.permissions.commands.environment import sharp_variable
from neocode.permissions.commands.forbidding import forbidding, helper_program
from neocode.permissions.commands.harmless import reads
from neocode.permissions.commands.places import outside_places, program_place
from neocode.permissions.commands.wrappers import find_roots
from neocode.permissions.path_judge import denying_rule, edit_danger, edit_doubt, path_rule
from neocode.permissions.paths import Place, is_below
from neocode.permissions.rules import Rule
from neocode.permissions.sensitive import looks_secret
from neocode.permissions.shell.line import Part, State
from neocode.permissions.shell.resolve import target
from neocode.permissions.shell.words import Word, literal, make_word
from neocode.permissions.verdict import Policy

_ANYWHERE = frozenset(
    {"cd", "pushd", "popd", "pwd", "echo", "printf", "true", "false", ":", "exit"}
)


@dataclass(slots=True)
class Report:
    """Findings about one command.

    hard: why it is a hard question. doubts: why it is asked about whatever the rules say.
    edits: places inside that it changes. secrets: places inside that look like secrets.
    denied: the deny rule that a place matches. real_path: the first place that matters.
    looks: it only reads, and everything it reads is known.
    """

    hard: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    edits: list[Place] = field(default_factory=list)
    secrets: list[Place] = field(default_factory=list)
    denied: Rule | None = None
    real_path: str = ""
    looks: bool = False

    def point(self, place: Place) -> None:
        """Remember the place for the question, if it is the first."""
        self.real_path = self.real_path or place.real


def examine(part: Part, policy: Policy) -> Report:
    """Look at one command, not at what it may run in turn."""
    report = Report()
    name, arguments = part.name, part.words[1:]
    _environment(part, report)
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
    if helper:
        report.doubts.append(helper)
    _files(part, state, policy, report)
    return report


def _environment(part: Part, report: Report) -> None:
    for variable, _ in part.assignments:
        if sharp_variable(variable):
            report.doubts.append(f"It sets {variable}, which changes what programs do.")


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
        return
    if name == "find":
        _find(arguments, state, policy, report)
        return
    read = reads(name, arguments)
    if read is None and name == "git":
        call = git.read_git(arguments)
        if git.only_looks(call):
            report.looks = True
            _generic(call.args, state, policy, report)
            return
    if read is not None:
        report.looks = True
        for word in read:
            _read(word, state, policy, report)
        return
    known = effects(name, arguments)
    for effect in known or ():
        _effect(effect, state, policy, report)
    if known is None or name in ("curl", "wget", "sed", "rsync", "gsed"):
        _generic(arguments, state, policy, report)


def _find(words: Sequence[Word], state: State, policy: Policy, report: Report) -> None:
    roots = find_roots(words)
    for root in roots:
        _read(root, state, policy, report)
    texts = [word.text for word in words]
    report.looks = all(word.known for word in words) and not (
        {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"} & set(texts)
    )
    if "-delete" in texts:
        for root in roots:
            gone = Effect(kind="delete", word=root, tree=True, force=True)
            _effect(gone, state, policy, report)
    for flag, word in zip(texts, words[1:], strict=False):
        if flag in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            _effect(Effect(kind="write", word=word), state, policy, report)


def _read(word: Word, state: State, policy: Policy, report: Report) -> None:
    """One file that is read: known, inside and no secret, or there is a doubt."""
    if word.text == "-" or (word.pieces and word.pieces[0].text.startswith("<(")):
        return
    found = target(word, state, policy.ground)
    if not found.sure:
        report.doubts.append(f"Which file {word.text!r} is, is not known before it runs.")
    if word.wild and any(p.given.rsplit("/", 1)[-1].startswith("-") for p in found.places):
        report.doubts.append("A file's name would be taken for an option.")
    for place in found.places:
        _read_place(place, policy, report)


def _read_place(place: Place, policy: Policy, report: Report) -> None:
    _refuse(denying_rule("read", "bash", place, policy), place, report)
    if place.stream or path_rule(policy.granted, "read", "bash", place, policy):
        return
    if not place.readable:
        report.doubts.append(f"It reads outside the project: {place.real}.")
        report.point(place)
    elif looks_secret(place.real):
        report.secrets.append(place)


def _refuse(rule: Rule | None, place: Place, report: Report) -> None:
    if rule and not report.denied:
        report.denied, report.real_path = rule, place.real


def _generic(words: Sequence[Word], state: State, policy: Policy, report: Report) -> None:
    """The arguments of a command that no table knows."""
    for place in outside_places(words, state, policy.ground):
        if not path_rule(policy.granted, "read", "bash", place, policy):
            report.doubts.append(f"It names a place outside the project: {place.real}.")
            report.point(place)
    if not any(rule.path for rule in policy.deny):
        return
    for word in words:
        if word.known and word.text and not word.text.startswith("-"):
            for place in target(word, state, policy.ground).places:
                _refuse(denying_rule("read", "bash", place, policy), place, report)


def _effect(effect: Effect, state: State, policy: Policy, report: Report) -> None:
    if effect.kind == "read":
        _read(effect.word, state, policy, report)
        return
    found = target(effect.word, state, policy.ground, follow=effect.follow)
    if not found.sure:
        text = f"Which place {effect.word.text!r} is, is not known before it runs."
        (report.hard if effect.tree else report.doubts).append(text)
    if effect.word.wild and any(p.given.rsplit("/", 1)[-1].startswith("-") for p in found.places):
        report.doubts.append("A file's name would be taken for an option.")
    for place in found.places:
        aim = place
        if effect.into and place.is_dir:
            inner = make_word([*effect.word.pieces, *literal("/" + effect.into).pieces])
            aim = next(iter(target(inner, state, policy.ground).places), place)
        _change(effect, aim, policy, report)


def _change(effect: Effect, place: Place, policy: Policy, report: Report) -> None:
    _refuse(denying_rule("edit", "bash", place, policy), place, report)
    if effect.kind in ("delete", "attributes"):
        why = _lost(effect, place, policy)
    else:
        why = edit_danger(place, policy, append=effect.kind in ("append", "create"))
    if why:
        if not report.hard:
            report.real_path = place.real
        report.hard.append(why)
        return
    doubt = edit_doubt(place, policy, links=effect.kind != "delete")
    if doubt:
        report.doubts.append(doubt)
        report.point(place)
    elif not place.stream:
        report.edits.append(place)


def _lost(effect: Effect, place: Place, policy: Policy) -> str:
    """Why deleting, or changing the rights of, a place is a hard question."""
    root = policy.ground.root
    verb = "Deleting" if effect.kind == "delete" else "Changing the permissions of"
    if not place.inside and not place.stream:
        over = " and holds it" if is_below(root, place.real) else ""
        what = f"outside the project{over}"
        return f"{verb} {place.real}, which is {what}."
    if place.real == root and effect.kind == "delete":
        return f"Deleting the whole project: {place.real}."
    if effect.tree and effect.force:
        return f"A recursive force-delete of {place.real} (inside the project)."
    if effect.tree and f"{root}/.git" == place.real:
        return f"Deleting the repository's history: {place.real}."
    return ""

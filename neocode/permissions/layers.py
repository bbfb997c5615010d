"""What a command runs in turn, as parts that are judged like any other."""

from dataclasses import dataclass, replace

from neocode.permissions.commands.code import Code, read_code
from neocode.permissions.commands.effects import effects
from neocode.permissions.commands.forbidding import DECODERS, FETCHERS
from neocode.permissions.commands.harmless import reads
from neocode.permissions.commands.interpreters import INTERPRETERS, SHELLS, Layer
from neocode.permissions.commands.places import plausible
from neocode.permissions.commands.wrappers import unwrap
from neocode.permissions.paths import Ground, locate
from neocode.permissions.shell.line import Line, Part
from neocode.permissions.shell.parse import parse
from neocode.permissions.shell.words import Word

_TEXT_RUNNERS = SHELLS | INTERPRETERS | {"eval", "source", ".", "xargs", "ssh", "parallel"}
_NAMES_ONLY = frozenset(
    {"-l", "-rl", "-lr", "-rln", "-ril", "--files", "-L", "--files-with-matches"}
)
_NAME_LISTS = frozenset({"sort", "uniq", "head", "tail", "tac", "grep", "rg"})


@dataclass(frozen=True, slots=True)
class Under:
    """What lies under a command.

    parts: commands it runs. whole: it passes when these pass. hard: hard questions.
    doubts: always asked about. notes: asked about unless a rule allows it.
    """

    parts: tuple[Part, ...] = ()
    whole: bool = False
    hard: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fed: bool = False
    paths: tuple[str, ...] = ()


def under(part: Part, ground: Ground) -> Under:
    """Look one layer down; an empty Under for a command that runs no other."""
    piped = _piped_text(part)
    layer = unwrap(part.name, part.words[1:], part.stdin if piped is None else piped)
    if layer is None:
        return Under()
    hard = _fetched(part, layer)
    notes = [layer.note] if layer.note else []
    parts: tuple[Part, ...] = tuple(
        replace(
            part,
            words=_without_unknown(part, words, ground),
            assignments=layer.assignments,
            redirects=(),
            inner=(),
            kind="command",
        )
        for words in layer.commands
    )
    doubts: list[str] = []
    paths: tuple[str, ...] = ()
    if layer.script:
        line = parse(layer.script, ground, part.state)
        parts += line.parts
        doubts += line.problems
        hard += [bomb_text(line)] if line.bombs else []
    if layer.far and parts:
        doubts.append(layer.note)
        gone = [piece for piece in parts if _deletes(piece)]
        hard += [f"It deletes on another machine: {piece.source}." for piece in gone[:1]]
    if layer.code:
        found = _code(read_code(layer.language, layer.code), part, ground)
        parts += found.parts
        hard += found.hard
        doubts += found.doubts
        notes += found.notes
        paths = found.paths
    whole = layer.whole or _reads_listed_names(part)
    fed = layer.fed and (bool(part.upstream) or any(not r.writes for r in part.redirects))
    return Under(parts, whole, tuple(hard), tuple(doubts), tuple(notes), fed, paths)


def _deletes(part: Part) -> bool:
    found = effects(part.name, part.words[1:]) or ()
    return any(effect.kind == "delete" for effect in found)


def bomb_text(line: Line) -> str:
    """Words for a function that starts itself."""
    return f"The function {line.bombs[0]!r} calls itself: a fork bomb can stop the machine."


def _piped_text(part: Part) -> str | None:
    """The literal text that echo, printf or cat << sends down the pipe."""
    if not part.upstream or len(part.upstream) != 1:
        return None
    first = part.upstream[0]
    if first.name == "cat" and len(first.words) == 1:
        return first.stdin
    words = [word for word in first.words[1:] if word.text not in ("-e", "-n", "-E")]
    if first.name in ("echo", "printf") and words and all(word.literal for word in words):
        return " ".join(word.text for word in words).replace("\\n", "\n")
    return None


def _fetched(part: Part, layer: Layer) -> list[str]:
    """curl | sh, bash <(curl), eval "$(base64 -d ...)": text from afar or in disguise."""
    if part.name not in _TEXT_RUNNERS:
        return []
    takes_stdin = layer.fed and not layer.code and not layer.script
    names = {p.name for p in part.inner}
    if takes_stdin or part.name == "xargs":
        names |= {p.name for p in part.upstream}
    if part.name == "xargs":
        runs = any(words and words[0].text in SHELLS | INTERPRETERS for words in layer.commands)
        names = names if runs else set()
    if names & FETCHERS:
        return [f"{part.name} would run a text that comes from the network."]
    if names & DECODERS:
        return [f"{part.name} would run a text that is decoded first, and cannot be seen."]
    return []


def _without_unknown(part: Part, words: tuple[Word, ...], ground: Ground) -> tuple[Word, ...]:
    """What xargs adds is unknown; names of files below the project do no harm to a look."""
    if not _reads_listed_names(part) or not words[0].literal:
        return words
    name = words[0].text
    return words[:-1] if reads(name, words[1:-1]) is not None else words


def _reads_listed_names(part: Part) -> bool:
    return part.name == "xargs" and bool(part.upstream) and _lists_names(part.upstream)


def _lists_names(upstream: tuple[Part, ...]) -> bool:
    first, *rest = upstream
    texts = [word.text for word in first.words]
    lists = (
        (
            first.name in ("find", "fd")
            and not any(t.startswith(("-printf", "-exec")) for t in texts)
        )
        or (first.name == "git" and texts[1:2] == ["ls-files"])
        or (
            first.name in ("grep", "rg")
            and bool({"-l", "-rl", "-lr", "--files", "-L"} & set(texts))
        )
    )
    return lists and all(part.name in _NAME_LISTS for part in rest)


def _code(code: Code, part: Part, ground: Ground) -> Under:
    """The hard questions and doubts of a program's text."""
    hard: list[str] = []
    doubts: list[str] = []
    folders = [folder for folder in part.state.folders if folder] or [ground.root]
    for path in code.deleted:
        places = [locate(path, ground, folder) for folder in folders] if path else []
        if not places or "" in part.state.folders:
            hard.append("The program deletes something, and what cannot be told.")
        for place in places:
            if not place.inside:
                hard.append(f"The program deletes outside the project: {place.real}.")
            elif code.tree:
                hard.append(f"The program deletes a whole folder: {place.real}.")
    for path in code.paths:
        if path.startswith(("/", "~", "..")) and "\n" not in path:
            place = locate(path, ground, folders[0])
            if not place.readable and not place.stream and plausible(place):
                doubts.append(f"The program names a place outside the project: {place.real}.")
    parts: tuple[Part, ...] = ()
    for line in code.lines:
        if line:
            parsed = parse(line, ground, part.state)
            parts += parsed.parts
    notes = ("The program runs other commands.",) if code.lines else ()
    return Under(
        parts=parts,
        hard=tuple(dict.fromkeys(hard)),
        doubts=tuple(dict.fromkeys(doubts)),
        notes=notes,
        paths=code.paths,
    )

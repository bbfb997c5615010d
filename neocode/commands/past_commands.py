"""/rewind, /diff, /fork, /export: the session's past, and copies of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from neocode.commands.result import CommandResult
from neocode.domain.checkpoints import Conflict, FileDiff, OnConflict, RewindPoint, Rewound
from neocode.runtime.api import EngineApi

USAGE = "/rewind N [conversation|files|both] [overwrite|keep]"
FORMATS = ("jsonl", "md", "html")
WORDS_CHARS = 70
_WHAT = {"conversation": (True, False), "files": (False, True), "both": (True, True)}
_REASONS = {
    "changed": "changed since by you, or by a shell line",
    "not_kept": "what it was is not kept",
    "blocked": "something else stands in its place now",
}


async def rewind(engine: EngineApi, argument: str) -> CommandResult:
    """List the prompts that can be gone back to, or go back to before one of them."""
    points = list(reversed(await engine.rewind_points()))
    words = argument.split()
    if not words:
        return CommandResult(show="rewind", text=points_text(points))
    number = int(words[0]) if words[0].isdecimal() else 0
    if not 1 <= number <= len(points):
        known = f"There are {len(points)}, 1 is the newest." if points else "There are none yet."
        return CommandResult(text=f"No prompt {words[0]}. {known} {USAGE}", level="error")
    what, how = "both", "stop"
    for word in words[1:]:
        if word in _WHAT:
            what = word
        elif word in get_args(OnConflict):
            how = word
        else:
            return CommandResult(text=f"What is {word!r}? {USAGE}", level="error")
    conversation, files = _WHAT[what]
    told = await engine.rewind(
        points[number - 1].message_id,
        conversation=conversation,
        files=files,
        on_conflict=how,  # type: ignore[arg-type]
    )
    if not told.done:
        return CommandResult(text=_stopped(told, number, what), level="error")
    return CommandResult(text=rewound_text(told, what), fill=told.prompt if conversation else "")


def points_text(points: Sequence[RewindPoint]) -> str:
    """The prompts, newest first, with what their runs changed."""
    if not points:
        return "There is no prompt to go back to yet."
    rows = [
        f"{number:>3}. {_when(point.created_at)}  {_first_words(point.prompt)}{_files(point.files)}"
        for number, point in enumerate(points, 1)
    ]
    return "\n".join([*rows, f"{USAGE} goes back to before it. What shell lines did stays."])


def rewound_text(told: Rewound, what: str) -> str:
    """What was done."""
    lines = ["The conversation is as it was before that prompt."] if what != "files" else []
    if told.restored:
        lines.append(f"Restored: {', '.join(told.restored)}.")
    elif what != "conversation":
        lines.append("No file had to be restored.")
    lines += [f"Left alone: {line}" for line in _conflict_lines(told.conflicts)]
    if what != "files":
        lines.append(f"The prompt was: {told.prompt}")
    return "\n".join(lines)


async def diff(engine: EngineApi, argument: str) -> CommandResult:
    """What became of the files that this session's tools changed; one of them by its name."""
    found = await engine.file_diffs()
    if argument:
        found = [one for one in found if one.name == argument or str(one.path) == argument]
    if not found:
        what = f"{argument} was not" if argument else "Nothing was"
        text = f"{what} changed by this session's tools (what shell lines did is not kept)."
        return CommandResult(text=text)
    return CommandResult(show="diff", argument=argument, text=diff_text(found))


def diff_text(found: Sequence[FileDiff]) -> str:
    """Counts first, a line a file; then the diffs."""
    width = max(len(one.name) for one in found)
    counts = [
        f"{one.kind:8} {one.name:{width}}  " + (one.note or f"+{one.added} -{one.removed}")
        for one in found
    ]
    files = "1 file" if len(found) == 1 else f"{len(found)} files"
    total = f"{files}, +{sum(d.added for d in found)} -{sum(d.removed for d in found)}"
    return "\n".join([*counts, total, *("\n" + d.text.rstrip("\n") for d in found if d.text)])


async def fork(engine: EngineApi, _: str) -> CommandResult:
    """Go on in a copy."""
    before = engine.session.id
    await engine.fork()
    return CommandResult(
        text=f"This is a copy, {engine.session.id}. The other one stays as it is: /resume {before}"
    )


async def export(engine: EngineApi, argument: str) -> CommandResult:
    """Write the session to a file: [jsonl|md|html] [PATH]."""
    first, _, rest = argument.partition(" ")
    given = (rest if first in FORMATS else argument).strip()
    ending = Path(given).suffix.lstrip(".").lower()
    style = first if first in FORMATS else ending if ending in FORMATS else "md"
    path = engine.root / Path(given).expanduser() if given else engine.root
    where = await engine.export(style, path)
    return CommandResult(text=f"Exported to {where}")


def _stopped(told: Rewound, number: int, what: str) -> str:
    again = f"/rewind {number} {what}"
    forced = any(conflict.reason == "changed" for conflict in told.conflicts)
    ways = [f"`{again} overwrite` takes those changes away too."] if forced else []
    ways.append(f"`{again} keep` leaves these files alone and does the rest.")
    return "\n".join(["Nothing was done, because of:", *_conflict_lines(told.conflicts), *ways])


def _conflict_lines(conflicts: Sequence[Conflict]) -> list[str]:
    return [f"{conflict.name} ({_REASONS[conflict.reason]})" for conflict in conflicts]


def _first_words(text: str) -> str:
    line = " ".join(text[:400].split())
    return line if len(line) <= WORDS_CHARS else line[: WORDS_CHARS - 1] + "…"


def _files(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"\n     changed {', '.join(names[:3])}{more}"


def _when(time: str) -> str:
    return time[:16].replace("T", " ")

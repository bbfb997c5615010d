"""Back to an earlier prompt: which one, what of it, and what about files changed since."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from neocode.domain.errors import NeoCodeError
from neocode.tui.present import counted
from neocode.tui.screens.picker import Entry, Picker
from neocode.tui.text.clean import one_line
from neocode.tui.text.times import ago

if TYPE_CHECKING:
    from neocode.domain.checkpoints import Conflict, OnConflict, RewindPoint, Rewound
    from neocode.runtime.api import EngineApi
    from neocode.tui.screens.chat import ChatScreen

What = Literal["both", "conversation", "files"]
_REASONS = {
    "changed": "changed by you or another program since",
    "not_kept": "what it was is not kept; it stays as it is",
    "blocked": "no regular file stands there now; it stays as it is",
}


def point_entries(points: Sequence["RewindPoint"], now: datetime) -> list[Entry]:
    """The prompts, newest first, with their time and the files their runs touched."""
    entries = []
    for point in reversed(points):
        files = f" · {counted(len(point.files), 'file')}" if point.files else ""
        touched = "\n".join(f"  {name}" for name in point.files)
        preview = point.prompt + (f"\n\nIts run changed\n{touched}" if touched else "")
        more = f"{ago(point.created_at, now)}{files}"
        entries.append(Entry(point.message_id, one_line(point.prompt, 300), more, preview))
    return entries


def touched_since(points: Sequence["RewindPoint"], message_id: str) -> list[str]:
    """Names of the files that were changed in this prompt's run or later ones."""
    ids = [point.message_id for point in points]
    if message_id not in ids:
        return []
    later = points[ids.index(message_id) :]
    return list(dict.fromkeys(name for point in later for name in point.files))


def what_entries(files: Sequence[str]) -> list[Entry]:
    """What can be taken back; without files there is only the conversation."""
    names = "\n".join(f"  {name}" for name in files)
    talk = Entry(
        "conversation",
        "Conversation only",
        "files stay as they are" if files else "no file was changed since",
        "The prompt comes back into the input; it and what followed leave the conversation.",
    )
    if not files:
        return [talk]
    count = counted(len(files), "file")
    both = Entry("both", "Conversation and files", f"{count} as before", f"Files:\n{names}")
    only = Entry(
        "files", "Files only", "the conversation stays", f"As they were before it:\n{names}"
    )
    return [both, talk, only]


def conflict_entries(conflicts: Sequence["Conflict"]) -> list[Entry]:
    """What to do about files that others changed; leaving all alone stands first."""
    listed = "\n".join(f"  {c.name}: {_REASONS[c.reason]}" for c in conflicts)
    forced = [c for c in conflicts if c.reason == "changed"]
    entries = [
        Entry("", "Stop: change nothing", "", listed),
        Entry("keep", "Go back, but leave these alone", counted(len(conflicts), "file"), listed),
    ]
    if forced:
        more = f"{counted(len(forced), 'file')}; what they are now is kept as a checkpoint"
        entries.append(Entry("overwrite", "Go back, overwrite them too", more, listed))
    return entries


def outcome_words(told: "Rewound", what: What) -> str:
    """What was done, in a sentence or two."""
    said = []
    if what != "files":
        said.append("Back before that prompt; it is in the input again.")
    if what != "conversation":
        count = len(told.restored)
        names = ", ".join(told.restored[:5]) + (" …" if count > 5 else "")
        said.append(f"{counted(count, 'file')} as before{f': {names}' if count else ''}.")
    if told.conflicts:
        said.append(f"Left alone: {', '.join(c.name for c in told.conflicts[:5])}.")
    return " ".join(said)


async def rewind(chat: "ChatScreen") -> None:
    """The whole dialogue; runs in a worker."""
    engine = chat.engine
    if engine is None:
        return
    try:
        points = await engine.rewind_points()
        if not points:
            chat.note("There is no earlier prompt to go back to in this session.")
            return
        picker = Picker("Back to before…", point_entries(points, datetime.now(UTC)))
        message_id = await chat.app.push_screen_wait(picker)
        if message_id is None:
            return
        choices = Picker("Take back", what_entries(touched_since(points, message_id)))
        what = await chat.app.push_screen_wait(choices)
        if what is not None:
            await _go(chat, engine, message_id, what)  # type: ignore[arg-type]
    except NeoCodeError as error:
        chat.note(f"{error.message} {error.hint}".strip(), "error")


async def _go(chat: "ChatScreen", engine: "EngineApi", message_id: str, what: What) -> None:
    on_conflict: OnConflict = "stop"
    while True:
        told = await engine.rewind(
            message_id,
            conversation=what != "files",
            files=what != "conversation",
            on_conflict=on_conflict,
        )
        if told.done:
            break
        title = "These files are not as our tools left them"
        answer = await chat.app.push_screen_wait(Picker(title, conflict_entries(told.conflicts)))
        if not answer:
            chat.note("Nothing was changed.")
            return
        on_conflict = "overwrite" if answer == "overwrite" else "keep"
    if what != "files":
        if chat.prompt.text:
            chat.prompt.recall.add(chat.prompt.take())
        chat.prompt.fill(told.prompt)
        chat.note_later(outcome_words(told, what))
    else:
        chat.note(outcome_words(told, what))

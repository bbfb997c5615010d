"""The two views of a history (spec/context 13) and the line where the model's sight begins."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from neocode.runtime.api import EngineApi
from neocode.tui.pages import welcome_blocks
from neocode.tui.rows.base import Item
from neocode.tui.rows.history import history_items
from neocode.tui.rows.marks import CompactItem, MoreItem, TextItem
from neocode.tui.text.lines import Span
from neocode.tui.widgets.span_lines import SpanLines

if TYPE_CHECKING:
    from neocode.domain.session import CompactionRecord
    from neocode.tui.screens.chat import ChatScreen

FULL = "Full history, archived messages too"
MORE = "archive"


class HistoryView:
    """What of the session's history is on the screen.

    name: "compacted" shows what is live, and the archive above it once it is asked for or
    was on the screen already; "full" shows everything, and says so in a line on top.
    """

    def __init__(self, chat: "ChatScreen", engine: EngineApi) -> None:
        self._chat, self._engine = chat, engine
        self.name = "compacted"
        self._next = "compacted"
        self._archive_shown = False
        self._shown = ""
        self._banner = SpanLines(id="view")
        self._reasoning = engine.config.ui.show_reasoning

    def opened(self) -> None:
        """Another session is in front: in its own view, the archive folded away."""
        self.name, self._next = self._next, "compacted"
        self._archive_shown = False

    def open_next_as(self, name: str) -> None:
        """The view in which the next session is opened (the switch in the session list)."""
        self._next = name

    def reload(self) -> None:
        """Rows of the session in front."""
        engine, full = self._engine, self.name == "full"
        everything = full or self._archive_shown
        messages = engine.full_history() if everything else engine.session.messages
        items = self._items(messages)
        hidden = 0 if everything else self._hidden_count()
        if hidden:
            items.insert(0, MoreItem(MORE, hidden))
        if not items:
            items.insert(0, TextItem("welcome", welcome_blocks(engine)))
        self._chat.transcript.set_items(items + self._notes())
        self.mark()
        self._show_banner()

    def load_archived(self) -> bool:
        """Show the archive above what is live; what is on the screen stays where it is.

        False when there is none, or it is shown already.
        """
        transcript = self._chat.transcript
        more = transcript.find(MORE)
        if more is None:
            return False
        self._archive_shown = True
        old = [item for item in transcript.items if item is not more]
        transcript.merge(merged(old, self._items(self._engine.full_history())))
        self.mark()
        return True

    def switch(self, name: str) -> None:
        """Change to a view; the end of the conversation is shown."""
        if self.name != name:
            self.name = name
            self.reload()

    def compacted(self) -> None:
        """What was just archived is on the screen and stays there."""
        self._archive_shown = True
        self.mark()

    def mark(self) -> None:
        """Dim what is archived, divide it from what the model sees, settle the buttons."""
        live = frozenset(message.id for message in self._engine.session.messages)
        transcript = self._chat.transcript
        for item in place_compactions(transcript.items, self._engine.compactions()):
            transcript.changed(item)
        transcript.mark_boundary(live)

    def _notes(self) -> list[Item]:
        """Our own words since the newest message: they are not stored, and still true."""
        if self._engine.session.id != self._shown:
            self._shown = self._engine.session.id
            return []
        kept: list[Item] = []
        for item in reversed(self._chat.transcript.items):
            if item.message_id:
                break
            if item.key.startswith(("note-", "hint-")):
                kept.insert(0, item)
        return kept

    def _items(self, messages: Iterable[object]) -> list[Item]:
        return history_items(
            messages,  # type: ignore[arg-type]
            self._engine.notices(),
            show_reasoning=self._reasoning,
            summaries=self.name == "full",
        )

    def _hidden_count(self) -> int:
        """By the records: reading the whole history takes long in long sessions."""
        if not self._engine.session.compactions:
            return 0
        records = [record for record in self._engine.compactions() if not record.undone_at]
        archived = {name for record in records for name in record.archived_ids}
        live = {message.id for message in self._engine.session.messages}
        return len(archived - live - {record.summary_message_id for record in records})

    def _show_banner(self) -> None:
        full = self.name == "full"
        if full and not self._banner.is_attached:
            self._chat.mount(self._banner, before=self._chat.transcript)
        elif not full and self._banner.is_attached:
            self._banner.remove()
            self._banner = SpanLines(id="view")
        if full:
            words = Span(f"{FULL} · ", "warn b")
            back = Span("[compacted view]", "button", "view")
            self._banner.show([[words, back, Span(" F4", "muted")]])


def merged(old: Sequence[Item], made: Iterable[Item]) -> list[Item]:
    """The rows on the screen, with those of made put among them whose message is missing."""
    keys = {item.key: at for at, item in enumerate(old)}
    present = {"", *(item.message_id for item in old)}
    out: list[Item] = []
    at = 0
    for item in made:
        if item.key in keys:
            out += old[at : keys[item.key] + 1]
            at = max(at, keys[item.key] + 1)
        elif _name(item) not in present:
            out.append(item)
    return out + list(old[at:])


def _name(item: Item) -> str:
    """The id of the message that a row shows; "" for rows that show none."""
    return item.key.removeprefix("r-") if item.kind == "reasoning" else item.message_id


def place_compactions(
    items: Iterable[Item], records: Sequence["CompactionRecord"]
) -> list[CompactItem]:
    """Undo takes the newest in force, redo the first undone one after it; no other row.

    Returns the rows that look different now.
    """
    in_force = [at for at, record in enumerate(records) if not record.undone_at]
    newest = in_force[-1] if in_force else -1
    found = {
        name: (at in (newest, newest + 1), record.undone_at is not None)
        for at, record in enumerate(records)
        for name in (record.summary_message_id, record.transcript_id)
        if name
    }
    changed: list[CompactItem] = []
    for item in items:
        if isinstance(item, CompactItem) and item.state == "done":
            names = (item.payload.get("summary_message_id"), item.payload.get("transcript_id"))
            known = next((found[str(name)] for name in names if str(name) in found), None)
            if known is not None and item.place(newest=known[0], undone=known[1]):
                changed.append(item)
    return changed

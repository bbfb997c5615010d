"""/task: the task state, field by field, to be read and edited."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from neocode.domain.errors import NeoCodeError
from neocode.domain.task_state import (
    MAX_FIELD_CHARS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    TEXT_FIELDS,
    TaskState,
)
from neocode.runtime import tasks
from neocode.runtime.api import EngineApi
from neocode.tui.pages import TASK_FIELDS
from neocode.tui.screens.page import Page, Row
from neocode.tui.text.clean import clean
from neocode.tui.text.lines import Block, Line, Span, lines

RULES = "user_constraints"


class Place(NamedTuple):
    """Where the mark stands. number: of a list's item from 1; 0 for a text or a new item."""

    field: str
    number: int
    text: str


class TaskScreen(Page):
    """Every edit is stored at once; limits and failures are said below."""

    heading = "Task state"

    def __init__(self, engine: EngineApi) -> None:
        super().__init__()
        self._engine = engine
        self._words, self._failed = "", False
        self._place: Place | None = None

    # --- what is shown

    def rows(self) -> list[Row]:
        """Every field, empty ones too; a list ends with a row for one more."""
        state = self._engine.session.task_state
        rows: list[Row] = []
        for field, words in TASK_FIELDS:
            value = getattr(state, field)
            if isinstance(value, str):
                rows += [Row([_title(words)]), Row(_entry(value), Place(field, 0, value))]
                continue
            rows.append(Row([_title(words, f"{len(value)} of {MAX_ITEMS}" if value else "")]))
            for number, item in enumerate(value, 1):
                pinned = field == RULES and item in state.pinned
                rows.append(Row(_entry(item, pinned=pinned), Place(field, number, item)))
            rows.append(Row(_entry("", add=True), Place(field, 0, "")))
        return rows

    def hint(self) -> list[list[Span]]:
        """What was said last, and the keys; while editing, how long the text may be."""
        if self.editing and self._place is not None:
            most = MAX_FIELD_CHARS if self._place.field in TEXT_FIELDS else MAX_ITEM_CHARS
            count = len(self.draft.strip())
            style = "error" if count > most else "muted"
            counted = Span(f"{count:,} of {most:,} characters", style)
            return [[counted, Span(" · Enter saves · Ctrl+J new line · Esc gives up", "muted")]]
        place = self.value
        keys = "Enter edits · a adds · d takes out · "
        if isinstance(place, Place) and place.field == RULES and place.number:
            keys += "p pins or unpins · "
        said = Span(self._words, "error" if self._failed else "ok")
        shown = [Span(f"{keys}Esc closes", "muted")]
        return [[said], shown] if self._words else [shown]

    # --- what is done

    def pressed(self, key: str) -> bool:
        """Edit, add, take out, pin."""
        place = self.value
        if not isinstance(place, Place):
            return False
        match key:
            case "enter":
                self._begin(place)
            case "a":
                self._begin(Place(place.field, 0, ""))
            case "d" | "delete" | "backspace":
                self._drop(place)
            case "p" if place.field == RULES and place.number:
                self._store(lambda state: toggled(state, place.text), "Saved.")
            case _:
                return False
        return True

    def _begin(self, place: Place) -> None:
        text = getattr(self._engine.session.task_state, place.field)
        self._place = place
        self._words = ""
        self.edit(text if isinstance(text, str) else place.text)

    def saved(self, text: str) -> None:
        """The editor's text goes where the mark stood."""
        place, self._place = self._place, None
        if place is None:
            return
        field, number = place.field, place.number
        if field in TEXT_FIELDS:
            self._store(lambda state: tasks.set_text(state, field, text), "Saved.")
        elif number:
            self._store(lambda state: _reworded(state, place, text), "Saved.")
        elif text.strip():
            self._store(lambda state: tasks.add_item(state, field, text), "Added.")

    def _drop(self, place: Place) -> None:
        field, number = place.field, place.number
        if field in TEXT_FIELDS:
            self._store(lambda state: tasks.set_text(state, field, ""), "Emptied.")
        elif number:
            self._store(lambda state: tasks.drop_item(state, field, number), "Taken out.")

    def _store(self, edit: Callable[[TaskState], TaskState], words: str) -> None:
        if self._engine.busy == "compact":
            self._words, self._failed = "Waits for the compaction to end…", False
        self.run_worker(self._edit(edit, words), exclusive=False)

    async def _edit(self, edit: Callable[[TaskState], TaskState], words: str) -> None:
        try:
            await self._engine.edit_task_state(edit)
        except NeoCodeError as error:
            self._words, self._failed = f"{error.message} {error.hint}".strip(), True
        else:
            self._words, self._failed = words, False
        self.draw()


def toggled(state: TaskState, rule: str) -> TaskState:
    """The rule pinned, or no longer pinned but still there."""
    if rule in state.pinned:
        return replace(state, pinned=tuple(item for item in state.pinned if item != rule))
    return tasks.pin(state, rule)


def _reworded(state: TaskState, place: Place, text: str) -> TaskState:
    items = getattr(state, place.field)
    if place.text not in items:
        raise NeoCodeError("This item was changed meanwhile; nothing was saved.")
    return tasks.replace_item(state, place.field, items.index(place.text) + 1, text)


def _title(words: str, more: str = "") -> Line:
    return Line((Span(words, "heading b"), Span(f"  {more}", "muted")))


def _entry(text: str, *, pinned: bool = False, add: bool = False) -> list[Block]:
    if add or not text:
        words = "+ add" if add else "(empty)"
        return [Line((Span(words, "muted"),), (Span("  "),), (Span("  "),))]
    sign = "★ pinned  " if pinned else ""
    first, *rest = lines(clean(text), "", (Span("  "),))
    first.spans = (Span(sign, "accent b"), *first.spans) if sign else first.spans
    return [first, *rest]

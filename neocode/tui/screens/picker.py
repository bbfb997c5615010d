"""Choose one of many by typing a few letters."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from neocode.tui.fuzzy import best
from neocode.tui.rows.marks import TextItem
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Block, Span, breaks, cells, crop, lines
from neocode.tui.widgets.line_view import LineView
from neocode.tui.widgets.span_lines import SpanLines

_AROUND = 5
"""Rows of a picker besides its list and preview: border, letters, hint, an empty one."""
_LEAST_FOR_PREVIEW = 18


class Entry(NamedTuple):
    """One line: value is handed back, words are shown and searched, more stands at the right.

    preview: what is shown below the list while the line is marked.
    """

    value: str
    words: str
    more: str = ""
    preview: str = ""


class Letters(Input):
    """The search field; the picker sees every key before it does."""

    def on_key(self, event: events.Key) -> None:
        """Offer the key to the picker."""
        picker = self.screen
        if isinstance(picker, Picker) and picker.pressed(event.key):
            event.stop()
            event.prevent_default()


class Picker(ModalScreen[str | None], inherit_bindings=False):
    """Gives back the chosen entry's value, or None.

    A subclass may show a preview of its own (preview_of), search in its own way (search) and
    take more keys (pressed).
    """

    DEFAULT_CSS = """
    Picker { align: center middle; background: $background 60%; }
    Picker #box { width: 90%; max-width: 110; height: auto; max-height: 94%;
        border: round $primary; background: $background; padding: 0 1; }
    Picker Input, Picker Input:focus { border: none; height: 1; padding: 0 1;
        background: $surface; }
    Picker #preview { display: none; border-top: solid $nc-dim; padding: 0; }
    """
    placeholder = "type to search"
    keys = "Enter takes · Esc closes"

    def __init__(self, title: str, entries: Sequence[Entry], *, empty: str = "") -> None:
        super().__init__()
        self._title, self._entries = title, list(entries)
        self._empty = empty or "Nothing to choose from."
        self._found = self._entries
        self._marked = self._top = 0
        self._said = (self.keys, "muted")
        self.previews = any(entry.preview for entry in entries)

    @property
    def marked(self) -> Entry | None:
        """The marked entry."""
        return self._found[self._marked] if self._found else None

    def compose(self) -> ComposeResult:
        """Letters, list, preview, hint."""
        with Vertical(id="box"):
            yield Letters(placeholder=self.placeholder, select_on_focus=False)
            yield SpanLines(id="list")
            yield LineView(id="preview")
            yield SpanLines(id="hint")

    def on_mount(self) -> None:
        """Draw the list."""
        self.say()
        self.query_one(Input).focus()
        self.call_after_refresh(self.draw)

    def say(self, words: str = "", style: str = "muted") -> None:
        """Words in the last line; "" shows the keys."""
        self._said = (words or self.keys, style)
        self._draw_hint()

    def _draw_hint(self) -> None:
        hint, (words, style) = self.query_one("#hint", SpanLines), self._said
        room = max(20, (hint.size.width or 100) - 4 - len(self._title))
        rows = [words[start:end] for start, end in breaks(words, room)]
        blank = " " * len(self._title)
        head = [Span(self._title, "accent b"), Span(f"  {rows[0]}", style)]
        rest = [[Span(blank), Span(f"  {row.strip()}", style)] for row in rows[1:3]]
        hint.show([head, *rest])

    def on_resize(self) -> None:
        """Another size."""
        self.call_after_refresh(self.draw)

    def set_entries(self, entries: Sequence[Entry], *, keep: bool = False) -> None:
        """Other entries; keep: the mark stays on its value where that is still there."""
        value = self.marked.value if keep and self.marked else None
        self._entries = list(entries)
        self.show_found(self._entries)
        at = next((i for i, e in enumerate(self._found) if e.value == value), 0)
        self._marked = at
        self.draw()

    def show_found(self, found: Sequence[Entry]) -> None:
        """These answer the search; the first is marked."""
        self._found = list(found)
        self._marked = self._top = 0
        self.draw()

    # --- what a subclass changes

    def search(self, letters: str) -> None:
        """Show what answers these letters ("": everything)."""
        if not letters:
            self.show_found(self._entries)
            return
        names: dict[str, Entry] = {}
        for number, entry in enumerate(self._entries):
            names[f"{one_line(entry.words)} {entry.more}\0{number}"] = entry
        self.show_found([names[name] for name in best(letters, names, 200)])

    def preview_of(self, entry: Entry) -> Sequence[Block]:
        """What is shown of the marked entry below the list."""
        return lines(clean(entry.preview).strip("\n"), "muted")

    def pressed(self, key: str) -> bool:
        """A key that the picker itself does not know; True when it was taken."""
        return False

    # --- keys

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search the words."""
        event.stop()
        self.search(event.value.strip())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked one."""
        event.stop()
        self.take()

    def take(self) -> None:
        """Hand the marked entry back."""
        self.dismiss(self.marked.value if self.marked else None)

    def on_span_lines_acted(self, message: SpanLines.Acted) -> None:
        """A click takes one."""
        message.stop()
        if message.action.isdigit() and int(message.action) < len(self._found):
            self._marked = int(message.action)
            self.take()

    def on_key(self, event: events.Key) -> None:
        """Move the mark or close."""
        rows = self._rows()
        steps = {"up": -1, "down": 1, "pageup": -rows, "pagedown": rows}
        if event.key in steps and self._found:
            event.stop()
            self._marked = max(0, min(len(self._found) - 1, self._marked + steps[event.key]))
            self.draw()
        elif event.key in ("escape", "ctrl+c"):
            event.stop()
            self.dismiss(None)

    # --- drawing

    def _room(self) -> int:
        extra = len(self.query_one("#hint", SpanLines).lines) - 1
        return max(3, self.size.height * 94 // 100 - _AROUND - max(0, extra))

    def _preview_rows(self) -> int:
        shown = self.previews and self.size.height >= _LEAST_FOR_PREVIEW and self._found
        return self._room() * 2 // 5 if shown else 0

    def _rows(self) -> int:
        return max(3, self._room() - self._preview_rows())

    def draw(self) -> None:
        """Draw list and preview again."""
        if not self.is_attached:
            return
        self._draw_hint()
        rows = self._rows()
        self._top = max(min(self._top, self._marked), self._marked - rows + 1)
        width = max(20, self.query_one("#list").size.width - 2)
        part = list(enumerate(self._found))[self._top : self._top + rows]
        shown = [self._row(index, entry, width) for index, entry in part]
        self.query_one("#list", SpanLines).show(shown or [[Span(self._empty, "muted")]])
        self._draw_preview()

    def _row(self, index: int, entry: Entry, width: int) -> list[Span]:
        sign, style = ("▸ ", "accent b") if index == self._marked else ("  ", "")
        more = crop(one_line(entry.more), width // 2)
        words = crop(one_line(entry.words), width - 4 - cells([Span(more)]))
        gap = " " * max(1, width - 2 - cells([Span(words), Span(more)]))
        number = str(index)
        return [
            Span(sign, style),
            Span(words, style, number),
            Span(gap),
            Span(more, "muted", number),
        ]

    def _draw_preview(self) -> None:
        view, rows = self.query_one("#preview", LineView), self._preview_rows()
        blocks = self.preview_of(self.marked) if rows and self.marked else ()
        view.display = bool(blocks)
        if blocks:
            view.styles.height = rows
            view.set_items([TextItem("preview", list(blocks)[: rows * 2])])

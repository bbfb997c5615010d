"""Choose one of many by typing a few letters."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from neocode.tui.fuzzy import best
from neocode.tui.text.clean import one_line
from neocode.tui.text.lines import Span, cells, crop
from neocode.tui.widgets.span_lines import SpanLines


class Entry(NamedTuple):
    """One line: value is handed back, words are shown and searched, more stands at the right."""

    value: str
    words: str
    more: str = ""


class Picker(ModalScreen[str | None], inherit_bindings=False):
    """Gives back the chosen entry's value, or None."""

    DEFAULT_CSS = """
    Picker { align: center middle; background: $background 60%; }
    Picker #box { width: 90%; max-width: 110; height: auto; max-height: 90%;
        border: round $primary; background: $background; padding: 0 1; }
    Picker Input, Picker Input:focus { border: none; height: 1; padding: 0 1;
        background: $surface; }
    """

    def __init__(self, title: str, entries: Sequence[Entry], *, empty: str = "") -> None:
        super().__init__()
        self._title, self._entries = title, list(entries)
        self._empty = empty or "Nothing to choose from."
        self._found = self._entries
        self._marked = self._top = 0

    def compose(self) -> ComposeResult:
        """Letters, list, hint."""
        with Vertical(id="box"):
            yield Input(placeholder="type to search", select_on_focus=False)
            yield SpanLines(id="list")
            yield SpanLines(id="hint")

    def on_mount(self) -> None:
        """Draw the list."""
        self.query_one("#hint", SpanLines).show(
            [[Span(self._title, "accent b"), Span("  Enter takes · Esc closes", "muted")]]
        )
        self.query_one(Input).focus()
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Another size."""
        self.call_after_refresh(self._draw)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search the words."""
        event.stop()
        letters = event.value.strip()
        if letters:
            names: dict[str, Entry] = {}
            for number, entry in enumerate(self._entries):
                names[f"{one_line(entry.words)} {entry.more}\0{number}"] = entry
            self._found = [names[name] for name in best(letters, names, 200)]
        else:
            self._found = self._entries
        self._marked = self._top = 0
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked one."""
        event.stop()
        self.dismiss(self._found[self._marked].value if self._found else None)

    def on_span_lines_acted(self, message: SpanLines.Acted) -> None:
        """A click takes one."""
        message.stop()
        self.dismiss(self._found[int(message.action)].value)

    def on_key(self, event: events.Key) -> None:
        """Move the mark or close."""
        rows = self._rows()
        steps = {"up": -1, "down": 1, "pageup": -rows, "pagedown": rows}
        if event.key in steps and self._found:
            event.stop()
            self._marked = max(0, min(len(self._found) - 1, self._marked + steps[event.key]))
            self._draw()
        elif event.key in ("escape", "ctrl+c"):
            event.stop()
            self.dismiss(None)

    def _rows(self) -> int:
        return max(3, self.size.height * 9 // 10 - 5)

    def _draw(self) -> None:
        rows = self._rows()
        self._top = max(min(self._top, self._marked), self._marked - rows + 1)
        width = max(20, self.query_one("#list").size.width - 2)
        shown = []
        for index, entry in list(enumerate(self._found))[self._top : self._top + rows]:
            sign, style = ("▸ ", "accent b") if index == self._marked else ("  ", "")
            more = crop(one_line(entry.more), width // 2)
            words = crop(one_line(entry.words), width - 4 - cells([Span(more)]))
            gap = " " * max(1, width - 2 - cells([Span(words), Span(more)]))
            shown.append(
                [
                    Span(sign, style),
                    Span(words, style, str(index)),
                    Span(gap),
                    Span(more, "muted", str(index)),
                ]
            )
        self.query_one("#list", SpanLines).show(shown or [[Span(self._empty, "muted")]])

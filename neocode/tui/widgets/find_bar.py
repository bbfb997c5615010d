"""One line for the words that are searched for in the conversation."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from neocode.tui.text.lines import Span
from neocode.tui.widgets.span_lines import SpanLines


class FindField(Input):
    """The words; keys that mean something to the search are passed on."""

    def on_key(self, event: events.Key) -> None:
        """Up, Down, Enter, Esc."""
        step = FindBar.STEPS.get(event.key)
        if step is None:
            return
        event.stop()
        event.prevent_default()
        self.post_message(FindBar.Stepped(step))


class FindBar(Horizontal):
    """Posts Changed by Input itself, Stepped with -1 (older), 1 (newer) or 0 (done)."""

    STEPS: ClassVar[dict[str, int]] = {
        "enter": -1, "up": -1, "shift+enter": 1, "down": 1, "ctrl+f": -1,
        "escape": 0, "ctrl+c": 0,
    }  # fmt: skip
    DEFAULT_CSS = """
    FindBar { height: 1; background: $surface; }
    FindBar Input, FindBar Input:focus { border: none; height: 1; width: 1fr; padding: 0 1;
        background: $surface; }
    FindBar SpanLines { width: 44; background: $surface; }
    """

    class Stepped(Message):
        """Another place is wanted, or (0) the search is over."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, words: str = "") -> None:
        super().__init__(id="find")
        self.words = words

    def compose(self) -> ComposeResult:
        """Words, and how many places."""
        yield FindField(
            self.words,
            placeholder="find in the conversation",
            select_on_focus=False,
            id="words",
        )
        yield SpanLines()

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(FindField).focus()
        self.show(0, 0)

    def show(self, at: int, count: int) -> None:
        """Place at (from 1) of count."""
        if not self.query_one(FindField).value:
            words, style = "Enter older · Down newer · Esc", "muted"
        elif count:
            words, style = f"{at} of {count} · Enter older · Down newer", "accent"
        else:
            words, style = "not found · Esc closes", "warn b"
        self.query_one(SpanLines).show([[Span(words, style)]])

"""A question above the input: what it is about, the answers, room for words."""

from collections.abc import Sequence
from time import monotonic
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from neocode.tui.rows.ask import Option, letter_answer
from neocode.tui.rows.marks import TextItem
from neocode.tui.text.lines import Block, Span, crop
from neocode.tui.widgets.line_view import LineView
from neocode.tui.widgets.span_lines import SpanLines

_AROUND = 6
"""Rows of the panel's border and hint, the activity line, the bar, the input, the status."""
_KEPT_ROWS = 4
"""Rows of the conversation that stay on the screen where there is room."""


class AskPanel(Vertical, can_focus=True):
    """Posts Answered once. Keys: digits, y/a/n, Up/Down and Enter, Esc for no."""

    DEFAULT_CSS = """
    AskPanel { height: auto; border-top: heavy $primary; }
    AskPanel.-hard { border-top: heavy $error; }
    AskPanel LineView { height: auto; }
    AskPanel Input, AskPanel Input:focus { display: none; border: none; height: 1; padding: 0 1;
        background: $surface; }
    AskPanel.-words Input, AskPanel.-words Input:focus { display: block; }
    """

    class Answered(Message):
        """The user's answer; words: the reason, or an answer of their own."""

        def __init__(self, panel: "AskPanel", option: Option | None, words: str) -> None:
            super().__init__()
            self.request_id, self.kind = panel.request_id, panel.kind
            self.option, self.words = option, words

    def __init__(
        self,
        kind: Literal["permission", "question"],
        request_id: str,
        blocks: Sequence[Block],
        options: Sequence[Option],
        *,
        hard: bool = False,
        guard_until: float = 0.0,
        hint: str = "",
    ) -> None:
        """guard_until: monotonic time before which no key answers."""
        super().__init__(classes="-hard" if hard else "")
        self.kind, self.request_id, self.options, self.hint = kind, request_id, list(options), hint
        self._blocks, self._guard_until = blocks, guard_until
        self._marked = 0
        self._answered = False

    def compose(self) -> ComposeResult:
        """The text, the answers, the line for words."""
        yield LineView([TextItem("ask", self._blocks)])
        yield SpanLines()
        yield Input(placeholder="Type here; Enter sends, Esc goes back")

    def on_mount(self) -> None:
        """Draw the answers; with nothing to choose from, words are wanted at once."""
        self._fit()
        self._draw()
        if len(self.options) == 1 and not self.options[0].answer:
            self._ask_words()

    def on_resize(self) -> None:
        """Keep the answers on the screen whatever its height."""
        self._fit()

    def _fit(self) -> None:
        view = self.query_one(LineView)
        view.refresh_layout()
        others = len(self.options) + _AROUND + (_KEPT_ROWS if self.app.size.height > 20 else 0)
        room = max(3, self.app.size.height - others)
        view.styles.max_height = room
        view.styles.height = max(1, min(view.virtual_size.height, room))

    def _draw(self) -> None:
        rows = []
        for index, option in enumerate(self.options):
            sign, style = ("▸ ", "accent b") if index == self._marked else ("  ", "")
            words = crop(option.words, max(10, self.app.size.width - 8))
            rows.append(
                [Span(f"{sign}{option.key or ' '} ", style), Span(words, style, f"answer:{index}")]
            )
        rows.append([Span(self.hint, "muted")])
        self.query_one(SpanLines).show(rows)

    def on_key(self, event: events.Key) -> None:
        """One key answers."""
        if isinstance(self.app.focused, Input):
            if event.key == "escape":
                event.stop()
                self._leave_words()
            return
        key = event.key
        if key in ("pageup", "pagedown", "ctrl+c", "ctrl+d", "f1", "shift+tab", "ctrl+o", "ctrl+t"):
            return
        event.stop()
        event.prevent_default()
        if monotonic() < self._guard_until:
            return
        if key in ("up", "down"):
            self._marked = (self._marked + (1 if key == "down" else -1)) % len(self.options)
            self._draw()
        elif key == "enter":
            self.choose(self.options[self._marked])
        elif key == "escape":
            self._finish(None, "")
        elif (option := letter_answer(event.character or "", self.options)) is not None:
            self.choose(option)

    def choose(self, option: Option) -> None:
        """Take this answer; some want words first."""
        if option.answer in ("", "reason"):
            self._marked = self.options.index(option)
            self._ask_words()
        else:
            self._finish(option, "")

    def scroll_text(self, direction: int) -> bool:
        """A page of a long text; False when all of it is on the screen."""
        view = self.query_one(LineView)
        if not view.max_scroll_y:
            return False
        view.scroll_to(
            y=view.scroll_offset.y + direction * max(1, view.size.height - 1), animate=False
        )
        return True

    def _ask_words(self) -> None:
        self._draw()
        self.add_class("-words")
        self.query_one(Input).focus()

    def _leave_words(self) -> None:
        if len(self.options) == 1:
            self._finish(None, "")
            return
        self.remove_class("-words")
        self.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Words are complete."""
        event.stop()
        self._finish(self.options[self._marked], event.value)

    def on_span_lines_acted(self, event: SpanLines.Acted) -> None:
        """A click on an answer."""
        event.stop()
        self.choose(self.options[int(event.action.partition(":")[2])])

    def _finish(self, option: Option | None, words: str) -> None:
        if not self._answered:
            self._answered = True
            self.post_message(self.Answered(self, option, words))

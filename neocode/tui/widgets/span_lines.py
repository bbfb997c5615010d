"""A few lines of spans that may be clicked: bars, lists, hints."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from neocode.tui.text.lines import Span
from neocode.tui.themes import styles_for


class SpanLines(Widget):
    """Shows lines as they are, cut at the edge; its height is their number."""

    DEFAULT_CSS = "SpanLines { height: 1; padding: 0 1; }"

    class Acted(Message):
        """A click on a span with an action."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: tuple[tuple[Span, ...], ...] = ()

    def show(self, lines: Sequence[Sequence[Span]]) -> None:
        """Show these lines; none hides the widget."""
        made = tuple(map(tuple, lines))
        if made == self.lines:
            return
        if len(made) != len(self.lines):
            self.styles.height = max(1, len(made))
            self.display = bool(made)
        self.lines = made
        self.refresh()

    def lines_for(self, width: int) -> Sequence[Sequence[Span]]:
        """The lines at this width; what show() was given unless a widget makes its own."""
        return self.lines

    def render_line(self, y: int) -> Strip:
        """One line of cells."""
        width = self.size.width
        styles = styles_for(self.app.theme.removeprefix("neocode-"))
        lines = self.lines_for(width)
        if y >= len(lines):
            return Strip.blank(width, styles.base)
        segments = []
        for span in lines[y]:
            style = styles.get(span.style)
            if span.action:
                style += Style.from_meta({"act": span.action})
            segments.append(Segment(span.text, style))
        return Strip(segments).extend_cell_length(width, styles.base).crop(0, width)

    def on_click(self, event: events.Click) -> None:
        """A click on a span with an action."""
        action = event.style.meta.get("act")
        if action:
            event.stop()
            self.post_message(self.Acted(str(action)))

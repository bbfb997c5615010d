"""A page over the conversation: read, scroll, close."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from neocode.tui.rows.marks import TextItem
from neocode.tui.text.lines import Block, Span
from neocode.tui.widgets.line_view import LineView
from neocode.tui.widgets.span_lines import SpanLines


class Drawer(ModalScreen[None], inherit_bindings=False):
    """Shows blocks under a title; Esc, q and Enter close it."""

    DEFAULT_CSS = """
    Drawer { align: center middle; background: $background 60%; }
    Drawer #box { width: 90%; max-width: 120; height: auto; max-height: 90%;
        border: round $primary; background: $background; padding: 0 1; }
    """

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title, self._blocks = title, blocks

    def compose(self) -> ComposeResult:
        """Title, page, hint."""
        from textual.containers import Vertical

        with Vertical(id="box") as box:
            yield LineView([TextItem("page", self._blocks)])
            yield SpanLines()
        box.border_title = None

    def on_mount(self) -> None:
        """Say how to leave."""
        self.query_one(SpanLines).show(
            [
                [
                    Span(self._title, "accent b"),
                    Span("  Esc closes · Up, Down, PageUp, PageDown", "muted"),
                ]
            ]
        )
        self.call_after_refresh(self._fit)

    def on_resize(self) -> None:
        """As high as its text, at most nearly the screen."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        view = self.query_one(LineView)
        view.refresh_layout()
        room = max(4, self.size.height * 9 // 10 - 3)
        view.styles.height = max(1, min(view.virtual_size.height, room))

    def on_key(self, event: events.Key) -> None:
        """Scroll or close."""
        view = self.query_one(LineView)
        page = max(1, view.size.height - 1)
        steps = {
            "up": -1,
            "down": 1,
            "k": -1,
            "j": 1,
            "pageup": -page,
            "pagedown": page,
            "home": -(10**6),
            "end": 10**6,
            "space": page,
        }
        if event.key in steps:
            event.stop()
            view.scroll_to(y=view.scroll_offset.y + steps[event.key], animate=False)
        elif event.key in ("escape", "q", "enter", "ctrl+c", "f1", "f2"):
            event.stop()
            self.dismiss(None)

"""A page of rows over the conversation: one row is marked, keys act on it."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from neocode.tui.rows.base import Item
from neocode.tui.text.lines import Block, Line, Span
from neocode.tui.widgets.edit_box import EditBox
from neocode.tui.widgets.line_view import LineView
from neocode.tui.widgets.span_lines import SpanLines


class Row(NamedTuple):
    """One row of a page. value: what the mark stands on, None for text only."""

    blocks: Sequence[Block]
    value: object = None


class RowItem(Item):
    """A row as the view takes it."""

    kind = "notice"

    def __init__(self, key: str, blocks: Sequence[Block]) -> None:
        super().__init__(key)
        self._blocks = list(blocks)

    def blocks(self) -> list[Block]:
        """What it was given."""
        return list(self._blocks)


class Page(ModalScreen[str | None], inherit_bindings=False):
    """Gives back an action for the chat ("command:/compact"), or None.

    A subclass makes rows() and hint(), and takes keys and clicks in pressed() and acted().
    """

    DEFAULT_CSS = """
    Page { align: center middle; background: $background 60%; }
    Page #box { width: 94%; max-width: 124; height: auto; max-height: 94%;
        border: round $primary; background: $background; padding: 0 1; }
    Page SpanLines { padding: 0; }
    Page LineView { padding: 0; }
    """
    heading = ""

    def __init__(self) -> None:
        super().__init__()
        self.marked = 0
        self._rows: list[Row] = []
        self._editor: EditBox | None = None

    # --- what a subclass says

    def rows(self) -> list[Row]:
        """Everything on the page, top to bottom."""
        raise NotImplementedError

    def head(self) -> list[list[Span]]:
        """Lines that stay on top."""
        return [[Span(self.heading, "accent b")]]

    def hint(self) -> list[list[Span]]:
        """Lines that stay at the bottom."""
        return []

    def pressed(self, key: str) -> bool:
        """A key that is no movement; True when it meant something."""
        return False

    def acted(self, action: str) -> None:
        """A click on a word; by default it goes to the chat."""
        self.dismiss(action)

    def saved(self, text: str) -> None:
        """The editor was closed with this text."""

    # --- what it does

    def compose(self) -> ComposeResult:
        """Title, rows, hint."""
        with Vertical(id="box"):
            yield SpanLines(id="title")
            yield LineView(id="rows")
            yield SpanLines(id="hint")

    def on_mount(self) -> None:
        """Draw once there is a size."""
        self.call_after_refresh(self.draw)

    def on_resize(self) -> None:
        """Another size."""
        self.call_after_refresh(self.draw)

    @property
    def value(self) -> object:
        """What is marked, or None."""
        values = [row.value for row in self._rows if row.value is not None]
        return values[min(self.marked, len(values) - 1)] if values else None

    def draw(self) -> None:
        """Show everything anew; the marked row stays in view."""
        if not self.is_attached:
            return
        self._rows = self.rows()
        count = sum(row.value is not None for row in self._rows)
        self.marked = max(0, min(self.marked, count - 1))
        view, items, at = self.query_one(LineView), [], -1
        marked: RowItem | None = None
        for number, row in enumerate(self._rows):
            at += row.value is not None
            is_marked = row.value is not None and at == self.marked
            item = RowItem(f"row-{number}", _marked(row.blocks) if is_marked else row.blocks)
            marked = item if is_marked else marked
            items.append(item)
        self.query_one("#title", SpanLines).show(self.head())
        hint = self._hint_lines()
        self.query_one("#hint", SpanLines).show(hint)
        place = view.scroll_offset.y
        view.set_items(items)
        room = max(3, self.size.height * 94 // 100 - 3 - len(hint))
        room -= self._editor.size.height + 1 if self._editor is not None else 0
        height = max(1, min(view.virtual_size.height, room))
        wanted = _in_view(view, marked, place, height)
        if view.size.height != height:
            view.styles.height = height
            self.call_after_refresh(view.scroll_to, y=wanted, animate=False)
        view.scroll_to(y=wanted, animate=False)

    def edit(self, text: str) -> None:
        """Open a box to edit a text in; saved() gets it."""
        if self._editor is None:
            self._editor = EditBox(text)
            self.query_one("#box").mount(self._editor, before="#hint")
            self.call_after_refresh(self.draw)

    @property
    def editing(self) -> bool:
        """Whether a text is being edited."""
        return self._editor is not None

    def on_edit_box_done(self, message: EditBox.Done) -> None:
        """Take the box away."""
        message.stop()
        if self._editor is not None:
            self._editor.remove()
            self._editor = None
        if message.text is not None:
            self.saved(message.text)
        self.draw()

    def on_text_area_changed(self) -> None:
        """The hint may count characters."""
        self.query_one("#hint", SpanLines).show(self._hint_lines())

    def _hint_lines(self) -> list[list[Span]]:
        """The hint, wrapped where the screen is narrow."""
        width = max(20, self.query_one("#box").size.width)
        laid = [Line(tuple(spans)).layout(width) for spans in self.hint()]
        return [list(row.spans) for layout in laid for row in layout.rows]

    @property
    def draft(self) -> str:
        """What stands in the open editor."""
        return self._editor.text if self._editor is not None else ""

    def on_key(self, event: events.Key) -> None:
        """Move, close, or what the subclass takes."""
        if self._editor is not None:
            return
        view = self.query_one(LineView)
        page = max(1, view.size.height - 1)
        steps = {"up": -1, "down": 1}
        scrolls = {"pageup": -page, "pagedown": page, "home": -(10**6), "end": 10**6}
        has_mark = any(row.value is not None for row in self._rows)
        if self.pressed(event.key):
            event.stop()
        elif event.key in steps and has_mark:
            event.stop()
            self.marked += steps[event.key]
            self.draw()
        elif event.key in steps or event.key in scrolls:
            event.stop()
            way = steps.get(event.key) or scrolls[event.key]
            view.scroll_to(y=view.scroll_offset.y + way, animate=False)
        elif event.key in ("escape", "q", "ctrl+c"):
            event.stop()
            self.dismiss(None)

    def on_line_view_acted(self, message: LineView.Acted) -> None:
        """A click in a row."""
        message.stop()
        self.acted(message.action)

    def on_span_lines_acted(self, message: SpanLines.Acted) -> None:
        """A click in the hint."""
        message.stop()
        self.acted(message.action)


def _in_view(view: LineView, marked: RowItem | None, place: int, height: int) -> int:
    """Where to scroll to, so that the marked row is seen and little moves."""
    if marked is None:
        return place
    top = view.top_of(marked)
    last = top + len(marked.rows) - 1
    first_value = 0 if top <= 2 else top  # text above the first row comes into view with it
    return min(max(place, last - height + 1), first_value)


def _marked(blocks: Sequence[Block]) -> list[Block]:
    """The row with the mark: a sign and another background, never by colour alone."""
    made: list[Block] = []
    for block in blocks:
        if isinstance(block, Line):
            first = (Span("▸ ", "accent b"), *block.first[1:]) if not made else block.first
            made.append(Line(block.spans, first, block.rest, "marked", block.words))
        else:
            made.append(block)
    return made


def plain_row(*spans: Span, value: object = None, indent: str = "  ") -> Row:
    """A row of one line with room for the mark's sign before it."""
    prefix = (Span(indent),)
    return Row([Line(spans, prefix, prefix)], value)

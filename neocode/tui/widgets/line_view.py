"""Many rows in one widget: only the lines on the screen are ever drawn."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from neocode.tui.rows.base import GROUPED, Item
from neocode.tui.text.lines import Laid
from neocode.tui.themes import Styles, styles_for
from neocode.tui.widgets.row_strip import Mark, body, found_marks

_FAR = 1 << 30
_KEPT_STRIPS = 1_000


class LineView(ScrollView, can_focus=False):
    """Shows items below one another; text is selected by logical lines, so copies are clean.

    Items keep their own layouts; the view keeps where each begins.
    """

    DEFAULT_CSS = """
    LineView { height: 1fr; overflow-x: hidden; overflow-y: scroll; padding: 0 1;
        scrollbar-size-vertical: 1; }
    """

    class Acted(Message):
        """A click on a span with an action; item is where it stands."""

        def __init__(self, action: str, item: Item) -> None:
            super().__init__()
            self.action, self.item = action, item

    def __init__(self, items: Iterable[Item] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.items: list[Item] = list(items)
        self._tops: list[int] = [0]
        self._text_tops: list[int] = [0]
        self.first = 0
        self._strips: dict[tuple[object, ...], tuple[object, object, Strip]] = {}
        self.needle = ""
        self.needle_at: tuple[Item, int] | None = None
        """Words that are marked wherever they stand; the line that was gone to."""

    @property
    def allow_select(self) -> bool:
        """Text can be selected with the mouse."""
        return True

    @property
    def styles_now(self) -> Styles:
        """The text styles of the theme in force."""
        return styles_for(self.app.theme.removeprefix("neocode-"))

    def set_items(self, items: Sequence[Item]) -> None:
        """Show these and nothing else."""
        self.items = list(items)
        self.first = 0
        self._tops, self._text_tops = [0], [0]
        self.refresh_layout()

    def row_width(self) -> int:
        """Cells a row may take; 0 before the first layout."""
        return self.scrollable_content_region.width

    def refresh_layout(self, start: int = 0) -> None:
        """Lay out what changed from item start on, and set the height."""
        width = self.row_width()
        if width <= 0:
            return
        start = max(start, self.first)
        del self._tops[max(1, start - self.first + 1) :]
        del self._text_tops[max(1, start - self.first + 1) :]
        for index in range(self.first + len(self._tops) - 1, len(self.items)):
            item = self.items[index]
            self._set_gap(index)
            item.lay_out(width)
            self._tops.append(self._tops[-1] + len(item.rows))
            self._text_tops.append(self._text_tops[-1] + len(item.texts))
        height = self._tops[-1]
        if height != self.virtual_size.height or width != self.virtual_size.width:
            self.take_height(Size(width, height))
        self.refresh()

    def take_height(self, size: Size) -> None:
        """The whole view's size is another now."""
        self.virtual_size = size

    def _set_gap(self, index: int) -> None:
        item = self.items[index]
        before = self.items[index - 1].kind if index > self.first else ""
        gap = bool(before) and not (item.kind in GROUPED and before == item.kind)
        if gap != item.gap:
            item.gap = gap
            item.touch()

    def locate(self, y: int) -> tuple[Item, Laid, int] | None:
        """The item and row at a line of the whole view, and its first logical line."""
        if not 0 <= y < self._tops[-1]:
            return None
        index = bisect_right(self._tops, y) - 1
        item = self.items[self.first + index]
        return item, item.rows[y - self._tops[index]], self._text_tops[index]

    def top_of(self, item: Item) -> int:
        """The line at which an item begins; -1 when it is not laid out."""
        try:
            return self._tops[self.items.index(item, self.first) - self.first]
        except ValueError:
            return -1

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.size.width
        found = self.locate(y + self.scroll_offset.y)
        styles = self.styles_now
        if found is None:
            return Strip.blank(width, styles.base)
        item, row, text_top = found
        look = " archived" if item.archived else ""
        logical = text_top + row.line
        marks = self._marks(item, row, logical)
        if marks:
            return self._strip(row, logical, styles, look, marks)
        # most rows are as they were a moment ago, only elsewhere: streaming is scrolling
        key = (id(row.spans), id(row.prefix), logical, width, look, row.fill, id(styles))
        kept = self._strips.get(key)
        if kept is None or kept[0] is not row.spans or kept[1] is not row.prefix:
            if len(self._strips) >= _KEPT_STRIPS:
                self._strips.clear()
            kept = (row.spans, row.prefix, self._strip(row, logical, styles, look, ()))
            self._strips[key] = kept
        return kept[2]

    def _strip(
        self, row: Laid, logical: int, styles: Styles, look: str, marks: Sequence[Mark]
    ) -> Strip:
        width = self.size.width
        prefix = [Segment(s.text, styles.get(s.style + look, row.fill)) for s in row.prefix]
        segments = body(row, logical, styles, look, marks)
        strip = Strip(prefix + segments).extend_cell_length(width, styles.get("", row.fill))
        return strip.crop(0, width)

    def _marks(self, item: Item, row: Laid, logical: int) -> list[Mark]:
        marks: list[Mark] = []
        if self.needle:
            here = self.needle_at == (item, row.line)
            marks = found_marks(
                item.texts[row.line], self.needle, "reverse" if here else "selected"
            )
        selection = self.text_selection
        chosen = selection.get_span(logical) if selection else None
        if chosen is not None:
            marks.append(Mark(chosen[0], chosen[1] if chosen[1] >= 0 else _FAR, "selected"))
        return marks

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, by logical lines: no borders, no added line breaks (B40)."""
        texts = [text for item in self.items[self.first :] for text in item.texts]
        chosen = selection.extract("\n".join(texts))
        return "\n".join(row.rstrip() for row in chosen.split("\n")), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """The selection changed."""
        self.refresh()

    def on_resize(self) -> None:
        """Another width: everything is laid out again."""
        self.refresh_layout()

    def on_click(self, event: events.Click) -> None:
        """A click on a span with an action."""
        action = event.style.meta.get("act")
        place = event.get_content_offset(self) or Offset(event.x, event.y)
        found = self.locate(place.y + self.scroll_offset.y)
        if action and found is not None and not self.text_selection:
            event.stop()
            self.post_message(self.Acted(str(action), found[0]))

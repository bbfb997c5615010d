"""The conversation: stays at its end unless the user scrolled up."""

from collections.abc import Sequence

from textual.geometry import Size
from textual.message import Message

from neocode.tui.rows.base import Item
from neocode.tui.rows.marks import DividerItem
from neocode.tui.widgets.line_view import LineView

WINDOW = 60
"""Newest items that are laid out; older ones when the user scrolls near them."""

BOUNDARY = "The model still sees everything from here on"


class Transcript(LineView):
    """All items of the session; only those near the screen are laid out."""

    class Followed(Message):
        """Whether the end is in view changed, or something new came below it."""

    class Top(Message):
        """The first row was scrolled to. paged: by a key that wants a page more."""

        def __init__(self, *, paged: bool = False) -> None:
            super().__init__()
            self.paged = paged

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.following = True
        self.news = False
        self._keys: dict[str, Item] = {}
        self._settling = False

    def take_height(self, size: Size) -> None:
        """Scroll bar and limits only: the view's place on the screen hangs on nothing of it.

        Setting virtual_size would arrange the whole screen anew for each line that streams.
        """
        self.set_reactive(Transcript.virtual_size, size)
        self._scroll_update(size)

    def find(self, key: str) -> Item | None:
        """The item with this key."""
        return self._keys.get(key)

    def set_items(self, items: Sequence[Item]) -> None:
        """Another history: show its end."""
        self.items = list(items)
        self._keys = {item.key: item for item in self.items}
        self._reset_window(len(self.items) - WINDOW)
        self.following, self.news = True, False
        self.changed()

    def add(self, item: Item) -> None:
        """One more at the end."""
        self.items.append(item)
        self._keys[item.key] = item
        self.changed(item)

    def take_out(self, item: Item) -> None:
        """Take one away."""
        if item in self.items:
            index = self.items.index(item)
            self.items.remove(item)
            self._keys.pop(item.key, None)
            self._relayout(max(0, index - 1))

    def rename(self, item: Item, message_id: str) -> None:
        """A live item became this stored message."""
        self._keys.pop(item.key, None)
        item.key = item.message_id = message_id
        self._keys[message_id] = item

    def changed(self, item: Item | None = None) -> None:
        """This item (None: all of them) looks different now."""
        if item is None:
            self._relayout(0)
        elif item is self.items[-1]:
            self._relayout(len(self.items) - 1)
        elif item in self.items:
            self._relayout(self.items.index(item))

    def _relayout(self, start: int) -> None:
        anchor = None if self.following else self.locate(self.scroll_offset.y)
        inside = self.scroll_offset.y - self.top_of(anchor[0]) if anchor else 0
        before = self.virtual_size.height
        self._settling = True
        self.refresh_layout(start)
        if self.following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif anchor:
            top = self.top_of(anchor[0])
            if top >= 0 and top + inside != self.scroll_offset.y:
                self.scroll_to(y=top + inside, animate=False)
        self._settling = False
        if not self.following and self.virtual_size.height > before and not self.news:
            self.news = True
            self.post_message(self.Followed())

    def _reset_window(self, first: int) -> None:
        self.first = max(0, first)
        self._tops, self._text_tops = [0], [0]

    def on_resize(self) -> None:
        """Another width: only what is near the screen is laid out again."""
        if self.following and len(self.items) - self.first > WINDOW:
            for item in self.items[self.first : -WINDOW]:
                item.forget()
            self._reset_window(len(self.items) - WINDOW)
        self._relayout(0)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end again once it is reached; bring in older items near the top."""
        super().watch_scroll_y(old_value, new_value)
        if self._settling:
            return
        following = new_value >= self.max_scroll_y
        if following != self.following:
            self.following = following
            self.news = self.news and not following
            self.post_message(self.Followed())
        if new_value < self.size.height and self.first:
            self.call_next(self.load_older)
        elif new_value <= 0 < old_value:
            self.post_message(self.Top())

    def load_older(self) -> None:
        """Lay out the next older items; what is on the screen stays where it is."""
        if not self.first:
            return
        anchor = self.locate(self.scroll_offset.y)
        inside = self.scroll_offset.y - self.top_of(anchor[0]) if anchor else 0
        self.screen.clear_selection()
        self._reset_window(self.first - WINDOW)
        self._settling = True
        self.refresh_layout()
        if anchor:
            self.scroll_to(y=self.top_of(anchor[0]) + inside, animate=False)
        self._settling = False

    def load_all(self) -> None:
        """Lay out everything (search, jump to the top)."""
        while self.first:
            self.load_older()

    def bring_in(self, item: Item) -> None:
        """Have an item laid out, wherever it stands."""
        index = self.items.index(item)
        if index < self.first:
            self.screen.clear_selection()
            self._reset_window(index - WINDOW // 3)
            self._settling = True
            self.refresh_layout()
            self._settling = False

    def show_line(self, item: Item, line: int, *, above: int | None = None) -> None:
        """Scroll to a logical line of an item that is laid out; above: rows before it."""
        row = next((i for i, laid in enumerate(item.rows) if laid.line >= line), 0)
        before = self.size.height // 3 if above is None else above
        self.scroll_to(y=self.top_of(item) + row - before, animate=False, immediate=True)
        self.refresh()

    def last_visible(self) -> int:
        """Index of the lowest item on the screen."""
        found = self.locate(min(self.scroll_offset.y + self.size.height, self._tops[-1]) - 1)
        return self.items.index(found[0]) if found else len(self.items) - 1

    def jump(self, direction: int) -> None:
        """Put the previous (-1) or next (1) prompt at the top; behind the last: the end."""
        y = self.scroll_offset.y
        prompts = [item for item in self.items if item.kind == "user"]
        if direction < 0:
            above = [item for item in prompts if self._begins(item) < y]
            target = above[-1] if above else None
        else:
            target = next((item for item in prompts if self._begins(item) > y), None)
        if target is not None:
            self.bring_in(target)
            self.show_line(target, 1 if target.gap else 0, above=0)
        elif direction > 0:
            self.to_end()

    def _begins(self, item: Item) -> int:
        """The row of its first words; -1 when it stands above what is laid out."""
        top = self.top_of(item)
        return top + item.gap if top >= 0 else -1

    def to_end(self) -> None:
        """Back to the newest line."""
        self.following, self.news = True, False
        self.scroll_end(animate=False, immediate=True, x_axis=False)
        self.post_message(self.Followed())

    def page(self, direction: int) -> None:
        """A page up (-1) or down (1)."""
        if direction < 0 and not self.scroll_offset.y:
            self.post_message(self.Top(paged=True))
        y = self.scroll_offset.y + direction * max(1, self.size.height - 2)
        self.scroll_to(y=y, animate=False)

    def merge(self, items: Sequence[Item]) -> None:
        """More rows among those that are shown; what is on the screen stays where it is."""
        anchor = self.locate(self.scroll_offset.y)
        inside = self.scroll_offset.y - self.top_of(anchor[0]) if anchor else 0
        self.items = list(items)
        self._keys = {item.key: item for item in self.items}
        at = self.items.index(anchor[0]) if anchor and anchor[0] in self.items else 0
        self._reset_window(at - WINDOW)
        self._settling = True
        self.refresh_layout()
        if anchor and at:
            self.scroll_to(y=self.top_of(anchor[0]) + inside, animate=False)
        self._settling = False

    def mark_boundary(self, live_ids: frozenset[str]) -> None:
        """Dim what is archived; a divider above the first row after it that the model sees."""
        old = self._keys.get("boundary")
        if old is not None:
            self.take_out(old)
        last = _mark_archived(self.items, live_ids)
        rest = range(last + 1, len(self.items))
        first = next((i for i in rest if self.items[i].message_id), None)
        if last < 0 or first is None:
            self.refresh()
            return
        divider = DividerItem("boundary", BOUNDARY)
        self._keys[divider.key] = divider
        self.items.insert(first, divider)
        if first <= self.first:
            self.first += 1
        self._tops, self._text_tops = [0], [0]
        self._relayout(0)


def _mark_archived(items: Sequence[Item], live_ids: frozenset[str]) -> int:
    """Set archived on every row of a message; the index of the last archived row, or -1.

    Reasoning goes with the row that follows it; rows that are no messages stay as they are.
    """
    last, follows = -1, False
    for at in range(len(items) - 1, -1, -1):
        item = items[at]
        if item.message_id and item.kind != "summary":
            item.archived = follows = item.message_id not in live_ids
        elif item.kind == "reasoning":
            item.archived = follows
        if item.archived and last < 0:
            last = at
    return last

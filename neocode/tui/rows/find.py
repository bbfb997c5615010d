"""Words in a conversation: where they stand, whether laid out, folded or not."""

from collections.abc import Sequence
from typing import NamedTuple

from neocode.tui.rows.base import Item
from neocode.tui.rows.marks import NoticeItem
from neocode.tui.rows.talk import ReasoningItem
from neocode.tui.rows.tools import ToolItem
from neocode.tui.text.clean import clean

_MARKUP = str.maketrans("", "", "*_`~")


class Place(NamedTuple):
    """A line that holds the words. number: how many such lines of the item come before it."""

    item: Item
    number: int


def searchable(item: Item) -> str:
    """What an item says, unfolded."""
    match item:
        case ToolItem():
            return f"{item.summary}\n{item.copy_text}"
        case NoticeItem():
            return f"{item.message}\n{item.hint}"
        case ReasoningItem():
            return item.text
        case _:
            return item.copy_text


def plain(text: str) -> str:
    """Text as it is compared: case and the signs of Markdown's emphasis do not count."""
    return text.translate(_MARKUP).casefold()


def line_of(texts: Sequence[str], words: str, number: int) -> int:
    """Index of the line that is this place among an item's lines as laid out; -1 when folded.

    A line that Markdown or folding took away makes the last one before it count.
    """
    wanted = plain(words)
    found = [index for index, text in enumerate(texts) if wanted in plain(text)]
    return found[min(number, len(found) - 1)] if found else -1


class Finder:
    """Searches items; what they say is kept in comparable form while it lives."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, str]] = {}

    def places(self, items: Sequence[Item], words: str) -> list[Place]:
        """Every line that holds the words, top to bottom; none for no words."""
        wanted = plain(words)
        if not wanted.strip():
            return []
        out: list[Place] = []
        for item in items:
            text = self._plain(item)
            if wanted in text:
                rows = sum(wanted in row for row in text.split("\n"))
                out += [Place(item, number) for number in range(rows)]
        return out

    def _plain(self, item: Item) -> str:
        source = searchable(item)
        kept = self._kept.get(id(item))
        if kept is None or kept[0] != len(source):
            kept = (len(source), plain(clean(source)))
            self._kept[id(item)] = kept
        return kept[1]

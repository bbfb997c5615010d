"""The search in the conversation, and jumps from prompt to prompt."""

from bisect import bisect_right
from typing import TYPE_CHECKING

from neocode.tui.rows.base import Item
from neocode.tui.rows.find import Finder, Place, line_of
from neocode.tui.rows.tools import ToolItem
from neocode.tui.widgets.find_bar import FindBar

if TYPE_CHECKING:
    from neocode.tui.screens.chat import ChatScreen


class Finding:
    """One search, from its bar's opening to its closing."""

    def __init__(self, chat: "ChatScreen", words: str) -> None:
        self._chat, self.bar = chat, FindBar(words)
        self._finder = Finder()
        self._places: list[Place] = []
        self._at = 0
        chat.mount(self.bar, before=chat.bar)

    def look_for(self, words: str) -> None:
        """Other words: the place nearest above the end of what is on the screen."""
        transcript = self._chat.transcript
        self._places = self._finder.places(transcript.items, words)
        transcript.needle = words
        order = {id(item): index for index, item in enumerate(transcript.items)}
        last = transcript.last_visible()
        self._at = bisect_right([order[id(p.item)] for p in self._places], last) - 1
        self._at = max(0, self._at)
        self._show()

    def step(self, step: int) -> None:
        """The next older (-1) or newer (1) place, around the ends."""
        if self._places:
            self._at = (self._at + step) % len(self._places)
        self._show()

    def close(self) -> None:
        """The search is over; what is on the screen stays."""
        transcript = self._chat.transcript
        transcript.needle = ""
        transcript.refresh()
        self.bar.remove()
        self._chat.prompt.focus()

    def _show(self) -> None:
        transcript = self._chat.transcript
        self.bar.show(self._at + 1, len(self._places))
        if not self._places:
            transcript.refresh()
            return
        place = self._places[self._at]
        transcript.bring_in(place.item)
        line = line_of(place.item.texts, transcript.needle, place.number)
        if line < 0:
            unfold(place.item)
            transcript.changed(place.item)
            line = line_of(place.item.texts, transcript.needle, place.number)
        transcript.needle_at = (place.item, max(0, line))
        transcript.show_line(place.item, max(0, line))


def unfold(item: Item) -> None:
    """Show all that an item says."""
    if isinstance(item, ToolItem):
        item.reveal()
    else:
        item.unfolded = True
        item.touch()

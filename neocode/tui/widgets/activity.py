"""What is going on, in one line above the bar; and what waits to be sent."""

from collections.abc import Sequence

from textual.timer import Timer

from neocode.tui.present import duration
from neocode.tui.text.clean import one_line
from neocode.tui.text.lines import Span, cells, crop
from neocode.tui.widgets.span_lines import SpanLines

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_BEAT = 0.25


class Activity(SpanLines):
    """A spinner with words and seconds; hidden while nothing happens."""

    DEFAULT_CSS = "Activity { display: none; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.words, self.news, self.ticks, self.stops = "", False, 0, True
        self._timer: Timer | None = None

    @property
    def seconds(self) -> float:
        """How long the words have been shown."""
        return self.ticks * _BEAT

    def begin(self, words: str, *, restart: bool = False, stops: bool = True) -> None:
        """Show these words; the seconds start when nothing was going on or restart is set.

        stops: whether Esc would stop it (in a question it means no).
        """
        self.stops = stops
        if restart or not self.words:
            self.ticks = 0
        self.words = words
        if self._timer is None:
            self._timer = self.set_interval(_BEAT, self._tick)
        self._update()

    def end(self) -> None:
        """Nothing is going on any more."""
        self.words = ""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._update()

    def set_news(self, news: bool) -> None:
        """Whether new text stands below what is on the screen."""
        if news != self.news:
            self.news = news
            self._update()

    def _tick(self) -> None:
        self.ticks += 1
        self.refresh()

    def _update(self) -> None:
        self.display = bool(self.words or self.news)
        self.refresh()

    def lines_for(self, width: int) -> Sequence[Sequence[Span]]:
        """The line at this width."""
        left: list[Span] = []
        if self.words:
            left = [Span(f"{FRAMES[self.ticks % len(FRAMES)]} ", "accent"), Span(self.words)]
            if self.seconds >= 1:
                left.append(Span(f" {duration(int(self.seconds))}".replace(".0", ""), "muted"))
            if self.stops:
                left.append(Span("  Esc stops", "muted"))
        if not self.news:
            return [left]
        right = Span("↓ new text below · Ctrl+End", "accent b", "end")
        return [[*left, Span(" " * max(1, width - cells(left) - cells([right]))), right]]


class QueueList(SpanLines):
    """What was typed while the agent works: shown, editable, removable."""

    DEFAULT_CSS = "QueueList { display: none; }"

    def set_queue(self, items: Sequence[str], note: str = "") -> None:
        """Show what waits, the newest last; at most three lines."""
        shown = list(enumerate(items))[-3:]
        lines = []
        for index, text in shown:
            newest = index == len(items) - 1
            keys = "  Up edits · Enter sends now" if newest and not note else ""
            remove = Span(" [remove]", "button", f"unqueue:{index}")
            room = max(8, (self.size.width or 80) - len(keys) - 24)
            lines.append(
                [
                    Span("queued ", "warn"),
                    Span(crop(one_line(text, 300), room)),
                    remove,
                    Span(f"  {note}" if newest and note else keys, "muted"),
                ]
            )
        self.show(lines)

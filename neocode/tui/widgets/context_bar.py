"""The context bar and the status line: the one number that triggers use too."""

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.timer import Timer

from neocode.tui.present import Facts, Gauge, status_parts
from neocode.tui.text.lines import Span, cells
from neocode.tui.widgets.span_lines import SpanLines

_BEAT = 0.5
"""Seconds between two frames of a bar that moves: few bytes over a slow line."""
_WAVE = 8
"""Cells of the lighter part that moves along while a compaction runs."""


def bar_spans(gauge: Gauge, width: int, *, phase: int = 0, compacting: bool = False) -> list[Span]:
    """The bar, exactly width cells: filled by used/window, a tick at the threshold.

    Full cells are "━", free ones "─", so it reads without colours. phase: frames so far.
    """
    share = min(1.0, gauge.percent / 100)
    filled = min(width, max(1 if gauge.used else 0, round(width * share)))
    tick = min(width - 1, round(width * gauge.threshold / 100)) if gauge.maximum else -1
    style = "m.blue" if compacting else f"m.{gauge.level}"
    if gauge.level == "error" and not compacting and phase % 4 > 1:
        style = "m.error2"
    chars = ["━"] * filled + ["─"] * (width - filled)
    styles = [style] * filled + ["m.track"] * (width - filled)
    if compacting:
        start = phase * 4 % max(1, width)
        for at in range(start, start + _WAVE):
            chars[at % width], styles[at % width] = "━", "m.blue2"
    if tick >= 0:
        chars[tick], styles[tick] = "┿", "m.tick"
    spans: list[Span] = []
    for char, look in zip(chars, styles, strict=True):
        if spans and spans[-1].style == look:
            spans[-1] = Span(spans[-1].text + char, look)
        else:
            spans.append(Span(char, look))
    return spans


def bar_words(gauge: Gauge, *, compacting: bool) -> str:
    """What the bar says when the mouse is over it; the tick's meaning first."""
    if not gauge.maximum:
        return "The context window; its size is not known yet."
    at = f"{gauge.threshold:.0f} % ({round(gauge.maximum * gauge.threshold / 100):,} tokens)"
    now = f"{'about ' if gauge.estimated else ''}{gauge.used:,} of {gauge.maximum:,} tokens"
    if compacting:
        return f"Compacting context… Esc stops.\n{now}"
    tick = f"Automatic compaction threshold {at}"
    return f"{tick if gauge.auto else f'Threshold {at}; automatic compaction is off'}\n{now}"


class ContextBar(SpanLines):
    """One line across the screen."""

    DEFAULT_CSS = "ContextBar { height: 1; padding: 0; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.gauge, self.compacting, self._phase = Gauge(), False, 0
        self._timer: Timer | None = None

    def set_gauge(self, gauge: Gauge, *, compacting: bool) -> None:
        """New figures; it moves only while it has to."""
        if (gauge, compacting) == (self.gauge, self.compacting):
            return
        self.gauge, self.compacting = gauge, compacting
        self.tooltip = Content(bar_words(gauge, compacting=compacting))
        moving = compacting or gauge.level == "error"
        if moving and self._timer is None:
            self._timer = self.set_interval(_BEAT, self._beat)
        elif not moving and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def _beat(self) -> None:
        self._phase += 1
        self.refresh()

    def lines_for(self, width: int) -> Sequence[Sequence[Span]]:
        """The bar at this width."""
        return [bar_spans(self.gauge, width, phase=self._phase, compacting=self.compacting)]


class StatusLine(SpanLines):
    """Figures at the left, [/compact] at the right."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.gauge, self.facts, self.flash = Gauge(), Facts(), ""
        self.explain: Callable[[], str] = str

    def set_facts(self, gauge: Gauge, facts: Facts) -> None:
        """New figures."""
        if (gauge, facts) != (self.gauge, self.facts):
            self.gauge, self.facts = gauge, facts
            self.refresh()

    def on_enter(self) -> None:
        """The mouse is over it: the split into input, output and tool tokens."""
        self.tooltip = Content(self.explain()) if self.explain() else None

    def set_flash(self, words: str) -> None:
        """A word in the place of the figures ("Press Ctrl+C again to leave"); "" ends it."""
        self.flash = words
        self.refresh()

    def lines_for(self, width: int) -> Sequence[Sequence[Span]]:
        """The line at this width."""
        button = Span("[/compact]", "button", "command:/compact")
        room = width - len(button.text) - 2
        left: list[Span] = []
        if self.flash:
            left.append(Span(self.flash, "warn"))
        elif self.gauge.maximum or self.facts.model:
            left = self._figures(room)
        else:
            left.append(Span("Starting…", "muted"))
        return [[*left, Span(" " * max(1, width - cells(left) - len(button.text))), button]]

    def _figures(self, room: int) -> list[Span]:
        spans: list[Span] = []
        for part in status_parts(self.gauge, self.facts, room):
            if spans:
                spans.append(Span(" · ", "dim"))
            spans.append(self._part(part))
        return spans

    def _part(self, part: str) -> Span:
        if part == self.facts.mode:
            style = {"plan": "blue b", "auto": "error b", "accept-edits": "warn b"}
            return Span(part, style.get(part, "accent"), "mode")
        if part.endswith("tokens") and self.gauge.level != "ok":
            return Span(part, "error b" if self.gauge.level == "error" else "warn b", "context")
        return Span(part, "muted", "context" if part.endswith("tokens") else "")

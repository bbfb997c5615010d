"""/context: what fills the next request, when it shrinks, and what to do."""

from typing import ClassVar

from neocode.commands.context_commands import automatic_words, forecast_words
from neocode.runtime.api import EngineApi
from neocode.runtime.around import remedy
from neocode.runtime.figures import ContextFigures
from neocode.tui.pages import cost_table, heading
from neocode.tui.screens.page import Page, Row, plain_row
from neocode.tui.text.lines import Line, Span

PARTS = {
    "system": ("S", "c.keyword", "system prompt"),
    "instructions": ("I", "c.number", "project instructions"),
    "tools": ("T", "blue", "tool definitions"),
    "task_state": ("K", "accent", "task state"),
    "summary": ("Σ", "c.string", "summary and your archived words"),
    "messages": ("M", "ok", "messages"),
    "tool_results": ("R", "warn", "tool results"),
}
"""Letter, colour and words of each part, in the order of the bar."""
_TIGHT = 50
_ROOM = "There is room: nothing has to be done."
_KEYS = (
    ("c", "command:/compact", "compact"),
    ("p", "command:/compact preview", "preview"),
    ("s", "summary", "summary"),
    ("t", "command:/task", "task"),
    ("comma", "command:/settings", "settings"),
)


def stacked(figures: ContextFigures, width: int) -> list[list[Span]]:
    """The bar of the parts, width cells wide, each with its letter; below it the threshold."""
    total = max(figures.window or figures.next_request, figures.next_request, 1)
    spans: list[Span] = []
    at = done = 0
    for name, tokens in figures.parts.items():
        letter, style, _ = PARTS.get(name, ("?", "muted", name))
        done += tokens
        end = max(at + (tokens > 0), round(width * done / total))
        end = min(end, width)
        if end > at:
            spans.append(Span(letter.ljust(end - at), f"{style} reverse"))
        at = max(at, end)
    spans.append(Span("─" * (width - at), "dim"))
    if not figures.window or not figures.threshold:
        return [spans]
    tick = min(width - 1, round(width * figures.threshold / total))
    words = f"threshold {figures.threshold:,}"
    room = width - tick - 2
    mark = f"{'┴ ' + words}" if len(words) <= room else "┴"
    line = " " * tick + mark if len(words) <= room else f"{words + ' ┴':>{tick + 1}}"
    return [spans, [Span(line[:width], "muted")]]


class ContextScreen(Page):
    """One number, its parts, the forecast, and the keys for what comes next."""

    heading = "Context"
    _ACTIONS: ClassVar = {key: action for key, action, _ in _KEYS}

    def __init__(self, engine: EngineApi) -> None:
        super().__init__()
        self._figures, self._costs = engine.figures(), engine.costs()

    def rows(self) -> list[Row]:
        """Size, bar, legend, both sums, forecast, advice, costs."""
        figures = self._figures
        width = max(20, self.query_one("#box").size.width - 2)
        how = "estimated" if figures.estimated else "measured by the provider"
        share = f" of {figures.window:,} ({figures.percent:.1f} %)" if figures.window else ""
        size = Span(f"Next request: {figures.next_request:,} tokens{share}", "heading b")
        rows = [plain_row(size, Span(f", {how}", "muted"), indent="")]
        if figures.window_is_guessed:
            words = "The window is a guess: set context_window for this model."
            rows.append(plain_row(Span(words, "warn"), indent=""))
        rows.append(plain_row(indent=""))
        rows += [Row([Line(tuple(line))]) for line in stacked(figures, width)]
        rows += [self._legend(name, tokens) for name, tokens in figures.parts.items() if tokens]
        rows += [plain_row(), *self._words(), plain_row()]
        return [*rows, Row([heading("This session"), cost_table(self._costs)])]

    def _legend(self, name: str, tokens: int) -> Row:
        letter, style, words = PARTS.get(name, ("?", "muted", name.replace("_", " ")))
        share = f"{tokens / max(1, self._figures.next_request):>6.1%}"
        swatch = Span(f" {letter} ", f"{style} reverse")
        return plain_row(swatch, Span(f" {words:<32}{tokens:>9,}{share}"))

    def _words(self) -> list[Row]:
        figures = self._figures
        summed = f"{figures.session_input:,} input tokens sent since the last compaction"
        said = [f"{summed}, all calls added up (measured)", automatic_words(figures)]
        said.append(forecast_words(figures))
        if figures.cleared:
            said.append(
                f"{figures.cleared} old results are cleared, which saves about "
                f"{figures.cleared_tokens:,} tokens a request; recall brings them back"
            )
        rows = [
            Row([Line((Span(words),), (Span("· ", "muted"),), (Span("  "),))]) for words in said
        ]
        largest = max(figures.parts, key=figures.parts.__getitem__, default="")
        if largest:
            name = PARTS.get(largest, ("", "", largest))[2]
            advice = remedy(largest) if figures.percent >= _TIGHT else _ROOM
            words = f"The largest part is {name}. {advice}"
            rows.append(Row([Line((Span(words, "b"),), (Span("→ ", "accent b"),), (Span("  "),))]))
        return rows

    def hint(self) -> list[list[Span]]:
        """What comes next, by key or click."""
        spans: list[Span] = []
        for key, action, words in _KEYS:
            name = "," if key == "comma" else key
            spans += [Span(f"[{name} {words}]", "button", action), Span(" ")]
        return [spans, [Span("Up, Down scroll · Esc closes", "muted")]]

    def pressed(self, key: str) -> bool:
        """A key of the hint."""
        if key in self._ACTIONS:
            self.dismiss(self._ACTIONS[key])
        elif key == "enter":
            self.dismiss(None)
        else:
            return False
        return True

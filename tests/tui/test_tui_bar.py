"""The context bar in all its states: colours, tick, pulse, movement, words (W 8.1)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.app import App, ComposeResult

from neocode.tui.present import Facts, Gauge
from neocode.tui.text.lines import cells
from neocode.tui.themes import PALETTES, Palette, styles_for, textual_theme
from neocode.tui.widgets.context_bar import ContextBar, StatusLine, bar_spans, bar_words

FIGURES = {
    "empty": Gauge(maximum=200_000),
    "below": Gauge(used=90_000, maximum=200_000, estimated=False, cost=0.12),
    "over": Gauge(used=160_000, maximum=200_000, cost=None, compactions=2),
    "high": Gauge(used=191_000, maximum=200_000, cost=1.5, threshold=60),
    "too long": Gauge(used=260_000, maximum=200_000),
}


class Bars(App[None]):
    """Every state below another; nothing moves by itself."""

    CSS = "Screen { background: $background; } ContextBar, StatusLine { margin: 0 0 0 0; }"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.register_theme(textual_theme(palette))
        self.theme = f"neocode-{palette.name}"

    def compose(self) -> ComposeResult:
        """A bar and its status line for each state, and two frames of each that moves."""
        frames = [(gauge, False, 0) for gauge in FIGURES.values()]
        frames += [(FIGURES["high"], False, 2), (FIGURES["below"], True, 0)]
        frames += [(FIGURES["below"], True, 5)]
        for gauge, compacting, phase in frames:
            bar, status = ContextBar(), StatusLine()
            bar.gauge, bar.compacting, bar._phase = gauge, compacting, phase
            status.set_facts(gauge, Facts("sonnet", "ask", "main"))
            yield bar
            yield status


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_bar_in_all_states(snap_compare: Callable[..., bool], theme: str) -> None:
    palette = PALETTES[theme]  # type: ignore[index]
    assert snap_compare(Bars(palette), terminal_size=(80, 17))


def look(gauge: Gauge, **more: object) -> set[str]:
    """The styles of the bar's cells, the tick's left out."""
    spans = bar_spans(gauge, 100, **more)  # type: ignore[arg-type]
    return {span.style for span in spans if span.style != "m.tick"}


@pytest.mark.parametrize(
    ("percent", "style"),
    [(69, "m.ok"), (70, "m.ok"), (71, "m.warn"), (90, "m.warn"), (91, "m.error"), (130, "m.error")],
)
def test_the_colour_says_how_full_it_is(percent: int, style: str) -> None:
    """Green up to the threshold, orange up to 90 %, red above."""
    gauge = Gauge(used=percent * 1000, maximum=100_000)
    assert look(gauge) - {"m.track"} == {style}


def test_red_pulses_and_a_compaction_is_blue_and_moves() -> None:
    red, below = FIGURES["high"], FIGURES["below"]
    assert [look(red, phase=n) - {"m.track"} for n in (0, 2)] == [{"m.error"}, {"m.error2"}]
    frames = [bar_spans(below, 80, phase=n, compacting=True) for n in (0, 1)]
    assert frames[0] != frames[1]
    assert look(red, compacting=True) - {"m.track"} == {"m.blue", "m.blue2"}


@pytest.mark.parametrize(
    ("style", "color"), [("m.ok", "#67c23a"), ("m.warn", "#e6a23c"), ("m.error", "#f56c6c")]
)
@pytest.mark.parametrize("name", ["dark", "light", "high-contrast"])
def test_the_colours_are_the_contract_s_and_can_be_seen(name: str, style: str, color: str) -> None:
    """Exact in every theme, at 4.5:1 on what they lie on."""
    made = styles_for(name).get(style)
    assert made.color is not None
    assert made.color.name == color
    assert contrast(made) >= 4.5


@pytest.mark.parametrize("name", ["dark", "light", "high-contrast"])
def test_what_is_archived_can_still_be_read(name: str) -> None:
    for fill in ("", "user", "codeblock", "selected"):
        least = 3 if fill == "selected" else 4.5
        assert contrast(styles_for(name).get("archived", fill)) >= least


def contrast(style: Style) -> float:
    """The ratio of WCAG between a style's colours."""
    assert style.color is not None
    assert style.bgcolor is not None
    light, dark = sorted(
        (_luminance(c.get_truecolor()) for c in (style.color, style.bgcolor)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: tuple[int, int, int]) -> float:
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_tick_is_explained() -> None:
    on = bar_words(FIGURES["over"]._replace(auto=True), compacting=False)
    assert on.startswith("Automatic compaction threshold 70 % (140,000 tokens)")
    assert "about 160,000 of 200,000 tokens" in on
    off = bar_words(FIGURES["below"], compacting=False)
    assert "automatic compaction is off" in off
    assert "about" not in off
    assert "Esc stops" in bar_words(FIGURES["below"], compacting=True)


@given(
    st.integers(0, 400_000), st.integers(0, 200_000), st.integers(30, 95), st.integers(1, 300),
    st.integers(0, 50), st.booleans(),
)  # fmt: skip
def test_the_bar_is_as_wide_as_the_screen(
    used: int, maximum: int, threshold: int, width: int, phase: int, compacting: bool
) -> None:
    gauge = Gauge(used=used, maximum=maximum, threshold=threshold)
    spans = bar_spans(gauge, width, phase=phase, compacting=compacting)
    assert cells(spans) == width
    ticks = sum(span.style == "m.tick" for span in spans)
    assert ticks == (1 if maximum else 0)

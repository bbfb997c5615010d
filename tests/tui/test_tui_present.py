"""Figures and words of the screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from neocode.tui import present
from neocode.tui.fuzzy import best
from neocode.tui.present import Facts, Gauge
from neocode.tui.widgets.completions import Query, query_at
from neocode.tui.widgets.context_bar import bar_spans

GAUGE = Gauge(used=12_400, maximum=200_000, threshold=70, compactions=2, cost=None)
FACTS = Facts(model="sonnet", mode="ask", branch="main")


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0"), (999, "999"), (1000, "1k"), (12_400, "12.4k"), (99_960, "100k"), (200_000, "200k"),
     (999_600, "1M"), (1_500_000, "1.5M")],
)  # fmt: skip
def test_figure(count: int, shown: str) -> None:
    assert present.figure(count) == shown


def test_status_has_every_part_where_there_is_room() -> None:
    assert present.status_parts(GAUGE, FACTS, 200) == [
        "~12.4k/200k tokens", "threshold 70%", "compacted 2 times", "sonnet", "ask", "$?", "main",
    ]  # fmt: skip


@given(st.integers(10, 120))
def test_status_fits_and_keeps_the_tokens(width: int) -> None:
    parts = present.status_parts(GAUGE, FACTS, width)
    assert parts[0] == "~12.4k/200k tokens"
    assert len(parts) == 1 or sum(len(p) + 3 for p in parts) - 3 <= width


def test_unknown_cost_is_a_question_mark() -> None:
    assert present.money(None) == "$?"
    assert present.money(0.0123) == "$0.012"


gauges = st.builds(
    Gauge,
    used=st.integers(0, 300_000),
    maximum=st.integers(0, 200_000),
    threshold=st.integers(30, 95).map(float),
)


@given(gauges, st.integers(1, 250), st.integers(0, 500), st.booleans())
def test_bar_is_as_wide_as_the_screen(gauge: Gauge, width: int, phase: int, moving: bool) -> None:
    spans = bar_spans(gauge, width, phase=phase, compacting=moving)
    assert sum(cell_len(span.text) for span in spans) == width


@pytest.mark.parametrize(
    ("used", "level"), [(140_000, "ok"), (140_001, "warn"), (180_000, "warn"), (180_001, "error")]
)
def test_bar_changes_colour_at_the_threshold_and_at_90(used: int, level: str) -> None:
    gauge = GAUGE._replace(used=used)
    assert gauge.level == level
    assert bar_spans(gauge, 100)[0].style.split()[0] == f"m.{level}"


def test_bar_has_a_tick_at_the_threshold() -> None:
    text = "".join(span.text for span in bar_spans(GAUGE, 100))
    assert text.index("┿") == 70
    assert text.count("━") == 6


def test_compaction_words() -> None:
    done = {"applied": True, "removed_count": 1, "tokens_before": 1000, "tokens_after": 250}
    assert present.compact_done_words(done) == (
        "Context compacted · 1 message archived · 75 % of tokens saved"
    )
    assert present.compact_figures(done | {"duration_s": 6.2}) == "1k → 250 tokens · 6.2 s"
    assert "Nothing to compact" in present.compact_done_words({"applied": False})
    error = {"reason": "timeout", "message": "no answer in 120 s."}
    assert present.compact_error_words(error) == (
        "Compaction failed: no answer in 120 s. The conversation is unchanged."
    )
    assert "cancelled" in present.compact_error_words({"reason": "cancelled"})


def test_result_words() -> None:
    assert present.result_words("read", "a\nb\nc", False, {}) == "3 lines"
    assert present.result_words("bash", "x\ny", False, {"exit_status": 0}) == "2 lines"
    assert present.result_words("bash", "x", False, {"exit_status": 3}) == "exit 3"
    assert present.result_words("grep", "", False, {"matches": 1}) == "1 match"
    assert present.result_words("edit", "No match\nat all", True, {}) == "No match"


@pytest.mark.parametrize(
    ("before", "whole", "query"),
    [
        ("/co", "/co", Query("command", "co", 3)),
        ("/", "/", Query("command", "", 1)),
        ("/compact x", "/compact x", Query("argument", "x", 1, "compact")),
        (" /co", " /co", None),
        ("see @src/a", "see @src/a b", Query("file", "src/a", 6)),
        ("mail me@example", "mail me@example", None),
        ("@", "@", Query("file", "", 1)),
    ],
)
def test_what_is_completed(before: str, whole: str, query: Query | None) -> None:
    assert query_at(before, whole) == query


def test_fuzzy_prefers_the_name_itself() -> None:
    names = ["docs/application.md", "src/app.py", "tests/test_app.py", "a/p/p.txt"]
    assert best("app", names)[0] == "src/app.py"
    assert best("tap", names) == ["tests/test_app.py"]
    assert best("zzz", names) == []

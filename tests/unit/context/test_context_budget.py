"""The window's arithmetic (B17, B18, B22) and the measured size (B24, B26, B27)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.context.budget import (
    output_cap,
    output_reserve,
    percent_of,
    suggestion,
    threshold_tokens,
    usable_window,
)
from neocode.context.measure import Measured, measured_from, next_size
from tests.histories import assistant, session, summary, user

USAGE = {"input_tokens": 9000, "output_tokens": 500, "estimated": False}


@pytest.mark.parametrize(
    ("window", "max_output", "usable"),
    [
        (16_384, None, 12_288),
        (200_000, 64_000, 150_000),
        (8192, 8192, 6144),
        (128_000, 4096, 123_904),
    ],
)
def test_the_reserve_is_clamped_to_the_model(
    window: int, max_output: int | None, usable: int
) -> None:
    """B17: positive and sensible for each; 2k of history is far from any trigger."""
    assert usable_window(window, max_output) == usable
    assert threshold_tokens(window, 70) > 2000


@pytest.mark.parametrize(
    ("window", "max_output"), [(200_000, 64_000), (8192, 8192), (16_384, 9000)]
)
def test_at_the_trigger_input_and_output_fit_together(window: int, max_output: int) -> None:
    """B17: no refusal for input + output when the history is at the trigger."""
    prompt = threshold_tokens(window, 70)
    cap = output_cap(window, max_output, prompt)
    assert cap is not None
    assert cap >= 1024
    assert prompt + cap <= window


@given(st.integers(1024, 2_000_000), st.none() | st.integers(1, 500_000), st.integers(0, 2_000_000))
def test_caps_and_reserves_are_positive(window: int, most: int | None, prompt: int) -> None:
    assert 0 < output_reserve(window, most) <= window // 4
    cap = output_cap(window, most, prompt)
    assert (cap is None) == (most is None)
    assert cap is None or most is None or 0 < cap <= most


def test_unknown_output_leaves_the_limit_to_the_provider() -> None:
    assert output_cap(16_384, None, 100) is None


@given(st.integers(1024, 2_000_000), st.integers(30, 95))
def test_the_threshold_is_the_first_size_of_that_share(window: int, percent: int) -> None:
    tokens = threshold_tokens(window, percent)
    assert 100 * tokens >= percent * window > 100 * (tokens - 1)


def test_percent() -> None:
    assert percent_of(32_768, 65_536) == 50.0
    assert percent_of(5, 0) == 0.0


@pytest.mark.parametrize(
    ("trigger", "summed", "size", "wanted"),
    [
        ("session_input", 99_999, 90_000, None),
        ("session_input", 100_000, 10, "session_input"),
        ("context_window", 10**9, 69_999, None),
        ("context_window", 0, 70_000, "context_window"),
        ("either", 100_000, 10, "session_input"),
        ("either", 100_000, 70_000, "context_window"),
        ("either", 0, 0, None),
    ],
)
def test_which_trigger(trigger: str, summed: int, size: int, wanted: str | None) -> None:
    """B18, B22: the sum and the present size are two numbers, each with its own limit."""
    assert (
        suggestion(
            trigger,  # type: ignore[arg-type]
            session_input=summed,
            input_threshold=100_000,
            next_request=size,
            window_threshold=70_000,
        )
        == wanted
    )


def _measured(estimate: int | None = None) -> Measured:
    return Measured(
        input_tokens=1000, output_tokens=100, message_id="a", model="m", estimate=estimate
    )


def test_the_providers_figure_wins_and_only_the_rest_is_estimated() -> None:
    size = next_size(_measured(), raw=5000, raw_reply=90, raw_added=50, ratio=2.0)
    assert (size.tokens, size.estimated) == (1200, True)


def test_nothing_added_is_measured() -> None:
    size = next_size(_measured(), raw=5000, raw_reply=90, raw_added=0, ratio=2.0)
    assert (size.tokens, size.estimated) == (1100, False)


def test_the_meter_falls_when_the_request_became_smaller() -> None:
    """B27: after a moved edge or a compaction the old figure is corrected at once."""
    size = next_size(_measured(900), raw=390, raw_reply=90, raw_added=0, ratio=1.0)
    assert (size.tokens, size.estimated) == (500, True)


def test_without_a_figure_the_corrected_estimate_counts() -> None:
    """B24."""
    zero = Measured(input_tokens=0, output_tokens=0, message_id="a", model="m")
    for measured in (None, zero):
        size = next_size(measured, raw=500, raw_reply=0, raw_added=0, ratio=1.5)
        assert (size.tokens, size.estimated) == (750, True)


def test_the_stored_figure_of_the_newest_reply_is_found_again() -> None:
    old = assistant("a1", "x", metadata={"usage": {"input_tokens": 1}, "model": "m"})
    reply = assistant("a2", "y", metadata={"usage": USAGE, "model": "m"})
    found = measured_from(session(user("u", "hi"), old, reply, user("v", "so")), "openai/m", "m")
    assert found == Measured(
        input_tokens=9000, output_tokens=500, message_id="a2", model="openai/m"
    )


@pytest.mark.parametrize(
    "details",
    [
        {"usage": {"input_tokens": 0, "output_tokens": 0}, "model": "m"},
        {"usage": {**USAGE, "estimated": True}, "model": "m"},
        {"usage": USAGE, "model": "another"},
        {"model": "m"},
    ],
)
def test_figures_that_say_nothing_are_left_out(details: dict[str, object]) -> None:
    """B24, B26: silent servers, our own estimates, another model's replies."""
    reply = assistant("a", "y", metadata=details)
    assert measured_from(session(user("u", "hi"), reply), "openai/m", "m") is None


def test_a_figure_from_before_a_compaction_is_stale() -> None:
    """B27."""
    reply = assistant("a", "y", metadata={"usage": USAGE, "model": "m"})
    later = summary("s", "[compact_summary]")
    object.__setattr__(later, "created_at", "2026-12-30T00:00:00.000000Z")
    assert measured_from(session(later, user("u", "hi"), reply), "openai/m", "m") is None
    assert measured_from(session(), "openai/m", "m") is None

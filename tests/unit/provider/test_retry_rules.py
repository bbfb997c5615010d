"""When a call is tried again (B59)."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.config.schema import RetryConfig
from neocode.domain.errors import (
    ContextTooLong,
    PermanentError,
    ProviderError,
    StreamBroken,
    TransientError,
)
from neocode.provider.retry import next_wait, retry_after_seconds

NOW = 1_790_000_000.0


def busy(retry_after: float | None = None) -> TransientError:
    return TransientError("busy", kind="rate_limit", retry_after=retry_after)


@given(st.integers(1, 60), st.floats(0, 1), st.floats(0, 600))
def test_waits_grow_with_chance_and_never_pass_the_limit(
    attempt: int, chance: float, most: float
) -> None:
    config = RetryConfig(max_attempts=100, max_wait_s=most)
    wait = next_wait(attempt, busy(), config, lambda: chance)
    assert wait is not None
    assert 0 <= wait <= most
    longest_before = next_wait(max(1, attempt - 2), busy(), config, lambda: 1.0)
    assert longest_before is not None
    assert wait >= min(most, longest_before * 0.999) or attempt < 3


def test_retry_after_is_obeyed_and_an_hour_stops() -> None:
    """B59: seconds as told; more than the limit is asked about instead of waited for."""
    config = RetryConfig()
    assert next_wait(1, busy(7.0), config, lambda: 0.5) == 7.0
    assert next_wait(1, busy(0.0), config, lambda: 0.5) == 0.0
    assert next_wait(1, busy(3600.0), config, lambda: 0.5) is None


def test_tries_end_after_the_set_number() -> None:
    config = RetryConfig(max_attempts=3)
    assert next_wait(2, busy(), config, lambda: 0.5) is not None
    assert next_wait(3, busy(), config, lambda: 0.5) is None


@pytest.mark.parametrize(
    "error",
    [PermanentError("no", kind="auth"), StreamBroken("half"), ContextTooLong("long")],
)
def test_only_what_may_pass_is_tried_again(error: ProviderError) -> None:
    assert next_wait(1, error, RetryConfig(), lambda: 0.5) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("20s", 20.0),
        ("0", 0.0),
        ("-3", 0.0),
        ("", None),
        (None, None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_a_retry_after_header(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


def test_a_retry_after_date() -> None:
    date = format_datetime(datetime.fromtimestamp(NOW + 90, UTC), usegmt=True)
    assert retry_after_seconds(date, NOW) == pytest.approx(90)


@given(st.text(max_size=40))
def test_any_header_is_read_without_a_fault(header: str) -> None:
    seconds = retry_after_seconds(header, NOW)
    assert seconds is None or seconds >= 0

"""When a failed call is tried again (spec/safety "Providers", B59)."""

from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

from neocode.config.schema import RetryConfig
from neocode.domain.errors import ProviderError, TransientError

FIRST_WAIT_S = 1.0


def next_wait(
    attempt: int, error: ProviderError, config: RetryConfig, random: Callable[[], float]
) -> float | None:
    """Seconds to wait before the next try, or None when there shall be none.

    attempt: how many tries have failed, from 1. random: returns 0.0 to 1.0.
    Only a TransientError is tried again. A Retry-After is obeyed; one longer than
    config.max_wait_s ends the tries. Else waits double from 1 s, up to max_wait_s,
    each between three quarters and five quarters of its length.
    """
    if not isinstance(error, TransientError) or attempt >= config.max_attempts:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= config.max_wait_s else None
    grown = FIRST_WAIT_S * 2.0 ** min(attempt - 1, 30)
    return min(float(config.max_wait_s), grown * (0.75 + 0.5 * random()))


def retry_after_seconds(header: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks for: a number or an HTTP date; never negative.

    now: Unix time in seconds. None when there is no header or it cannot be read.
    """
    if not header or not header.strip():
        return None
    text = header.strip().removesuffix("s")
    try:
        seconds = float(text)
    except ValueError:
        seconds = _until(header.strip(), now)
    return max(0.0, seconds) if seconds == seconds and seconds != float("inf") else None


def _until(date: str, now: float) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return float("nan")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp() - now

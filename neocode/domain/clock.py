"""Time and ids, as values that can be injected."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], str]
"""Returns the time now as RFC 3339, UTC, with microseconds."""


def utc_now() -> str:
    """The time now, as 2026-11-30T15:04:22.123456Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def new_id(prefix: str) -> str:
    """A fresh id such as m_481516234215108: the prefix and 15 digits.

    Digits, because tokenizers take three of them at once: ids that the model must see
    cost half of what hexadecimal ones do.
    """
    return f"{prefix}_{secrets.randbelow(10**15):015d}"

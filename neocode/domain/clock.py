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
    """A fresh id such as m_1f3a9c0b7d2e: the prefix and 12 hex digits."""
    return f"{prefix}_{secrets.token_hex(6)}"

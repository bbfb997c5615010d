"""Keys and tokens are masked on the way to disk (spec/safety "Secrets")."""

import re
from collections.abc import Sequence

_PROVIDER_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")


def mask(text: str, values: Sequence[str] = ()) -> str:
    """The text with known key shapes, and the given values, replaced by a mark."""
    for value in values:
        text = text.replace(value, "[masked]")
    return _PROVIDER_KEY.sub("[masked]", text)

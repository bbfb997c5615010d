"""JSON as Python values."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]
"""A decoded JSON object; read-only by agreement, so that it can be shared."""

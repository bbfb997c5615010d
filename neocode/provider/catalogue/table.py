"""A small table of common models, known without a network and without litellm.

Public facts as of November 2026; litellm's larger map is asked once it is there, and the
configuration stands above both. Names are matched by their longest beginning, after the
provider's prefix.
"""

from collections.abc import Mapping
from typing import Any

_COLUMNS = (
    "max_input_tokens",
    "max_output_tokens",
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "supports_vision",
)
# name: window, output, then USD a million tokens: input, output, cached, written; vision
_ROWS: dict[str, tuple[Any, ...]] = {
    "claude-haiku-4-5": (200_000, 64_000, 1, 5, 0.1, 1.25, True),
    "claude-opus-4-5": (200_000, 64_000, 5, 25, 0.5, 6.25, True),
    "claude-opus-4-6": (1_000_000, 128_000, 5, 25, 0.5, 6.25, True),
    "claude-opus-4-7": (1_000_000, 128_000, 5, 25, 0.5, 6.25, True),
    "claude-opus-4-8": (1_000_000, 128_000, 5, 25, 0.5, 6.25, True),
    "claude-opus-5": (1_000_000, 128_000, 5, 25, 0.5, 6.25, True),
    "claude-opus-5-5": (1_000_000, 128_000, 4, 20, 0.2, 5, True),
    "claude-sonnet-4-5": (200_000, 64_000, 3, 15, 0.3, 3.75, True),
    "claude-sonnet-4-6": (1_000_000, 128_000, 3, 15, 0.3, 3.75, True),
    "claude-sonnet-5": (1_000_000, 128_000, 2, 10, 0.2, 2.5, True),
    "claude-sonnet-5-5": (1_000_000, 128_000, 2, 10, 0.1, 2.5, True),
    "gpt-4.1": (1_047_576, 32_768, 2, 8, 0.5, None, True),
    "gpt-4.1-mini": (1_047_576, 32_768, 0.4, 1.6, 0.1, None, True),
    "gpt-4o": (128_000, 16_384, 2.5, 10, 1.25, None, True),
    "gpt-4o-mini": (128_000, 16_384, 0.15, 0.6, 0.075, None, True),
    "gpt-5": (272_000, 128_000, 1.25, 10, 0.125, None, True),
    "gpt-5-mini": (272_000, 128_000, 0.25, 2, 0.025, None, True),
    "gpt-5.1": (272_000, 128_000, 1.25, 10, 0.125, None, True),
    "gpt-5.2": (272_000, 128_000, 1.75, 14, 0.175, None, True),
    "gpt-5.4": (1_050_000, 128_000, 2.5, 15, 0.25, None, True),
    "gpt-5.4-mini": (272_000, 128_000, 0.75, 4.5, 0.075, None, True),
    "gpt-5.5": (1_050_000, 128_000, 5, 30, 0.5, None, True),
    "gpt-oss-120b": (131_072, 65_536, None, None, None, None, False),
    "gemini-2.5-flash": (1_048_576, 65_536, 0.3, 2.5, 0.03, None, True),
    "gemini-2.5-pro": (1_048_576, 65_536, 1.25, 10, 0.125, None, True),
    "gemini-3.1-pro": (1_048_576, 65_536, 2, 12, 0.2, None, True),
    "gemini-3.5-flash": (1_048_576, 65_536, 1.5, 9, 0.15, None, True),
    "deepseek-chat": (131_072, 8_192, 0.28, 0.42, 0.028, None, False),
    "deepseek-reasoner": (131_072, 65_536, 0.28, 0.42, 0.028, None, False),
    "devstral": (256_000, None, 0.4, 2, 0.04, None, False),
    "codestral": (128_000, None, 0.3, 0.9, 0.03, None, False),
    "mistral-large": (262_144, None, 0.5, 1.5, 0.05, None, True),
    "mistral-medium": (262_144, None, 1.5, 7.5, 0.15, None, True),
    "qwen3-coder-plus": (997_952, 65_536, None, None, None, None, False),
    "qwen3-max": (258_048, 65_536, None, None, None, None, False),
    "qwen-plus": (129_024, 16_384, 0.4, 1.2, None, None, False),
    "grok-code-fast-1": (256_000, None, 1, 2, 0.2, None, True),
    "kimi-k2": (262_144, None, None, None, None, None, False),
    "glm-4.5": (128_000, 32_000, 0.6, 2.2, None, None, False),
    "glm-4.6": (200_000, 128_000, 0.6, 2.2, 0.11, None, False),
    "glm-5": (200_000, 128_000, 1, 3.2, 0.2, None, False),
}
_UNPRICED = ("groq/", "openrouter/", "together_ai/", "fireworks_ai/", "ollama", "lm_studio/")
"""Prefixes of resellers: the maker's price does not hold there."""


def facts_of(model_id: str) -> Mapping[str, Any]:
    """The row for a model in litellm's field names and units; empty when there is none."""
    name = model_id.rpartition("/")[2].lower()
    fitting = [known for known in _ROWS if _fits(name, known)]
    if not fitting:
        return {}
    row = dict(zip(_COLUMNS, _ROWS[max(fitting, key=len)], strict=True))
    for column in _COLUMNS[2:6]:
        priced = row[column] is not None and not model_id.startswith(_UNPRICED)
        row[column] = row[column] / 1e6 if priced else None
    return row


def _fits(name: str, known: str) -> bool:
    """The name itself, or a version of it: claude-sonnet-5-20261001, qwen-plus-latest."""
    if not name.startswith(known):
        return False
    rest = name[len(known) :]
    return not rest or rest.startswith(("-20", "-latest", "-preview", "-0", "-2", "@", ":"))

"""Read what providers report as usage, each in its own shape (spec/context 3, B22, B24)."""

from collections.abc import Mapping
from typing import Any

from neocode.domain.usage import Usage


def read_usage(reported: Mapping[str, Any] | None) -> Usage | None:
    """One call's usage with the cached part of the input counted exactly once.

    Knows OpenAI's, Anthropic's, Gemini's and DeepSeek's fields. None when nothing was
    reported, or no input at all: a server that sends zeros did not count.
    """
    if not reported:
        return None
    cached = _cached(reported)
    written = _written(reported)
    total = _input(reported, cached, written)
    if total <= 0:
        return None
    return Usage(
        input_tokens=total,
        output_tokens=_output(reported),
        cached_tokens=min(cached, total),
        cache_write_tokens=min(written, max(0, total - cached)),
        api_calls=1,
    )


def _input(reported: Mapping[str, Any], cached: int, written: int) -> int:
    """The whole prompt. Anthropic, and some proxies in OpenAI's shape, count the rest only."""
    if "promptTokenCount" in reported:
        return _int(reported, "promptTokenCount")
    if "prompt_tokens" not in reported and _is_anthropic(reported):
        return _int(reported, "input_tokens") + cached + written
    total = _int(reported, "prompt_tokens") or _int(reported, "input_tokens")
    return total if total >= cached + written else total + cached + written


def _is_anthropic(reported: Mapping[str, Any]) -> bool:
    return "cache_read_input_tokens" in reported or "cache_creation_input_tokens" in reported


def _cached(reported: Mapping[str, Any]) -> int:
    details = _details(reported)
    return (
        _int(details, "cached_tokens")
        or _int(reported, "cache_read_input_tokens")
        or _int(reported, "prompt_cache_hit_tokens")
        or _int(reported, "cachedContentTokenCount")
        or _int(reported, "cached_tokens")
    )


def _written(reported: Mapping[str, Any]) -> int:
    details = _details(reported)
    return (
        _int(reported, "cache_creation_input_tokens")
        or _int(details, "cache_creation_tokens")
        or _int(details, "cache_write_tokens")
    )


def _output(reported: Mapping[str, Any]) -> int:
    if "candidatesTokenCount" in reported or "thoughtsTokenCount" in reported:
        return _int(reported, "candidatesTokenCount") + _int(reported, "thoughtsTokenCount")
    return _int(reported, "completion_tokens") or _int(reported, "output_tokens")


def _details(reported: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("prompt_tokens_details", "input_tokens_details"):
        found = reported.get(key)
        if isinstance(found, Mapping):
            return found
    return {}


def _int(values: Mapping[str, Any], key: str) -> int:
    value = values.get(key)
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0

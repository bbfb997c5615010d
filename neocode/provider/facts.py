"""What litellm's model map says about a model, taken over with care. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neocode.domain.model import ModelInfo
from neocode.domain.usage import Price


def with_facts(info: ModelInfo, known: Mapping[str, Any]) -> ModelInfo:
    """Info with its gaps filled; nothing that is known better is replaced (B25)."""
    window, output = known.get("max_input_tokens"), known.get("max_output_tokens")
    if info.window_source == "default" and isinstance(window, int) and window > 0:
        info = replace(info, window=window, window_source="catalogue")
    if info.max_output is None and isinstance(output, int) and output > 0:
        info = replace(info, max_output=output)
    if info.price is None and not info.api_base:
        info = replace(info, price=_price(known))
    return replace(info, vision=info.vision or bool(known.get("supports_vision")))


def _price(known: Mapping[str, Any]) -> Price | None:
    """USD a million tokens; None where the map knows none: zero there means unknown (B60)."""
    names = {
        "input": "input_cost_per_token",
        "output": "output_cost_per_token",
        "cached_input": "cache_read_input_token_cost",
        "cache_write": "cache_creation_input_token_cost",
    }
    costs = {key: known.get(name) for key, name in names.items()}
    if not costs["input"] and not costs["output"]:
        return None
    return Price(**{k: v * 1e6 for k, v in costs.items() if isinstance(v, (int, float))})

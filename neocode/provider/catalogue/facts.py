"""What a model map says about a model (litellm's field names), taken over with care."""

import functools
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
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


def from_bundle(info: ModelInfo) -> ModelInfo:
    """Info with its gaps filled from the map that lies in litellm's wheel.

    litellm is not imported; the first call reads 2 MB of JSON (about 40 ms). A server on
    this machine is left alone: its model may bear a well-known name and another window.
    """
    if is_loopback(info.api_base):
        return info
    known = _bundle()
    entry = known.get(info.id) or known.get(info.id.partition("/")[2])
    return with_facts(info, entry) if entry else info


def is_loopback(address: str | None) -> bool:
    """True for the address of a server on this machine."""
    if not address:
        return False
    host = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return host.startswith(("127.", "localhost", "[::1]", "0.0.0.0"))


@functools.cache
def _bundle() -> Mapping[str, Any]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).with_name("model_prices_and_context_window_backup.json")
    try:
        found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


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

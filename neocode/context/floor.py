"""The floor: what no compaction can make smaller (spec/context 4 and 12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo

_FIXED = ("system", "instructions", "tools", "task_state", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Why nothing may be sent. parts: tokens by name, newest_message among them."""

    parts: dict[str, int]
    window: int

    @property
    def total(self) -> int:
        """Tokens that cannot be compacted."""
        return sum(self.parts.values())

    @property
    def largest(self) -> str:
        """Name of the largest part."""
        return max(self.parts, key=self.parts.__getitem__)


def floor_parts(
    counter: TokenCounter, model: ModelInfo, raw: Mapping[str, int], messages: Sequence[Message]
) -> dict[str, int]:
    """Tokens of what always stays, corrected for the model, for the floor message."""
    newest = next((m for m in reversed(messages) if m.role == "user"), None)
    parts = {name: raw[name] for name in _FIXED}
    parts["newest_message"] = counter.count_message(newest, model.id) if newest else 0
    return {name: counter.scaled(model.id, tokens) for name, tokens in parts.items()}


def find_floor(
    counter: TokenCounter, model: ModelInfo, raw: Mapping[str, int], messages: Sequence[Message]
) -> Floor | None:
    """The floor when it does not fit the window; None while it does.

    A window that is only the cautious default refuses nothing: the real one may be larger.
    """
    if model.window_source == "default":
        return None
    parts = floor_parts(counter, model, raw, messages)
    floor = Floor(parts=parts, window=model.window)
    return floor if floor.total >= model.window else None

"""The tokens of a request by part (spec/context 4)."""

from collections.abc import Mapping, Sequence

from neocode.context.preamble import Preamble
from neocode.context.sources import SystemParts, render_own
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.tooling import ToolSpec


def count_parts(
    counter: TokenCounter,
    model_id: str,
    system: SystemParts,
    tools: Sequence[ToolSpec],
    preamble: Preamble,
    messages: Sequence[Message],
) -> dict[str, int]:
    """Raw tokens of each part; the user's archived words count with the summary."""
    spoken = results = 0
    counts = counter.count_each(messages, model_id)
    for message, count in zip(messages, counts, strict=True):
        if message.role == "tool":
            results += count
        else:
            spoken += count
    state = counter.count_part(preamble.state, model_id)
    whole = counter.count_part(preamble.text, model_id)
    return {
        "system": counter.count_part(render_own(system), model_id),
        "instructions": counter.count_part(system.instructions, model_id),
        "tools": counter.count_tools(tools, model_id),
        "task_state": state if preamble.summary else whole,
        "summary": whole - state if preamble.summary else 0,
        "messages": spoken,
        "tool_results": results,
    }


def spread(raw: Mapping[str, int], total: int) -> dict[str, int]:
    """The parts scaled so that they add up to total exactly; the largest takes the rest."""
    before = sum(raw.values())
    if before <= 0:
        return dict(raw)
    scaled = {name: count * total // before for name, count in raw.items()}
    largest = max(scaled, key=scaled.__getitem__)
    scaled[largest] += total - sum(scaled.values())
    return scaled

"""How a recording is played. Pure; depends on nothing but what it is given."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from neocode.compact.cut import shorten
from neocode.config.schema import ContextConfig, Strategy
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.task_state import TaskState

DEFAULT_WINDOW = 200_000
GOAL_CHARS = 1000
PLAYED = ModelInfo(
    name="replay", id="replay", window=DEFAULT_WINDOW, window_source="config", max_output=None
)
"""Stands for the model of a recording when none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """What happens on the way.

    model: whose window, prices and tokenizer are used, and who is asked for summaries.
    strategy: None never compacts. by_code: summaries are made without a model.
    at: compact by force before this step (1-based); 0 after the last message; None: only
    when context.auto_compact, then enabled, is due.
    """

    context: ContextConfig = field(default_factory=ContextConfig)
    model: ModelInfo = PLAYED
    strategy: Strategy | None = None
    by_code: bool = True
    at: int | None = None

    def plain(self) -> "ReplayOptions":
        """The same without any clearing or compaction: everything is sent every time."""
        compact = replace(self.context.compact, micro_compact_disabled=True)
        auto = replace(self.context.auto_compact, enabled=False)
        context = replace(self.context, compact=compact, auto_compact=auto)
        return replace(self, context=context, strategy=None, at=None)


def opening_state(messages: Sequence[Message]) -> TaskState:
    """The TaskState that a replay begins with: the first prompt as the goal.

    Micro compact acts only when a state is established; sessions of this program get one
    by /task, by a pinned rule or by their first compaction.
    """
    first = next((m.content for m in messages if m.role == "user" and m.content.strip()), "")
    return TaskState(goal=shorten(first.strip(), GOAL_CHARS) or "go on with the recorded task")

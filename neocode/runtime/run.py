"""One run and everything it works with: what the loop needs of the engine, as protocols."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from neocode.context.builder import BuildResult
from neocode.domain.errors import ContextTooLong, NeoCodeError
from neocode.domain.events import NoticeLevel, RuntimeEvent
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Usage
from neocode.provider.base import ModelRequest, Reply
from neocode.runtime.inbox import Inbox, Prompt
from neocode.runtime.live import LiveSession
from neocode.runtime.tool_calls import ToolRunner
from neocode.runtime.turn import Turn


class Shrinker(Protocol):
    """The compactions a run may ask for; each says whether the request became smaller."""

    async def auto(self, reason: str) -> bool:
        """Before a call, when the build suggests it; within auto_compact.max_per_run."""
        ...

    async def model_changed(self, built: BuildResult) -> bool:
        """Before a call, when a model with a smaller window is to read the history."""
        ...

    async def reactive(self, refusal: ContextTooLong) -> bool:
        """After a refusal; once a run."""
        ...


class Surroundings(Protocol):
    """What the engine knows that a run needs anew at each step."""

    def current_model(self) -> ModelInfo:
        """The model that answers now; raises ProviderError "no_model"."""
        ...

    async def build(self) -> tuple[BuildResult, ModelRequest]:
        """The next request; repairs and a moved edge are stored."""
        ...

    def account(self, reply: Reply, model: ModelInfo, built: BuildResult) -> Usage:
        """Count an answered call: usage, cost, counters; stored with its message."""
        ...

    def account_lost(self, usage: Usage, model: ModelInfo) -> dict[str, object]:
        """Count calls that brought no answer; what it cost, as their message keeps it."""
        ...

    def answered(
        self, message: Message, usage: Usage, model: ModelInfo, built: BuildResult
    ) -> None:
        """The reply is on disk; its usage measures the request it answered."""
        ...

    async def expand(self, prompt: Prompt) -> Prompt:
        """The prompt with its @path mentions filled in, pictures among them."""
        ...

    def floor(self, built: BuildResult, model: ModelInfo, refused: str = "") -> NeoCodeError:
        """The floor message (spec/context 12)."""
        ...

    def refresh(self) -> None:
        """Publish a token_update."""
        ...

    def say_once(
        self, key: str, message: str, *, kind: str = "window", level: NoticeLevel = "info"
    ) -> None:
        """A notice, once while the program runs."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Ends of a run; None: none. max_turns: model calls. max_cost: USD."""

    max_turns: int | None = None
    max_cost: float | None = None


@dataclass(slots=True)
class Run:
    """One prompt's run and everything it works with."""

    live: LiveSession
    turn: Turn
    tools: ToolRunner
    inbox: Inbox
    around: Surroundings
    shrinker: Shrinker
    emit: Callable[[RuntimeEvent], None]
    limits: Limits = Limits()
    usage: Usage = field(default_factory=Usage)
    cost_before: float | None = None
    answer: str = ""
    calls: int = 0

    @property
    def cost_usd(self) -> float | None:
        """What this run cost so far; None when a price is not known."""
        now = self.live.state.cost_usd
        return None if now is None or self.cost_before is None else now - self.cost_before

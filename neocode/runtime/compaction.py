"""When to compact, and the swap of the session in front (spec/context 6)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, Protocol

from neocode.compact.result import CompactOrder, CompactResult, Preview
from neocode.config.schema import ContextConfig, Strategy
from neocode.context.budget import usable_window
from neocode.context.builder import BuildResult
from neocode.domain.errors import Cancelled, ContextTooLong
from neocode.domain.events import NoticeEvent, RuntimeEvent, SessionChanged, TriggerMode
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.runtime.around import Around
from neocode.runtime.figures import spending_to_json
from neocode.runtime.live import LiveSession
from neocode.runtime.settings import Settings

COMPACT_FIRST = "compact first"
SEND_ANYWAY = "send it as it is"
GO_BACK = "go back"
STOPPED = "Compaction stopped; nothing changed."
log = logging.getLogger(__name__)
Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]
Wanted = Strategy | Literal["extractive"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks of a manual compaction beside what is configured.

    strategy: "extractive" asks no model. keep: in place of manual_keep_recent_messages.
    """

    focus: str = ""
    strategy: Wanted | None = None
    keep: int | None = None


class Runner(Protocol):
    """The compact layer's runner; it emits the three events itself."""

    def run(self, session: SessionState, order: CompactOrder) -> Awaitable[CompactResult]:
        """Compact; on any failure or cancel the given session comes back."""
        ...

    def preview(self, session: SessionState, order: CompactOrder) -> Preview:
        """What it would do; writes nothing, asks nobody."""
        ...


@dataclass(slots=True)
class Compactor:
    """Implements loop.Shrinker, and the manual mode.

    is_running: the session is being compacted now. ask: puts a question to the user, or
    None without a screen.
    """

    runner: Runner
    live: LiveSession
    settings: Settings
    around: Around
    emit: Callable[[RuntimeEvent], None]
    ask: Ask | None = None
    is_running: bool = False
    _asked: bool = False
    _auto_left: int = field(default=0)
    _reactive_left: int = field(default=0)

    def new_run(self) -> None:
        """A run begins: what it may do by itself is there again."""
        self._auto_left = self.settings.config.context.auto_compact.max_per_run
        self._reactive_left = 1
        self._asked = False
        self.around.auto_possible = True

    async def manual(self, wish: Wish) -> CompactResult:
        """/compact, `neocode compact`, the button."""
        return await self._compact("manual", wish)

    async def auto(self, reason: str) -> bool:
        """Before a call, when the build suggests it: enabled, not paused, within max_per_run."""
        auto = self.settings.config.context.auto_compact
        if not auto.enabled or self.live.state.auto_paused or self._auto_left <= 0:
            return False
        self._auto_left -= 1
        log.info("automatic compaction: %s", reason)
        result = await self._compact("auto")
        if not result.applied:
            self._auto_left = 0  # what failed or had nothing to do would do so again
        self.around.auto_possible = result.applied and self._auto_left > 0
        if result.applied and result.session.auto_paused:
            self._say_paused()
        return result.applied

    async def model_changed(self, built: BuildResult) -> bool:
        """Before a call, when a model with a smaller window is to read what another one read.

        Automatic mode takes that for its threshold; else the user is asked, once a run,
        about what would not fit. Raises Cancelled when they go back.
        """
        model = self.around.current_model()
        if not self._is_smaller(model):
            return False
        if self.settings.config.context.auto_compact.enabled:
            if built.total < built.threshold_tokens or built.auto_compact_suggested:
                return False
            return await self.auto("a model with a smaller window")
        room = usable_window(model.window, model.max_output)
        if built.total <= room or self._asked or self.ask is None:
            return False
        self._asked = True
        answer = await self.ask(
            f"The conversation is about {built.total:,} tokens; {model.name} takes {room:,}. "
            "What should happen?",
            (COMPACT_FIRST, SEND_ANYWAY, GO_BACK),
        )
        if answer == COMPACT_FIRST:
            return (await self._compact("manual")).applied
        if answer != SEND_ANYWAY:
            raise Cancelled("Not sent.", hint="/model goes back to the model from before.")
        return False

    def _is_smaller(self, model: ModelInfo) -> bool:
        """True when the model that answered last had a larger window."""
        last = self.live.state.model
        before = next((known for known in self.settings.models if known.name == last), None)
        return before is not None and last != model.name and before.window > model.window

    async def reactive(self, refusal: ContextTooLong) -> bool:
        """After a refusal for length; the rescue is on even when automatic mode is off."""
        self.around.learn_window(self.around.current_model(), refusal.limit)
        if self._reactive_left <= 0:
            return False
        self._reactive_left -= 1
        self.emit(
            NoticeEvent(
                kind="reactive",
                message="The request was refused as too long; the context is compacted and the "
                "request sent once more.",
                level="warning",
            )
        )
        return (await self._compact("reactive")).applied

    def preview(self, wish: Wish) -> Preview:
        """What a manual compaction would do; raises CompactFailure where it would fail."""
        return self.runner.preview(self.live.state, self._order("manual", wish))

    async def _compact(self, mode: TriggerMode, wish: Wish = Wish()) -> CompactResult:
        try:
            result = await self._swap(self._order(mode, wish))
        except asyncio.CancelledError:
            stopped: dict[str, object] = {
                "trigger_mode": mode,
                "reason": "cancelled",
                "message": STOPPED,
            }
            await self.live.notice("compact_error", stopped)
            raise
        if result.applied:
            self.around.measured = None
            self.emit(SessionChanged(reason="compacted"))
        elif result.usage.api_calls:
            await self.live.change(lambda now: now.add_cost(result.usage, result.cost_usd))
        await self._keep_notice(result)
        self.around.refresh()
        return result

    async def _swap(self, order: CompactOrder) -> CompactResult:
        """The compaction itself; the user's edits wait until the history is replaced."""
        async with self.live.held:
            self.is_running = True
            try:
                result = await self.runner.run(self.live.state, order)
            finally:
                self.is_running = False
            if result.applied:
                self.live.state = result.session
        return result

    def _order(self, mode: TriggerMode, wish: Wish) -> CompactOrder:
        model = self.settings.model
        prefix = None
        if model is not None:
            prefix = self.around.request(self.around.look())
        return CompactOrder(
            mode=mode,
            context=_with_keep(self.settings.config.context, wish.keep),
            model=model,
            models=tuple(self.settings.models),
            focus=wish.focus,
            strategy=None if wish.strategy == "extractive" else wish.strategy,
            by_code=wish.strategy == "extractive",
            prefix=prefix,
        )

    async def _keep_notice(self, result: CompactResult) -> None:
        """The row on the screen comes back on reload (spec/tui)."""
        if result.error is not None:
            spent = spending_to_json(result.usage, result.cost_usd)
            await self.live.notice("compact_error", _payload(result.error) | spent)
        elif result.done is not None and result.done.applied:
            await self.live.notice("compact_done", _payload(result.done))

    def _say_paused(self) -> None:
        self.emit(
            NoticeEvent(
                kind="auto_paused",
                message="Two automatic compactions in a row freed under 10 %; automatic "
                "compaction pauses for this session. /context shows what takes the room.",
                level="warning",
            )
        )


def _with_keep(context: ContextConfig, keep: int | None) -> ContextConfig:
    if keep is None:
        return context
    compact = replace(context.compact, manual_keep_recent_messages=max(1, keep))
    return replace(context, compact=compact)


def _payload(event: object) -> dict[str, object]:
    data: dict[str, object] = asdict(event)  # type: ignore[call-overload]
    data.pop("session_id", None)
    data.pop("at", None)
    return data

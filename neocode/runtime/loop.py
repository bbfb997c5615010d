"""Run one prompt to its end: build, call, tools, repeat (spec/context 6, spec/safety).

The loop is a function over a Run. Whatever happens, the history on disk stays valid:
a cancelled or broken answer keeps its text, every call has its result, and the front
end gets exactly one run_finished, after a run_error where something failed.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from neocode.context.builder import BuildResult
from neocode.domain.errors import (
    Cancelled,
    ContextTooLong,
    NeoCodeError,
    PermanentError,
    ProviderError,
    StreamBroken,
)
from neocode.domain.events import (
    MessageEvent,
    NoticeEvent,
    RunError,
    RunFinished,
    RunStarted,
    RuntimeEvent,
    StopReason,
)
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Usage
from neocode.provider.assemble import tool_calls
from neocode.provider.base import ModelRequest, Reply
from neocode.runtime.inbox import Inbox, Prompt
from neocode.runtime.live import LiveSession
from neocode.runtime.tool_calls import ToolRunner
from neocode.runtime.turn import Turn

MALFORMED_IN_A_ROW = 3
log = logging.getLogger(__name__)


class Shrinker(Protocol):
    """The compactions a run may ask for; each says whether the request became smaller."""

    async def auto(self, reason: str) -> bool:
        """Before a call, when the build suggests it; within auto_compact.max_per_run."""
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

    def answered(
        self, message: Message, usage: Usage, model: ModelInfo, built: BuildResult
    ) -> None:
        """The reply is on disk; its usage measures the request it answered."""
        ...

    def expand(self, prompt: Prompt) -> str:
        """The prompt with its @path mentions filled in."""
        ...

    def floor(self, built: BuildResult, model: ModelInfo) -> NeoCodeError:
        """The floor message (spec/context 12)."""
        ...

    def refresh(self) -> None:
        """Publish a token_update."""
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


async def run_prompt(run: Run, prompt: Prompt) -> StopReason:
    """Everything that follows one user prompt until the turn is the user's again."""
    compactions = run.live.state.compactions
    run.cost_before = run.live.state.cost_usd
    stop: StopReason = "error"
    try:
        await _open(run, prompt)
        stop = await _steps(run)
    except (asyncio.CancelledError, Cancelled):
        stop = "cancelled"
    except ProviderError as error:
        run.emit(RunError(kind=error.kind, message=error.message, hint=error.hint))
    except NeoCodeError as error:
        kind = type(error).__name__.removesuffix("Error").lower()
        run.emit(RunError(kind=kind, message=error.message, hint=error.hint))
    except Exception as error:  # a bug of ours: the session goes on, the log has the trace
        log.exception("run failed")
        run.emit(RunError(kind="internal", message=f"{type(error).__name__}: {error}", hint=""))
    run.emit(
        RunFinished(
            stop_reason=stop,
            answer=run.answer,
            usage=run.usage,
            cost_usd=run.cost_usd,
            tool_calls=run.calls,
            compactions=run.live.state.compactions - compactions,
        )
    )
    return stop


async def _open(run: Run, prompt: Prompt) -> None:
    """The user's words are on disk before anything is sent."""
    await _add_user(run, prompt)
    newest = run.live.state.messages[-1]
    run.emit(
        RunStarted(prompt=prompt.text, message_id=newest.id, model=run.around.current_model().name)
    )


async def _add_user(run: Run, prompt: Prompt) -> None:
    text = run.around.expand(prompt)
    metadata = {"typed": prompt.text} if text != prompt.text else {}
    message = run.live.message(role="user", content=text, images=prompt.images, metadata=metadata)
    await run.live.title_from(prompt.text)
    await run.live.append(message)
    run.emit(MessageEvent(message=message))


async def _steps(run: Run) -> StopReason:
    asked = 0
    while True:
        for prompt in run.inbox.take_steering():
            await _add_user(run, prompt)
        reply = await _answer(run)
        asked += 1
        if not reply.calls:
            return "refused" if reply.finish == "content_filter" else "done"
        calls = run.live.state.messages[-1].tool_calls
        run.calls += len(calls)
        await run.tools.run_all(calls)
        run.around.refresh()
        if run.tools.malformed >= MALFORMED_IN_A_ROW:
            raise PermanentError(
                f"The model sent {run.tools.malformed} calls in a row whose arguments "
                "cannot be read.",
                kind="bad_request",
                hint="Try another model with /model.",
            )
        if run.limits.max_turns is not None and asked >= run.limits.max_turns:
            return "max_turns"
        if _over_cost(run):
            return "max_cost"


async def _answer(run: Run) -> Reply:
    """One answered call, stored; compacts before it or after a refusal where allowed."""
    built, request = await run.around.build()
    if built.auto_compact_suggested and await run.shrinker.auto(built.auto_compact_suggested):
        built, request = await run.around.build()
    if built.floor:
        raise run.around.floor(built, request.model)
    try:
        reply = await _ask(run, request)
    except ContextTooLong as refusal:
        if not await run.shrinker.reactive(refusal):
            raise run.around.floor(built, run.around.current_model()) from refusal
        built, request = await run.around.build()
        try:
            reply = await _ask(run, request)
        except ContextTooLong as second:
            raise run.around.floor(built, run.around.current_model()) from second
    await _keep(run, reply, built, request.model)
    return reply


async def _ask(run: Run, request: ModelRequest) -> Reply:
    try:
        return await run.turn.ask(request)
    except (asyncio.CancelledError, StreamBroken):
        await _keep_partial(run, request.model)
        raise


async def _keep_partial(run: Run, model: ModelInfo) -> None:
    """Text that had come stays, marked; calls that had come never ran and are dropped."""
    partial = run.turn.reply
    run.turn.reply = Reply()
    if not partial.text.strip():
        return
    run.answer = partial.text
    message = run.live.message(
        role="assistant",
        content=partial.text,
        metadata={"interrupted": True, "model": model.name},
    )
    await run.live.append(message)
    run.emit(MessageEvent(message=message))


async def _keep(run: Run, reply: Reply, built: BuildResult, model: ModelInfo) -> None:
    usage = run.around.account(reply, model, built)
    run.usage = run.usage + usage
    run.answer = reply.text
    message = reply_message(run.live, reply, model, usage)
    run.turn.reply = Reply()
    await run.live.append(message)
    run.around.answered(message, usage, model, built)
    run.emit(MessageEvent(message=message))
    if reply.finish == "length":
        run.emit(
            NoticeEvent(
                kind="cut_by_length",
                message="The answer was cut off at the model's output limit.",
                level="warning",
            )
        )
    run.around.refresh()


def reply_message(live: LiveSession, reply: Reply, model: ModelInfo, usage: Usage) -> Message:
    """The stored form of an answer."""
    metadata: dict[str, object] = {"model": model.name}
    if not usage.estimated:
        metadata["usage"] = {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        }
    if reply.reasoning:
        metadata["reasoning"] = reply.reasoning
    if reply.signed:
        metadata["reasoning_blocks"] = list(reply.signed)
    if reply.finish == "length":
        metadata["cut_by_length"] = True
    return live.message(
        role="assistant", content=reply.text, tool_calls=tool_calls(reply), metadata=metadata
    )


def _over_cost(run: Run) -> bool:
    limit, cost = run.limits.max_cost, run.cost_usd
    return limit is not None and cost is not None and cost >= limit

"""Run one prompt to its end: build, call, tools, repeat (spec/context 6, spec/safety).

The loop is a function over a Run. Whatever happens, the history on disk stays valid:
a cancelled or broken answer keeps its text, every call has its result, and the front
end gets exactly one run_finished, after a run_error where something failed.
"""

import asyncio
import logging

from neocode.domain.errors import (
    Cancelled,
    ContextTooLong,
    NeoCodeError,
    PermanentError,
    ProviderError,
)
from neocode.domain.events import RunError, RunFinished, RunStarted, StopReason
from neocode.provider.base import Reply
from neocode.runtime.asking import ask
from neocode.runtime.inbox import Prompt
from neocode.runtime.keeping import keep_reply, keep_user
from neocode.runtime.rescue import rescue
from neocode.runtime.run import Run

MALFORMED_IN_A_ROW = 3
log = logging.getLogger(__name__)


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
    await keep_user(run, prompt)
    _warn_of_cost(run)
    newest = run.live.state.messages[-1]
    run.emit(
        RunStarted(prompt=prompt.text, message_id=newest.id, model=run.around.current_model().name)
    )


def _warn_of_cost(run: Run) -> None:
    """A limit in money needs a price; without one it cannot hold, which is said (B60)."""
    model = run.around.current_model()
    if run.limits.max_cost is not None and model.price is None:
        run.around.say_once(
            f"price {model.id}",
            f"The price of {model.name} is not known, so --max-cost cannot hold. "
            "Set price for it in the configuration.",
            kind="price",
            level="warning",
        )


async def _steps(run: Run) -> StopReason:
    asked = 0
    while True:
        for prompt in run.inbox.take_steering():
            await keep_user(run, prompt)
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
    due = built.auto_compact_suggested
    if await run.shrinker.model_changed(built) or (due and await run.shrinker.auto(due)):
        built, request = await run.around.build()
    if built.floor:
        raise run.around.floor(built, request.model)
    try:
        reply = await ask(run, request)
    except ContextTooLong as refusal:
        reply, built, request = await rescue(run, built, request, refusal)
    await keep_reply(run, reply, built, request.model)
    return reply


def _over_cost(run: Run) -> bool:
    limit, cost = run.limits.max_cost, run.cost_usd
    return limit is not None and cost is not None and cost >= limit

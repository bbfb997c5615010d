"""/context and /cost through the whole engine: every number named, money by kind."""

import asyncio

import pytest

from neocode.commands.registry import run_command
from neocode.domain.events import CompactDone, CompactError, TokenUpdate
from neocode.domain.usage import Usage
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk, UsageChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.flow.flow import MODEL, Bench, steps, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, talk

SPENT = Usage(input_tokens=1000, output_tokens=100)
PRICE = (1000 * 3 + 100 * 15) / 1_000_000


def costing(request: ModelRequest) -> Scripted:
    """Every call costs the same."""
    words = SUMMARY if is_summary_request(request) else "understood " * 30
    return steps(TextChunk(words), UsageChunk(SPENT), FinishChunk("stop"))


async def test_costs_by_kind_add_up_also_after_a_restart(bench: Bench) -> None:
    """Answers, compactions, failed tries; an undone compaction was paid for all the same."""
    never = asyncio.Event()
    replies: list[Scripted] = []

    def react(request: ModelRequest) -> Scripted:
        return replies.pop(0) if replies else costing(request)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied
        await flow.engine.undo_compaction()
        bad = steps(TextChunk("no"), UsageChunk(SPENT), FinishChunk("stop"))
        replies[:] = [bad, bad]
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactError)
        replies[:] = [steps(TextChunk(" "), UsageChunk(SPENT), FinishChunk("stop"))]
        await flow.say("answered at the second try")
        replies[:] = [steps(TextChunk("half an ans"), never)]
        flow.engine.submit("stopped")
        await asyncio.sleep(0.1)
        flow.engine.cancel()
        await flow.settle()
    async with bench.open(provider=answering(), latest=True) as flow:
        costs = flow.engine.costs()
        assert costs["answers"][0].api_calls == 9
        assert costs["answers"][1] == pytest.approx(9 * PRICE)
        assert costs["compactions"][0].input_tokens == 1000
        assert costs["compactions"][1] == pytest.approx(PRICE)
        failed, price = costs["failed tries"]
        assert failed.api_calls == 4
        assert price is not None
        assert price > 3 * PRICE
        for usage in ("input_tokens", "output_tokens", "api_calls"):
            parts = sum(getattr(costs[kind][0], usage) for kind in list(costs)[:3])
            assert parts == getattr(costs["all"][0], usage)
        assert costs["all"][1] == pytest.approx(sum(costs[k][1] or 0 for k in list(costs)[:3]))
        assert "failed tries" in (await run_command(flow.engine, "/cost")).text


async def test_an_unknown_price_is_a_question_mark(bench: Bench) -> None:
    bench.configure(models=[{k: v for k, v in MODEL.items() if k != "price"}])
    async with bench.open(provider=ScriptedProvider(then=costing)) as flow:
        await talk(flow, 1)
        told = (await run_command(flow.engine, "/cost")).text.splitlines()
        assert told[0].endswith("?")
        assert told[-1].endswith("?")


async def test_context_names_both_sums_and_what_comes(bench: Bench) -> None:
    """B18: the sum of all that was sent is not the size of the next request."""
    bench.configure(context={"auto_compact": {"enabled": True, "input_token_threshold": 50_000}})
    async with bench.open(provider=answering()) as flow:
        assert "too little was said" in (await run_command(flow.engine, "/context")).text
        await talk(flow, 6)
        figures = flow.engine.figures()
        told = await run_command(flow.engine, "/context")
        assert told.show == "context"
        assert f"next request   {figures.next_request:>9,} tokens of 200,000" in told.text
        assert f"session input  {figures.session_input:>9,} tokens" in told.text
        assert figures.session_input > 3 * figures.next_request
        assert sum(figures.parts.values()) == figures.next_request
        assert figures.next_request == flow.of(TokenUpdate)[-1].used_tokens
        assert ", estimated" in told.text
        assert "when session input reaches 50,000" in told.text
        left = figures.turns_left
        assert left is not None
        assert f"about {left} turns to automatic compaction" in told.text
        await talk(flow, left + 2)
        assert [e.trigger_mode for e in flow.of(CompactDone)] == ["auto"]


@pytest.mark.parametrize("trigger", ["context_window", "either"])
async def test_the_forecast_of_the_window(bench: Bench, trigger: str) -> None:
    """The real growth of the last turns, and about as many turns as were foretold."""
    window = {
        "enabled": True,
        "trigger": trigger,
        "threshold_percent": 50,
        "input_token_threshold": 10**6,
    }
    bench.configure(models=[{**MODEL, "context_window": 12_000}], context={"auto_compact": window})
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 5)
        left = flow.engine.figures().turns_left
        assert left is not None
        assert left > 3
        turns = 0
        while not flow.of(CompactDone):
            await talk(flow, 1)
            turns += 1
        assert abs(turns - left) <= 2


async def test_without_automatic_mode_the_full_window_is_foretold(bench: Bench) -> None:
    async with bench.open(provider=ScriptedProvider(then=costing)) as flow:
        await talk(flow, 3)
        told = (await run_command(flow.engine, "/context")).text
        assert "automatic compaction is off" in told
        assert "turns to a full window" in told
        assert "measured by the provider" in told


async def test_the_log_of_compactions(bench: Bench) -> None:
    async with bench.open(provider=answering(text(SUMMARY))) as flow:
        assert "no compaction" in (await run_command(flow.engine, "/compact log")).text
        await talk(flow, 8)
        await run_command(flow.engine, "/compact")
        await flow.settle()
        await run_command(flow.engine, "/compact undo")
        await run_command(flow.engine, "/compact full steam ahead")
        await flow.settle()
        newest, oldest = (await run_command(flow.engine, "/compact log")).text.splitlines()
        assert "manual, keep_recent, summary" in newest
        assert "tokens; by scripted, $" in newest
        assert "undone" in oldest
        assert "undone" not in newest

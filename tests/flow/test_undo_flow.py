"""Compactions taken back and made again through the whole engine (spec/context 11)."""

import asyncio
import io
import json

import pytest

from neocode.domain.errors import ContextTooLong, StoreError
from neocode.domain.events import CompactDone, NoticeEvent, SessionChanged, TokenUpdate
from neocode.domain.session import SessionState
from neocode.domain.usage import Usage
from neocode.headless.compact import compact_headless
from neocode.headless.run import run_headless
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk, UsageChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from neocode.runtime import tasks
from neocode.store.rows import counters_of
from tests.checker import check
from tests.flow.flow import Bench, Flow, call, steps, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, talk

MONEY = ("usage", "cost_usd")


def seen(state: SessionState) -> tuple[object, ...]:
    """All that a compaction changes of a session, money aside: that was spent."""
    counters = {k: v for k, v in counters_of(state).items() if k not in MONEY}
    return state.messages, state.task_state, counters


async def compact(flow: Flow) -> None:
    flow.engine.compact()
    await flow.settle()
    assert flow.of(CompactDone)[-1].applied


async def test_three_deep_and_back_again_also_after_a_restart(bench: Bench) -> None:
    """Manual ones, any depth; redo gives the same bytes; the order is a stack's."""
    views = []
    async with bench.open(provider=answering()) as flow:
        for _ in range(3):
            await talk(flow, 8)
            views.append(seen(flow.engine.session))
            await compact(flow)
            views.append(seen(flow.engine.session))
    async with bench.open(provider=answering(), latest=True) as flow:
        engine = flow.engine
        assert seen(engine.session) == views[5]
        await engine.undo_compaction()
        assert seen(engine.session) == views[4]
        await engine.redo_compaction()
        assert seen(engine.session) == views[5]
        for _ in range(3):
            await engine.undo_compaction()
        assert len(engine.session.messages) == 48
        assert engine.session.compactions == 0
        assert not engine.session.task_state.is_established
        await flow.say("all of it is sent")
        check(flow.requests[-1].messages)
    async with bench.open(provider=answering(), latest=True) as flow:
        for _ in range(3):
            await flow.engine.redo_compaction()
        messages, state, _ = views[5]
        assert flow.messages[:-2] == messages
        assert flow.messages[-2].content == "all of it is sent"
        assert flow.engine.session.task_state == state
        assert flow.engine.session.compactions == 3
        with pytest.raises(StoreError, match="no undone compaction"):
            await flow.engine.redo_compaction()
        await flow.say("and on")
        check(flow.requests[-1].messages)


async def test_auto_and_reactive_ones_come_back_too(bench: Bench) -> None:
    """Later messages stay in their place; the rescue of a run is taken back after it."""
    bench.configure(context={"auto_compact": {"enabled": True, "input_token_threshold": 20_000}})
    refusals = [ContextTooLong("too long", status=400)]
    is_refusing = False

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return refusals.pop() if is_refusing and refusals else text("fine " * 30)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 11)
        is_refusing = True
        await talk(flow, 4)
        modes = [e.trigger_mode for e in flow.of(CompactDone) if e.applied]
        assert modes == ["auto", "reactive"]
        whole = [m for m in flow.engine.full_history() if not m.is_compaction_summary]
        await flow.engine.undo_compaction()
        await flow.engine.undo_compaction()
        assert [m.id for m in flow.messages] == [m.id for m in whole]
        with pytest.raises(StoreError, match="no compaction to undo"):
            await flow.engine.undo_compaction()


async def test_edge_and_counters_come_back(bench: Bench) -> None:
    """Micro compact's edge and the trigger's counter are those from before."""
    (bench.root / "big.txt").write_text("some words here\n" * 400)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if is_summary_request(request):
            return SUMMARY
        count += 1
        return call("read", f"r{count}", path="big.txt") if count % 31 else text("done")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.engine.edit_task_state(lambda s: tasks.set_text(s, "goal", "look often"))
        await flow.say("look thirty times")
        await flow.say("and again")
        before = flow.engine.session
        assert before.micro_edge
        await compact(flow)
        assert flow.engine.session.input_tokens_since_compaction == 0
        await flow.engine.undo_compaction()
        assert seen(flow.engine.session) == seen(before)
        await flow.say("once more")
        assert sum("[cleared" in m.content for m in flow.requests[-1].messages) > 20


async def test_a_rule_pinned_since_stays_pinned(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        await compact(flow)
        await flow.engine.edit_task_state(lambda s: tasks.pin(s, "never touch staging"))
        await flow.engine.undo_compaction()
        assert flow.engine.session.task_state.pinned == ("never touch staging",)
        await flow.engine.redo_compaction()
        assert flow.engine.session.task_state.pinned == ("never touch staging",)


async def test_undo_waits_for_what_runs_and_says_so(bench: Bench) -> None:
    """Never while a run or a compaction is going on."""
    gate = asyncio.Event()

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        if "slowly" in request.messages[-1].content:
            return steps(gate, TextChunk("late answer"), FinishChunk("stop"))
        return text("understood " * 30)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 8)
        await compact(flow)
        flow.engine.submit("slowly please")
        await asyncio.sleep(0.02)
        undo = asyncio.create_task(flow.engine.undo_compaction())
        await asyncio.sleep(0.05)
        assert flow.engine.session.compactions == 1
        assert "compact_waits" in [n.kind for n in flow.of(NoticeEvent)]
        gate.set()
        await undo
        await flow.settle()
        assert flow.messages[-1].content == "late answer"
        assert len(flow.messages) == 18
        assert [e.reason for e in flow.of(SessionChanged)][-1] == "undo"


async def test_the_meter_does_not_trust_figures_from_before(bench: Bench) -> None:
    """A reply measured while compacted says nothing of the whole history, nor after a restart."""

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        size = sum(len(m.content) for m in request.messages) // 4 + 3000
        usage = UsageChunk(Usage(input_tokens=size, output_tokens=60))
        return steps(TextChunk("understood " * 30), usage, FinishChunk("stop"))

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 24)
        whole = flow.of(TokenUpdate)[-1].used_tokens
        await compact(flow)
        await flow.say("measured while it is short")
        short = flow.of(TokenUpdate)[-1].used_tokens
        await flow.engine.undo_compaction()
        await flow.settle()
        assert flow.of(TokenUpdate)[-1].used_tokens > (whole + short) // 2
    async with bench.open(provider=ScriptedProvider(then=react), latest=True) as flow:
        await flow.settle()
        assert flow.of(TokenUpdate)[-1].used_tokens > (whole + short) // 2


async def headless(bench: Bench, action: str, output: str) -> tuple[int, str, str]:
    """`neocode compact ACTION --output OUTPUT`: exit status, standard output, errors."""
    out, err = io.StringIO(), io.StringIO()
    async with bench.open(provider=answering(), latest=True, interactive=False) as flow:
        code = await compact_headless(
            flow.engine,
            action=action,  # type: ignore[arg-type]
            strategy=None,
            focus="",
            output=output,
            out=out,
            err=err,
        )
    return code, out.getvalue(), err.getvalue()


async def test_headless_undo_and_redo_say_where_the_session_stands(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        await compact(flow)
    code, out, _ = await headless(bench, "undo", "jsonl")
    [line] = out.splitlines()
    told = json.loads(line)
    assert (code, told["type"], told["kind"]) == (0, "notice", "compact_undone")
    assert (told["compactions"], told["messages"]) == (0, 16)
    assert told["session_id"]
    assert told["at"]
    code, out, _ = await headless(bench, "redo", "json")
    assert (code, json.loads(out)["compactions"]) == (0, 1)
    code, out, err = await headless(bench, "undo", "text")
    assert (code, err) == (0, "")
    assert "taken back" in out


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
async def test_headless_with_nothing_to_undo_fails_in_words(bench: Bench, output: str) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 2)
    code, out, err = await headless(bench, "undo", output)
    assert code == 1
    if output == "text":
        assert (out, "no compaction to undo" in err) == ("", True)
    else:
        told = json.loads(out)
        assert told["type"] == "run_error"
        assert "no compaction to undo" in told["message"]
        assert told["hint"]


async def test_commands_in_a_headless_run(bench: Bench) -> None:
    """`neocode run` takes the same commands, and one that cannot be done is a failure."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
    out, err = io.StringIO(), io.StringIO()
    async with bench.open(provider=answering(), latest=True) as flow:
        lines = "/compact\n/compact undo\n/compact log"
        code = await run_headless(flow.engine, lines, "text", out, err)
        assert code == 0, err.getvalue()
        assert "undone" in out.getvalue()
    async with bench.open(provider=answering(), latest=True) as flow:
        code = await run_headless(flow.engine, "/compact undo", "jsonl", out, err)
        assert code == 1

"""Field reports on the compaction request itself, through the whole engine."""

import json

import pytest

from neocode.domain.errors import ContextTooLong, PermanentError
from neocode.domain.events import CompactDone, CompactError, RunFinished
from neocode.provider.base import FinishChunk, ModelRequest, SignedReasoning, TextChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.checker import check
from tests.flow.flow import MODEL, Bench, call, calls, steps, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, summary_requests, talk


def size_of(request: ModelRequest) -> int:
    """A server's count, a little rougher than a tokenizer."""
    words = [request.system, *(m.content for m in request.messages)]
    words += [c.arguments for m in request.messages for c in m.tool_calls]
    return sum(map(len, words)) // 4


@pytest.mark.parametrize("has_results", [True, False])
async def test_too_long_to_be_shortened(bench: Bench, has_results: bool) -> None:
    """B07: a history of 45k tokens, a server that takes 32k; with and without tool results."""
    (bench.root / "big.txt").write_text("a line of the file\n" * 700)
    turn = 0

    def grow(request: ModelRequest) -> Scripted:
        nonlocal turn
        turn += 1
        if has_results and turn % 2:
            return call("read", f"r{turn}", path="big.txt")
        return text("an answer of some length, with reasons and with details. " * 60)

    async with bench.open(provider=ScriptedProvider(then=grow)) as flow:
        while size_of(flow.requests[-1]) < 45_000 if flow.requests else True:
            await flow.say("and the next part? " + "here is what I know of it already. " * 20)
        whole = flow.messages
    bench.configure(models=[{**MODEL, "context_window": 32_000}])

    def strict(request: ModelRequest) -> Scripted:
        if size_of(request) > 32_000:
            return ContextTooLong("too long for me", status=400)
        return SUMMARY if is_summary_request(request) else text("fine")

    async with bench.open(provider=ScriptedProvider(then=strict), latest=True) as flow:
        assert flow.messages == whole
        flow.engine.compact()
        await flow.settle()
        assert [e.message for e in flow.of(CompactError)] == []
        assert flow.of(CompactDone)[-1].applied
        assert len(flow.requests) <= 6
        await flow.say("go on")
        assert flow.of(RunFinished)[-1].stop_reason == "done"
        check(flow.requests[-1].messages)


@pytest.mark.parametrize("mode", ["manual", "reactive"])
async def test_few_giant_messages_make_space_too(bench: Bench, mode: str) -> None:
    """B12: four messages, one of them a result that nearly fills the window."""
    bench.configure(
        models=[{**MODEL, "context_window": 60_000}], tools={"limits": {"result_tokens": 50_000}}
    )
    (bench.root / "giant.txt").write_text("".join(f"{n} is a number\n" for n in range(11_000)))
    refusing = False

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        if refusing and size_of(request) > 20_000:
            return ContextTooLong("too long", status=400)
        if request.messages[-1].content == "read it":
            return call("read", "r1", path="giant.txt")
        return text("it was read")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("read it")
        assert len(flow.messages) == 4
        assert size_of(flow.requests[-1]) > 30_000
        refusing = True
        if mode == "manual":
            flow.engine.compact()
            await flow.settle()
        await flow.say("and now?")
        done = [e for e in flow.of(CompactDone) if e.applied]
        assert [e.trigger_mode for e in done] == [mode]
        assert done[0].tokens_after < done[0].tokens_before // 2
        assert flow.of(RunFinished)[-1].stop_reason == "done"
        check(flow.requests[-1].messages)


async def test_signed_reasoning_comes_back_untouched_or_not_at_all(bench: Bench) -> None:
    """B13: compact, resume, one more message, against a server that checks signatures."""
    blocks = [{"type": "thinking", "thinking": f"t{n}", "signature": f"s{n}=="} for n in (1, 2)]
    (bench.root / "a.txt").write_text("a\n")
    two_calls = calls(("read", {"path": "a.txt"}), ("glob", {"pattern": "*"}), ids=["k1", "k2"])
    assert not isinstance(two_calls, str | BaseException)
    signed = steps(*(SignedReasoning(block) for block in blocks), *two_calls)

    def verify(request: ModelRequest) -> None:
        for message in request.messages:
            sent = message.metadata.get("reasoning_blocks")
            if sent:
                assert [c.id for c in message.tool_calls] == ["k1", "k2"]
                assert json.dumps(list(sent)) == json.dumps(blocks)
        if is_summary_request(request):
            assert not any(m.metadata.get("reasoning_blocks") for m in request.messages)
            assert "s1==" not in "".join(m.content for m in request.messages)

    def react(request: ModelRequest) -> Scripted:
        verify(request)
        if is_summary_request(request):
            return SUMMARY
        return signed if request.messages[-1].content == "look" else text("understood " * 30)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 8)
        await flow.say("look")
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied
    async with bench.open(provider=ScriptedProvider(then=react), latest=True) as flow:
        await flow.say("one more")
        check(flow.requests[-1].messages)
        assert any(m.metadata.get("reasoning_blocks") for m in flow.requests[-1].messages)


async def test_refused_credentials_are_tried_once(bench: Bench) -> None:
    """B16: fifty steps to go, auto on and due at each, the summary's key refused.

    One try in the run, one cause named, a few lines in the log; with the key put right
    /compact works without a restart.
    """
    bench.configure(
        context={
            "auto_compact": {"enabled": True, "input_token_threshold": 10_000, "max_per_run": 9}
        }
    )
    (bench.root / "a.txt").write_text("a line\n" * 30)
    is_refused, count = True, 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if is_summary_request(request):
            refusal = PermanentError("credentials refused", kind="auth", status=401)
            return refusal if is_refused else SUMMARY
        count += 1
        return call("read", f"r{count}", path="a.txt") if count % 51 else text("done")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("fifty steps, please")
        assert count == 51
        [error] = flow.of(CompactError)
        assert (error.trigger_mode, error.reason) == ("auto", "provider_error")
        assert "credentials refused" in error.message
        assert len(summary_requests(flow)) == 1
        log = bench.home / "logs" / "neocode.log"
        assert not log.exists() or len(log.read_text().splitlines()) < 20
        is_refused = False
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied


async def test_a_slow_summary_that_lives_is_waited_for(bench: Bench) -> None:
    """B08: the limit is on silence, not on length; figures of time are in the event."""
    pieces = [SUMMARY[at : at + 40] for at in range(0, len(SUMMARY), 40)]
    slow = steps(*(step for p in pieces for step in (TextChunk(p), 0.01)), FinishChunk("stop"))
    async with bench.open(provider=answering(lambda _: slow)) as flow:
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied
        assert flow.of(CompactDone)[-1].duration_s >= 0.01 * len(pieces)

"""Compaction through the whole engine: manual, auto, reactive; what survives, what fails."""

import asyncio
import json
from pathlib import Path

import pytest

from neocode.domain.errors import ContextTooLong, PermanentError, TransientError
from neocode.domain.events import (
    CompactDone,
    CompactError,
    NoticeEvent,
    RunError,
    RunFinished,
    TokenUpdate,
)
from neocode.domain.messages import HANDOFF_MARK, SUMMARY_MARK
from neocode.domain.usage import Usage
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk, UsageChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from neocode.store.transcript import read_transcript
from tests.checker import check
from tests.flow.flow import MODEL, Bench, call, steps, text
from tests.flow.talks import (
    SHOWN,
    STATE,
    SUMMARY,
    answering,
    is_summary_request,
    summary_requests,
    talk,
)


async def test_manual_compaction_carries_the_task_on(bench: Bench) -> None:
    """B01, B02: state and summary are in the next request; the newest words are untouched."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
        flow.engine.compact()
        await flow.settle()
        done = flow.of(CompactDone)[0]
        assert done.applied
        assert done.removed_count >= 12
        assert done.tokens_after < done.tokens_before
        assert 0 < done.saved_ratio < 1
        lines = Path(str(done.transcript_path)).read_text().splitlines()
        assert len(lines) == 24
        await flow.say("go on with step 5?")
        request = flow.requests[-1]
        check(request.messages)
        sent = "\n".join(message.content for message in request.messages)
        assert request.messages[-1].content.endswith("go on with step 5?")
        for fact in ("step 2: three files moved", "use relative imports", SUMMARY_MARK):
            assert fact in sent
        assert flow.engine.session.input_tokens_since_compaction > 0
        assert flow.engine.session.compactions == 1


async def test_compaction_with_a_focus_reaches_the_summariser(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        flow.engine.compact(focus="the port numbers")
        await flow.settle()
        asked = summary_requests(flow)[0]
        assert any("the port numbers" in m.content for m in asked.messages) or (
            "the port numbers" in asked.system
        )


async def test_nothing_to_archive_asks_nobody_and_writes_nothing(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 2)
        flow.engine.compact()
        await flow.settle()
        assert not flow.of(CompactDone)[0].applied
        assert not summary_requests(flow)
        assert not list((bench.home / "projects").rglob("*.jsonl"))


async def test_one_long_run_compacts_and_keeps_its_prompt(bench: Bench) -> None:
    """One prompt and two hundred tool calls: older blocks go, the prompt stays word for word."""
    (bench.root / "a.txt").write_text("line of text\n" * 60)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if is_summary_request(request):
            return SUMMARY
        count += 1
        return call("read", f"r{count}", path="a.txt") if count <= 200 else text("done")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("do the long job, exactly: 42 parts")
        assert len(flow.messages) == 402
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[0].applied
        assert len(flow.messages) < 20
        await flow.say("and now?")
        check(flow.requests[-1].messages)
        contents = [m.content for m in flow.requests[-1].messages]
        assert any("do the long job, exactly: 42 parts" in content for content in contents)


def auto(**changes: object) -> dict[str, object]:
    return {"auto_compact": {"enabled": True, **changes}}


async def test_auto_by_summed_input_tokens_once_a_run_and_zero_after_restart(bench: Bench) -> None:
    """B18: the counter goes to zero with success, and stays so after a restart."""
    bench.configure(context=auto(input_token_threshold=20_000))
    provider = answering()
    async with bench.open(provider=provider) as flow:
        await talk(flow, 11)
        assert [e.trigger_mode for e in flow.of(CompactDone) if e.applied] == ["auto"]
        counter = flow.engine.session.input_tokens_since_compaction
        assert counter < 20_000
    async with bench.open(provider=answering(), latest=True) as flow:
        assert flow.engine.session.input_tokens_since_compaction == counter
        assert flow.engine.session.task_state.goal == STATE["goal"]


async def test_auto_off_never_compacts(bench: Bench) -> None:
    bench.configure(context={"auto_compact": {"enabled": False, "input_token_threshold": 1}})
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        assert not flow.of(CompactDone)


async def test_auto_by_window_share(bench: Bench) -> None:
    bench.configure(
        models=[{**MODEL, "context_window": 8000}],
        context=auto(trigger="context_window", threshold_percent=50),
    )
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 24)
        assert flow.of(CompactDone)
        assert all(update.used_tokens < 8000 * 0.8 for update in flow.of(TokenUpdate)), [
            u.used_tokens for u in flow.of(TokenUpdate)
        ]


async def test_the_meter_falls_at_once(bench: Bench) -> None:
    """B27: the figure after the compaction is there before the next message."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
        before = flow.of(TokenUpdate)[-1].used_tokens
        flow.engine.compact()
        await flow.settle()
        after = flow.of(TokenUpdate)[-1]
        assert after.used_tokens < before
        assert after.estimated
        assert after.compactions == 1
        assert sum(flow.engine.breakdown().values()) == after.used_tokens


async def test_a_refusal_compacts_once_and_the_answer_comes(bench: Bench) -> None:
    refusals = [ContextTooLong("too long", status=400)]

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        if len(request.messages) > 20 and refusals:
            return refusals.pop()
        return text("fine " * 20)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 11)
        done = [e for e in flow.of(CompactDone) if e.applied]
        assert [e.trigger_mode for e in done] == ["reactive"]
        assert flow.of(RunFinished)[-1].stop_reason == "done"
        assert flow.requests[-1].messages[-1].content.startswith("request 10")


async def test_refused_again_ends_with_the_floor_message(bench: Bench) -> None:
    """B14: exactly one reactive compaction and one retry in that run."""
    refusing = False

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return ContextTooLong("no") if refusing else text("fine " * 20)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 10)
        refusing = True
        sent = len(flow.requests)
        await flow.say("one more")
        chats = [r for r in flow.requests[sent:] if not is_summary_request(r)]
        assert len(chats) == 2
        assert len([e for e in flow.of(CompactDone) if e.trigger_mode == "reactive"]) == 1
        error = flow.of(RunError)[-1]
        assert error.kind == "context_too_long"
        assert "tokens" in error.message
        assert "system" in error.message
        refusing = False
        await flow.say("and now")
        assert flow.of(RunFinished)[-1].stop_reason == "done"


async def test_fixed_parts_over_the_window_send_nothing(bench: Bench) -> None:
    """B15: named before any call."""
    bench.configure(models=[{**MODEL, "context_window": 2048}])
    (bench.root / "AGENTS.md").write_text("rule: be careful\n" * 2000)
    async with bench.open(provider=answering(), interactive=False) as flow:
        await flow.say("hello")
        assert not flow.requests
        assert "instructions" in flow.of(RunError)[0].message


BAD_SUMMARIES: dict[str, Scripted] = {
    "empty": steps(FinishChunk("stop")),
    "prose": text("Your quota is used up until 5 am."),
    "refusal": text("I'm sorry, I can't help with that."),
    "html": text("<html><body>502 Bad Gateway</body></html>"),
    "cut off": steps(TextChunk(SUMMARY[:200]), FinishChunk("length")),
    "whole but cut by length": steps(TextChunk(SUMMARY), FinishChunk("length")),
    "unknown key": text(SUMMARY.replace('"blockers"', '"mood"')),
    "extra top key": text(json.dumps({**json.loads(SUMMARY), "note": "x"})),
    "missing section": text(SUMMARY.replace("decisions:", "opinions:")),
    "wrong type": text(json.dumps({"task_state": {**STATE, "goal": 7}, "display_summary": SHOWN})),
    "hollow": text(
        json.dumps(
            {
                "task_state": {k: "" if isinstance(v, str) else [] for k, v in STATE.items()},
                "display_summary": f"{SUMMARY_MARK}\ndone:\n- none\nin_progress:\n- none\n"
                "decisions:\n- none\ncode_changes:\n- none\nconstraints:\n- none\n",
            }
        )
    ),
    "a tool call": call("read", path="x"),
    "larger than the archive": text(
        json.dumps(
            {
                "task_state": {**STATE, "progress": ["x " * 40] * 2000},
                "display_summary": SHOWN + "- x\n" * 40_000,
            }
        )
    ),
    "401": PermanentError("bad key", kind="auth", status=401),
    "429": TransientError("slow down", kind="rate_limit", status=429, retry_after=9999),
    "500": TransientError("oops", kind="server_error", status=500, retry_after=9999),
    "silence": TransientError("silent", kind="timeout", retry_after=9999),
    "reset": TransientError("reset", kind="connection", retry_after=9999),
}


@pytest.mark.parametrize("kind", BAD_SUMMARIES)
async def test_a_bad_summary_changes_nothing(bench: Bench, kind: str) -> None:
    """B09, B10, B11: one compact_error with its reason; the next message works."""
    async with bench.open(provider=answering(BAD_SUMMARIES[kind])) as flow:
        await talk(flow, 8)
        before = flow.engine.session
        stored = flow.engine.full_history()
        flow.engine.compact()
        await flow.settle()
        errors = flow.of(CompactError)
        if kind == "larger than the archive" and not errors:
            assert flow.of(CompactDone)[0].tokens_after < flow.of(CompactDone)[0].tokens_before
            return
        assert len(errors) == 1, kind
        expected = {
            "401": "provider_error",
            "429": "provider_error",
            "500": "provider_error",
            "reset": "provider_error",
            "silence": "timeout",
        }.get(kind, "invalid_summary")
        assert errors[0].reason in {expected, "no_gain"}, errors[0]
        assert flow.engine.session.messages == before.messages
        assert flow.engine.session.task_state == before.task_state
        assert flow.engine.full_history() == stored
        assert not [e for e in flow.of(CompactDone) if e.applied]
        await flow.say("still there?")
        assert flow.of(RunFinished)[-1].stop_reason == "done"
        assert len(flow.engine.notices()) == 1


async def test_one_repair_try_with_the_fault_named(bench: Bench) -> None:
    answers: list[Scripted] = [text("not json"), text(SUMMARY)]
    async with bench.open(provider=answering(lambda _: answers.pop(0))) as flow:
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[0].applied
        assert len(summary_requests(flow)) == 2


async def test_extractive_fallback_is_marked(bench: Bench) -> None:
    bench.configure(context={"compact": {"fallback": "extractive"}})
    async with bench.open(provider=answering(text("no"))) as flow:
        await talk(flow, 24)
        flow.engine.compact()
        await flow.settle()
        done = flow.of(CompactDone)[0]
        assert (done.applied, done.method) == (True, "extractive")


async def test_cancel_within_a_second_and_the_queue_goes_out(bench: Bench) -> None:
    """B35, B36: a summary that never comes; Esc; what was typed meanwhile is sent once."""
    never = asyncio.Event()
    async with bench.open(provider=answering(steps(never))) as flow:
        await talk(flow, 8)
        before = flow.messages
        flow.engine.compact()
        while not summary_requests(flow):
            await asyncio.sleep(0.01)
        flow.engine.submit("typed meanwhile")
        assert flow.engine.queue == ("typed meanwhile",)
        flow.engine.cancel()
        await asyncio.wait_for(flow.settle(), 1.0)
        assert flow.of(CompactError)[0].reason == "cancelled"
        assert flow.messages[: len(before)] == before
        assert [m.content for m in flow.messages].count("typed meanwhile") == 1
        assert flow.of(RunFinished)[-1].stop_reason == "done"


async def test_a_second_compaction_meanwhile_is_skipped_with_a_notice(bench: Bench) -> None:
    gate = asyncio.Event()
    async with bench.open(
        provider=answering(steps(gate, TextChunk(SUMMARY), FinishChunk("stop")))
    ) as flow:
        await talk(flow, 8)
        flow.engine.compact()
        while not summary_requests(flow):
            await asyncio.sleep(0.01)
        flow.engine.compact()
        gate.set()
        await flow.settle()
        assert len(flow.of(CompactDone)) == 1
        assert [n.kind for n in flow.of(NoticeEvent)].count("compact_skipped") == 1


async def test_compact_during_a_run_waits_for_its_end(bench: Bench) -> None:
    """B21: never between a call and its result."""
    replies: list[Scripted] = [call("bash", command="sleep 0.5; echo slow"), text("done")]

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return (
            replies.pop(0)
            if "slow job" in request.messages[-1].content or (request.messages[-1].role == "tool")
            else text("understood " * 30)
        )

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 8)
        flow.engine.submit("slow job")
        await asyncio.sleep(0.2)
        flow.engine.compact()
        await flow.settle()
        names = flow.names("tool_output", "notice", "session_changed")
        assert names[-6:] == [
            "run_started",
            "tool_call",
            "tool_result",
            "run_finished",
            "compact_start",
            "compact_done",
        ]
        await flow.say("ok?")
        check(flow.requests[-1].messages)


async def test_no_room_for_the_transcript_fails_the_compaction(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        before = flow.messages
        projects = bench.home / "projects"
        folder = next(projects.iterdir()) / "transcripts"
        folder.write_text("a file where the folder should be")
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactError)[0].reason == "transcript_failed"
        assert flow.messages == before
        assert not summary_requests(flow)


async def test_undo_and_redo_bring_the_same_bytes(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        before = flow.engine.session
        flow.engine.compact()
        await flow.settle()
        compacted = flow.engine.session
        await flow.engine.undo_compaction()
        assert flow.engine.session.messages == before.messages
        assert flow.engine.session.task_state == before.task_state
        await flow.engine.redo_compaction()
        assert flow.engine.session.messages == compacted.messages
        assert flow.engine.session.task_state == compacted.task_state
    async with bench.open(provider=answering(), latest=True) as flow:
        await flow.say("later")
        await flow.engine.undo_compaction()
        assert flow.messages[:16] == before.messages
        assert flow.messages[16].content == "later"


async def test_a_cached_usage_counts_once(bench: Bench) -> None:
    """B22: 89k in use either way; below the threshold nothing happens, above it does."""
    bench.configure(context=auto(trigger="context_window", threshold_percent=50))
    usage = Usage(input_tokens=89_200, output_tokens=10, cached_tokens=88_000)

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return steps(TextChunk("x " * 400), UsageChunk(usage), FinishChunk("stop"))

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 6)
        assert flow.of(TokenUpdate)[-1].used_tokens == 89_210
        assert not flow.of(TokenUpdate)[-1].estimated
        assert not flow.of(CompactDone)
        usage = Usage(input_tokens=101_000, output_tokens=10, cached_tokens=88_000)
        await talk(flow, 2)
        assert [e.applied for e in flow.of(CompactDone)] == [True]


async def test_the_window_is_learned_from_the_refusal(bench: Bench) -> None:
    """B25, second case; and over a restart."""
    model = {k: v for k, v in MODEL.items() if k != "context_window"}
    bench.configure(models=[model])
    refusals = [ContextTooLong("maximum context length is 16384", limit=16_384)]

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return refusals.pop() if len(request.messages) > 12 and refusals else text("y " * 50)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 8)
        assert flow.of(TokenUpdate)[-1].max_tokens == 16_384
        kinds = [n.message for n in flow.of(NoticeEvent) if n.kind == "window"]
        assert len(kinds) == 2
    async with bench.open(provider=answering(), latest=True) as flow:
        assert flow.engine.model is not None
        assert flow.engine.model.window == 16_384


async def test_micro_compact_waits_for_a_task_state(bench: Bench) -> None:
    """B28: with an empty task state nothing is cleared at all."""
    (bench.root / "big.txt").write_text("some words here\n" * 900)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if is_summary_request(request):
            return SUMMARY
        count += 1
        return call("read", f"r{count}", path="big.txt") if count % 41 else text("done")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("look forty times")
        last = flow.requests[-1]
        assert sum(m.content.startswith("1\tsome") for m in last.messages) == 40
        flow.engine.compact()
        await flow.settle()
        await flow.say("look forty times more")
        last = flow.requests[-1]
        whole = sum(
            "some words here" in m.content[:200] and len(m.content) > 5000 for m in last.messages
        )
        assert 6 <= whole < 40
        check(last.messages)


async def test_token_budget_handoff(bench: Bench) -> None:
    bench.configure(
        context={"compact": {"manual_strategy": "token_budget"}},
        models=[{**MODEL, "context_window": 8000}],
    )
    handoff = (
        "## Goal\nRename the module\n\n## Constraints & Preferences\nrelative imports\n\n"
        "## Progress\n### Done\n- module renamed in src/kernel.py\n### In Progress\n- imports\n"
        "### Blocked\n- nothing\n\n## Key Decisions\n- alias kept\n\n## Relevant Files\n"
        "- src/kernel.py\n\n## Next Steps\n- fix imports\n\n## Critical Context\nport 8123\n\n"
        "## Tools & Patterns\npytest -q\n"
    )
    async with bench.open(provider=answering(text(handoff))) as flow:
        await talk(flow, 16)
        flow.engine.compact()
        await flow.settle()
        assert [e.message for e in flow.of(CompactError)] == []
        assert flow.of(CompactDone)[0].strategy == "token_budget"
        summary = flow.engine.session.summary
        assert summary is not None
        assert summary.content.startswith(HANDOFF_MARK)
        await flow.say("go on")
        check(flow.requests[-1].messages)


async def test_a_prompt_that_fits_gets_less_room_for_its_answer(bench: Bench) -> None:
    """llm-facts: where max_tokens is the cause, a compaction cannot help."""
    bench.configure(models=[{**MODEL, "context_window": 8000, "max_output_tokens": 4000}])
    refusal = ContextTooLong("prompt + max_tokens", limit=8192, requested=6000)
    async with bench.open([refusal, text("fits")]) as flow:
        await flow.say("go")
        assert [r.max_output_tokens for r in flow.requests] == [4000, 8192 - 6000 - 8192 // 50]
        assert flow.messages[-1].content == "fits"
        assert not flow.of(CompactDone)


async def test_a_transcript_restores_the_task_state_too(bench: Bench) -> None:
    """spec/context 13: restore makes the same session from the file."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
        flow.engine.compact()
        await flow.settle()
        await talk(flow, 10)
        state = flow.engine.session.task_state
        flow.engine.compact()
        await flow.settle()
        path = Path(str(flow.of(CompactDone)[-1].transcript_path))
        store = flow.engine.jobs.store
        restored = store.restore(read_transcript(path).messages, cwd=str(bench.root))  # type: ignore[attr-defined]
        assert store.load(restored).task_state == state

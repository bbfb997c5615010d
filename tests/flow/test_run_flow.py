"""Whole runs: scripted model, real tools, real database."""

import asyncio

import pytest

from neocode.domain.errors import PermanentError, StreamBroken, TransientError
from neocode.domain.events import (
    NoticeEvent,
    PermissionDecision,
    PermissionRequest,
    Retry,
    RunError,
    RunFinished,
    ToolCallEvent,
    ToolResultEvent,
)
from neocode.domain.messages import Message, ToolCall
from neocode.provider.base import CallChunk, FinishChunk, TextChunk
from neocode.provider.fake import Scripted
from neocode.runtime.run import Limits
from tests.checker import check
from tests.flow.flow import Bench, call, calls, steps, text


async def test_a_change_from_question_to_file(bench: Bench) -> None:
    (bench.root / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    script = [
        call("read", path="calc.py"),
        call("edit", path="calc.py", old_text="a - b", new_text="a + b"),
        call("bash", command="python3 -c 'import calc; print(calc.add(2, 3))'"),
        text("Fixed: add adds."),
    ]
    async with bench.open(script) as flow:
        await flow.say("fix add")
        assert "a + b" in (bench.root / "calc.py").read_text()
        assert flow.names("tool_output") == [
            "run_started",
            *["tool_call", "tool_result"] * 3,
            "run_finished",
        ]
        assert flow.messages[6].content.splitlines()[-1].strip() == "5"
        finished = flow.of(RunFinished)[0]
        assert (finished.stop_reason, finished.answer) == ("done", "Fixed: add adds.")
        assert finished.tool_calls == 3
        for request in flow.requests:
            check(request.messages)


async def test_everything_is_there_after_a_restart(bench: Bench) -> None:
    async with bench.open([text("one")]) as flow:
        await flow.say("first")
        before = flow.messages
    async with bench.open([text("two")], latest=True) as flow:
        assert flow.messages == before
        await flow.say("second")
        assert [m.content for m in flow.requests[0].messages] == ["first", "one", "second"]


async def test_parallel_calls_each_get_a_result_in_order(bench: Bench) -> None:
    """B20: one works, one fails, one is refused by the user, one is cancelled."""
    wanted = calls(
        ("read", {"path": "there.txt"}),
        ("read", {"path": "gone.txt"}),
        ("bash", {"command": "touch refused"}),
        ("bash", {"command": "sleep 30"}),
        ids=["a", "b", "c", "d"],
    )
    (bench.root / "there.txt").write_text("hello\n")
    async with bench.open([wanted, text("after")], mode="ask") as flow:
        flow.answers = lambda r: ("no", "not now") if "touch" in r.detail else ("once", "")
        flow.engine.submit("go")
        await flow.until(ToolCallEvent, 4)
        await asyncio.sleep(0.2)
        flow.engine.cancel()
        await flow.settle()
        results = [m for m in flow.messages if m.role == "tool"]
        assert [m.tool_call_id for m in results] == ["a", "b", "c", "d"]
        assert [m.is_error for m in results] == [False, True, True, True]
        assert "not now" in results[2].content
        assert "Cancelled" in results[3].content
        assert not (bench.root / "refused").exists()
        assert flow.of(RunFinished)[0].stop_reason == "cancelled"
        await flow.say("go on")
        check(flow.requests[-1].messages)


async def test_a_question_without_a_screen_is_a_refusal(bench: Bench) -> None:
    script = [call("bash", command="touch x"), text("could not")]
    async with bench.open(script, mode="ask", interactive=False) as flow:
        await flow.say("make x")
        assert not (bench.root / "x").exists()
        assert flow.of(PermissionRequest)
        assert flow.of(PermissionDecision)[0].decided_by == "headless"
        assert "without a screen" in flow.messages[2].content


async def test_always_writes_the_rule_and_asks_no_more(bench: Bench) -> None:
    script = [call("bash", command="touch a"), call("bash", command="touch b"), text("ok")]
    async with bench.open(script, mode="ask") as flow:
        flow.answers = lambda r: ("always", "")
        await flow.say("go")
        asked = flow.of(PermissionRequest)
        assert asked[0].rule
        assert (bench.root / "a").exists()
        assert asked[0].rule in (bench.home / "config.yaml").read_text()


async def test_plan_mode_is_read_only(bench: Bench) -> None:
    script = [call("write", path="new.txt", content="x"), text("planned")]
    async with bench.open(script, mode="plan") as flow:
        await flow.say("write it")
        assert not (bench.root / "new.txt").exists()
        assert flow.messages[2].is_error


async def test_messages_typed_meanwhile_go_out_once_in_order(bench: Bench) -> None:
    gate = asyncio.Event()
    script = [steps(TextChunk("slow"), gate, FinishChunk("stop")), text("two"), text("three")]
    async with bench.open(script) as flow:
        flow.engine.submit("first")
        while not flow.requests:
            await asyncio.sleep(0.01)
        flow.engine.submit("second")
        flow.engine.submit("thrid")
        assert flow.engine.queue == ("second", "thrid")
        flow.engine.edit_queue(1, "third")
        gate.set()
        await flow.settle()
        asked = [m.content for m in flow.messages if m.role == "user"]
        assert asked == ["first", "second", "third"]
        assert not flow.engine.queue


async def test_steering_goes_before_the_next_call(bench: Bench) -> None:
    gate = asyncio.Event()
    script = [steps(CallChunk(0, "c", "todo", '{"items": []}'), gate), text("done")]
    async with bench.open(script) as flow:
        flow.engine.submit("first")
        while not flow.requests:
            await asyncio.sleep(0.01)
        flow.engine.steer("use tabs")
        gate.set()
        await flow.settle()
        assert "use tabs" in flow.requests[1].messages[-1].content
        assert len(flow.of(RunFinished)) == 1


async def test_cancel_keeps_the_text_and_marks_it(bench: Bench) -> None:
    gate = asyncio.Event()
    async with bench.open([steps(TextChunk("half an ans"), gate), text("whole")]) as flow:
        flow.engine.submit("go")
        while not any("half" in getattr(e, "text", "") for e in flow.events):
            await asyncio.sleep(0.01)
        flow.engine.cancel()
        await flow.settle()
        assert flow.messages[-1].content == "half an ans"
        assert flow.messages[-1].metadata["interrupted"] is True
        assert flow.provider.open_streams == 0
        await flow.say("again")
        check(flow.requests[-1].messages)


async def test_a_stream_cut_in_the_text_is_kept_and_not_doubled(bench: Bench) -> None:
    """B58, after text: kept, marked, not asked for again by itself."""
    async with bench.open([steps(TextChunk("first half"), StreamBroken("cut"))]) as flow:
        await flow.say("go")
        assert len(flow.requests) == 1
        assert flow.messages[-1].content == "first half"
        assert flow.messages[-1].metadata["interrupted"] is True
        assert flow.of(RunError)[0].kind == "stream_broken"


async def test_half_a_call_never_runs_and_is_asked_for_again(bench: Bench) -> None:
    """B58, in a call."""
    half = steps(CallChunk(0, "c", "bash", '{"command": "touch ha'), StreamBroken("cut"))
    bench.configure(retry={"max_wait_s": 0})
    async with bench.open([half, text("ok")]) as flow:
        await flow.say("go")
        assert list(bench.root.iterdir()) == []
        assert [m.role for m in flow.messages] == ["user", "assistant"]
        assert flow.of(Retry)


async def test_a_whole_call_without_an_end_mark_runs_once(bench: Bench) -> None:
    """B58, after a complete call."""
    whole = steps(CallChunk(0, "c", "bash", '{"command": "echo x >> ran"}'), StreamBroken("cut"))
    async with bench.open([whole, text("ok")]) as flow:
        await flow.say("go")
        assert (bench.root / "ran").read_text() == "x\n"
        assert len(flow.requests) == 2


async def test_busy_servers_are_waited_for_visibly(bench: Bench) -> None:
    """B59: retried with a countdown, then answered, and nothing sent twice."""
    bench.configure(retry={"max_wait_s": 0.01, "max_attempts": 4})
    busy = [TransientError("busy", kind="overloaded", status=529) for _ in range(3)]
    async with bench.open([*busy, text("here")]) as flow:
        await flow.say("go")
        assert [r.attempt for r in flow.of(Retry)] == [1, 2, 3]
        assert len(flow.requests) == 4
        assert flow.messages[-1].content == "here"


async def test_a_long_retry_after_ends_the_run_instead_of_waiting(bench: Bench) -> None:
    hour = TransientError("limited", kind="rate_limit", status=429, retry_after=3600)
    async with bench.open([hour, text("again")]) as flow:
        await flow.say("go")
        assert flow.of(RunError)[0].kind == "rate_limit"
        assert len(flow.requests) == 1
        await flow.say("now")
        assert flow.messages[-1].content == "again"


async def test_permanent_errors_are_not_retried_and_name_the_remedy(bench: Bench) -> None:
    refused = PermanentError("401 bad key", kind="auth", status=401, hint="Set LAB_KEY.")
    async with bench.open([refused]) as flow:
        await flow.say("go")
        error = flow.of(RunError)[0]
        assert (error.kind, error.hint) == ("auth", "Set LAB_KEY.")
        assert len(flow.requests) == 1


async def test_an_empty_reply_is_asked_for_once_more_then_said(bench: Bench) -> None:
    empty = steps(FinishChunk("stop"))
    async with bench.open([empty, text("there"), empty, empty]) as flow:
        await flow.say("go")
        assert flow.messages[-1].content == "there"
        await flow.say("go")
        assert "empty" in flow.of(RunError)[0].message
        assert all(not m.is_hollow for m in flow.messages)


async def test_malformed_arguments_go_back_and_three_in_a_row_end_the_run(bench: Bench) -> None:
    bad = steps(CallChunk(0, "c", "bash", '{"command": '), FinishChunk("tool_calls"))
    async with bench.open([bad, bad, bad, text("never")]) as flow:
        await flow.say("go")
        assert flow.of(RunError)
        results = [m for m in flow.messages if m.role == "tool"]
        assert len(results) == 3
        assert all(m.is_error for m in results)


async def test_repeated_call_ids_become_unique(bench: Bench) -> None:
    script = [call("todo", "same", items=[]), call("todo", "same", items=[]), text("ok")]
    async with bench.open(script) as flow:
        await flow.say("go")
        ids = [c.id for m in flow.messages for c in m.tool_calls]
        assert len(set(ids)) == 2
        check(flow.requests[-1].messages)


async def test_limits_of_a_run(bench: Bench) -> None:
    async with bench.open(then=call("todo", items=[]), limits=Limits(max_turns=3)) as flow:
        await flow.say("go")
        assert flow.of(RunFinished)[0].stop_reason == "max_turns"
        assert len(flow.requests) == 3


async def test_two_programs_on_one_session(bench: Bench) -> None:
    """spec/safety: the second opens a copy, and says so."""
    async with bench.open([text("one")]) as first:
        await first.say("hello")
        async with bench.open([text("two")], latest=True) as second:
            await second.say("more")
            assert second.engine.session.id != first.engine.session.id
            assert [m.content for m in second.messages] == ["hello", "one", "more", "two"]
            assert [m.content for m in first.messages] == ["hello", "one"]


async def test_a_call_interrupted_by_a_kill_gets_its_result_on_reopening(bench: Bench) -> None:
    """B34 (b): killed during a tool; the result is stored as interrupted."""
    async with bench.open([text("one")]) as flow:
        await flow.say("hello")
        lost = Message(
            id="m_lost",
            created_at="2026-11-30T00:00:00.000000Z",
            role="assistant",
            tool_calls=(ToolCall(id="x", name="bash", arguments='{"command": "sleep 9"}'),),
        )
        await flow.engine.jobs.live.append(lost)
    async with bench.open([text("two")], latest=True) as flow:
        assert flow.messages[-1].role == "tool"
        assert flow.messages[-1].metadata["interrupted"] is True
        await flow.say("go on")
        check(flow.requests[0].messages)


async def test_the_users_own_shell_line_enters_the_chat(bench: Bench) -> None:
    async with bench.open([text("seen")], mode="ask") as flow:
        await flow.say("!echo hi there")
        assert not flow.requests
        await flow.say("what did it say?")
        assert "hi there" in flow.requests[0].messages[0].content


async def test_mentions_bring_the_file(bench: Bench) -> None:
    (bench.root / "notes.md").write_text("the port is 8123\n")
    async with bench.open([text("ok")]) as flow:
        await flow.say("read @notes.md please")
        assert "the port is 8123" in flow.requests[0].messages[0].content
        assert flow.messages[0].metadata["typed"] == "read @notes.md please"


async def test_a_broken_configuration_leaves_the_old_one_in_force(bench: Bench) -> None:
    async with bench.open([text("one")]) as flow:
        (bench.home / "config.yaml").write_text("model: [broken\n")
        await flow.say("go")
        assert flow.messages[-1].content == "one"
        notices = [n for n in flow.of(NoticeEvent) if n.kind == "config_error"]
        assert len(notices) == 1


async def test_project_instructions_reach_the_system_prompt(bench: Bench) -> None:
    (bench.root / "AGENTS.md").write_text("Always use tabs.\n")
    async with bench.open([text("ok"), text("ok")]) as flow:
        flow.replies_to_questions = ["trust this folder"]
        await flow.say("go")
        assert "Always use tabs." in flow.requests[0].system
        assert not flow.replies_to_questions
        await flow.say("again")
    async with bench.open([text("ok")]) as flow:
        await flow.say("asked once only")
        assert "Always use tabs." in flow.requests[0].system


async def test_instructions_of_a_refused_folder_stay_out(bench: Bench) -> None:
    (bench.root / "AGENTS.md").write_text("Always use tabs.\n")
    async with bench.open([text("ok")]) as flow:
        flow.replies_to_questions = ["ignore what it brings"]
        await flow.say("go")
        assert "Always use tabs." not in flow.requests[0].system


@pytest.mark.parametrize("ending", ["ok", "error", "cancel"])
async def test_every_run_ends_with_exactly_one_run_finished(bench: Bench, ending: str) -> None:
    gate = asyncio.Event()
    script: dict[str, Scripted] = {
        "ok": text("x"),
        "error": PermanentError("no", kind="auth"),
        "cancel": steps(gate),
    }
    async with bench.open([script[ending]]) as flow:
        flow.engine.submit("go")
        if ending == "cancel":
            while not flow.requests:
                await asyncio.sleep(0.01)
            flow.engine.cancel()
        await flow.settle()
        assert len(flow.of(RunFinished)) == 1
        assert flow.engine.busy == ""


async def test_results_share_a_limit(bench: Bench) -> None:
    """B30: five large results of one reply are limited together."""
    bench.configure(tools={"limits": {"result_tokens": 1000}})
    (bench.root / "big.txt").write_text("word " * 20_000)
    wanted = calls(*[("bash", {"command": f"cat big.txt; echo {i}"}) for i in range(5)])
    async with bench.open([wanted, text("ok")]) as flow:
        await flow.say("go")
        results = [e.message for e in flow.of(ToolResultEvent)]
        assert sum(len(m.content) for m in results) < 2 * 1000 * 8
        assert all("characters left out" in m.content for m in results)

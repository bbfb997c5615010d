"""Pins and edits of the TaskState through the whole engine (spec/context 10)."""

import asyncio
import io

import pytest

from neocode.commands.registry import run_command
from neocode.domain.events import CompactDone, CompactError, NoticeEvent
from neocode.headless.run import run_headless
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.checker import check
from tests.flow.flow import Bench, Flow, steps, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, talk

RULE = "Never  write to `staging`; use port 8123 — 绝不要动它。"


def sent(flow: Flow) -> str:
    """The newest request as one text."""
    return "\n".join(message.content for message in flow.requests[-1].messages)


async def test_a_pinned_rule_is_in_every_request_word_for_word(bench: Bench) -> None:
    """Also after compactions by model and by code, undo, redo and a restart; until /unpin."""
    async with bench.open(provider=answering()) as flow:
        told = await run_command(flow.engine, f"/pin {RULE}")
        assert (told.level, "number 1" in told.text) == ("info", True)
        await talk(flow, 8)
        assert all(RULE in "".join(m.content for m in r.messages) for r in flow.requests)
        for strategy in (None, "full_replace", "extractive"):
            flow.engine.compact(strategy=strategy)
            await flow.settle()
            await talk(flow, 8)
            assert RULE in sent(flow)
            assert flow.engine.session.task_state.pinned == (RULE,)
            check(flow.requests[-1].messages)
        assert sum(e.applied for e in flow.of(CompactDone)) >= 2
        await run_command(flow.engine, "/compact undo")
        await flow.say("now?")
        assert RULE in sent(flow)
        await run_command(flow.engine, "/compact redo")
    async with bench.open(provider=answering(), latest=True) as flow:
        await flow.say("and after a restart?")
        assert RULE in sent(flow)
        assert RULE in (await run_command(flow.engine, "/task")).text
        assert RULE in (await run_command(flow.engine, "/unpin 1")).text
        await flow.say("and now?")
        assert "Rules the user pinned" not in sent(flow)
        assert RULE not in flow.engine.session.task_state.user_constraints
        assert "No rule is pinned" in (await run_command(flow.engine, "/pin")).text


async def test_a_pin_made_while_the_summary_is_written_is_kept(bench: Bench) -> None:
    """It waits until the history was replaced, and says so; a failed compaction keeps it too."""
    gate = asyncio.Event()
    summaries: list[Scripted] = [
        steps(gate, TextChunk(SUMMARY), FinishChunk("stop")),
        text("no summary"),
        text("none again"),
    ]
    async with bench.open(provider=answering(lambda _: summaries.pop(0))) as flow:
        await talk(flow, 12)
        flow.engine.compact()
        while not any(map(is_summary_request, flow.requests)):
            await asyncio.sleep(0.01)
        pin = asyncio.create_task(run_command(flow.engine, "/pin no tabs"))
        rename = asyncio.create_task(run_command(flow.engine, "/rename the great rename"))
        await asyncio.sleep(0.02)
        assert "change_waits" in [n.kind for n in flow.of(NoticeEvent)]
        assert not pin.done()
        gate.set()
        await asyncio.gather(pin, rename)
        await flow.settle()
        state = flow.engine.session.task_state
        assert (state.pinned, state.goal) == (("no tabs",), "rename the module core to kernel")
        assert flow.engine.session.title == "the great rename"
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactError)
        assert flow.engine.session.task_state.pinned == ("no tabs",)
    async with bench.open(provider=answering(), latest=True) as flow:
        assert flow.engine.session.task_state.pinned == ("no tabs",)
        assert flow.engine.session.title == "the great rename"


async def test_a_pin_during_a_run_is_in_its_next_request(bench: Bench) -> None:
    """Nothing of the run is lost by it."""
    gate = asyncio.Event()

    def react(request: ModelRequest) -> Scripted:
        if "slowly" in request.messages[-1].content:
            return steps(TextChunk("a"), gate, TextChunk("b"), FinishChunk("stop"))
        return text("fine")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        flow.engine.submit("slowly")
        await asyncio.sleep(0.05)
        await run_command(flow.engine, "/pin keep it short")
        gate.set()
        await flow.settle()
        await flow.say("next")
        assert "keep it short" in sent(flow)
        assert [m.content for m in flow.messages] == ["slowly", "ab", "next", "fine"]
        assert flow.engine.session.usage.api_calls == 2


async def test_the_task_state_is_edited_without_a_screen(bench: Bench) -> None:
    """Every field; an edit establishes the state; what is over a limit is refused in words."""
    async with bench.open(provider=answering()) as flow:

        async def command(line: str) -> str:
            return (await run_command(flow.engine, line)).text

        assert "empty" in await command("/task")
        await command("/task set goal rename core to kernel")
        await command("/task add open-items fix the imports")
        await command("/task add open_items run the tests")
        await command("/task add key_artifacts src/a.py")
        await command("/task add key_artifacts src/b.py")
        shown = await command("/task drop open_items 1")
        assert "  1. run the tests" in shown
        state = flow.engine.session.task_state
        assert state.goal == "rename core to kernel"
        assert state.key_artifacts == ("src/b.py", "src/a.py")
        assert state.last_updated_at
        await flow.say("go")
        assert "run the tests" in sent(flow)
        for line, words in {
            "/task set gaol x": "Did you mean goal?",
            "/task set open_items x": "is a list",
            "/task add goal x": "one text",
            "/task drop open_items 5": "no item 5",
            "/task drop open_items": "/task [set FIELD",
            "/task add open_items run the tests": "already",
            f"/task set goal {'x' * 2001}": "2,000 are the most",
            f"/pin {'x' * 401}": "400 are the most",
            "/unpin 1": "No rule is pinned",
        }.items():
            result = await run_command(flow.engine, line)
            assert result.level == "error", line
            assert words in result.text, result.text
        assert flow.engine.session.task_state == state
        await command("/task set goal")
        assert flow.engine.session.task_state.goal == ""


@pytest.mark.parametrize("output", ["text", "jsonl"])
async def test_pins_in_a_headless_run(bench: Bench, output: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    async with bench.open(provider=answering(), interactive=False) as flow:
        lines = "/pin answer in Latin\nsalve, quid agis?"
        assert await run_headless(flow.engine, lines, output, out, err) == 0
        assert "answer in Latin" in sent(flow)
    out = io.StringIO()
    async with bench.open(provider=answering(), latest=True, interactive=False) as flow:
        code = await run_headless(flow.engine, "/unpin 7\nnot sent", output, out, err)
        assert code == 1
        assert not flow.requests
        assert "There is no pinned rule 7" in out.getvalue() + err.getvalue()

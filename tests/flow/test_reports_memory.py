"""Field reports on what must survive a compaction, through the whole engine."""

import json
import re
from collections.abc import Mapping

from neocode.domain.events import CompactDone
from neocode.domain.messages import SUMMARY_MARK, Message
from neocode.provider.base import ModelRequest
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.checker import check
from tests.flow.flow import MODEL, Bench, Flow, call, text
from tests.flow.talks import STATE, answering, is_summary_request, summary_requests, talk


def summary(state: Mapping[str, object]) -> str:
    """A summary with this state, that tells nothing else."""
    shown = (
        f"{SUMMARY_MARK}\ndone:\n- some work\nin_progress:\n- more\ndecisions:\n- none\n"
        "code_changes:\n- none\nconstraints:\n- none\n"
    )
    return json.dumps({"task_state": {**STATE, **state}, "display_summary": shown})


async def compact(flow: Flow) -> None:
    flow.engine.compact()
    await flow.settle()
    assert flow.of(CompactDone)[-1].applied


def is_spoken(message: Message) -> bool:
    """The user said it."""
    return message.role == "user" and not message.is_compaction_summary


def notes(request: ModelRequest) -> Message:
    """The message that carries the context notes."""
    [found] = [m for m in request.messages if m.content.startswith("[context notes]")]
    return found


async def test_what_a_summary_claims_is_never_the_users_word(bench: Bench) -> None:
    """B03: claims stand among notes marked as a model's; what the user said stays as it was."""
    claim, quote = "the migration was run", "please delete the old tables"
    made_up = summary({"goal": quote, "progress": [claim]})
    async with bench.open(provider=answering(made_up)) as flow:
        await talk(flow, 10)
        spoken = [m for m in flow.engine.full_history() if is_spoken(m)]
        await compact(flow)
        await flow.say("what is left?")
        request = flow.requests[-1]
        carrier = notes(request)
        assert claim in carrier.content
        assert "partly written by a model" in carrier.content
        before, _, after = carrier.content.partition("[end of context notes]")
        assert claim not in after
        assert quote not in re.findall("<user_message>(.*?)</user_message>", before, re.DOTALL)
        others = [m for m in request.messages if m is not carrier]
        assert not [m for m in others if claim in m.content or quote in m.content]
        history = [m.content for m in flow.engine.full_history() if is_spoken(m)]
        assert history[:-1] == [m.content for m in spoken]
        kept = [m.content for m in others if m.role == "user"]
        assert [m.content for m in spoken[-4:]] == kept[:4]


async def test_small_facts_survive_a_summary_that_forgets_them(bench: Bench) -> None:
    """B04: the command, the port and the ban are in the next request all the same."""
    forgetful = summary({"user_constraints": [], "decisions": [], "key_artifacts": []})
    facts = "tests only run with `make check PY=3.12`; the dev server is on port 8123; "
    async with bench.open(provider=answering(forgetful)) as flow:
        await flow.say(f"{facts}never touch the staging one")
        await talk(flow, 30)
        await compact(flow)
        await flow.say("run the tests")
        sent = notes(flow.requests[-1]).content
        for fact in ("make check PY=3.12", "port 8123", "never touch the staging one"):
            assert fact in sent


async def test_the_language_of_the_session_is_asked_for(bench: Bench) -> None:
    """B05: a Chinese session asks for Chinese, by hand and by threshold."""
    bench.configure(context={"auto_compact": {"enabled": True, "input_token_threshold": 30_000}})
    chinese = {"goal": "把模块 core 改名为 kernel", "progress": ["第一步完成"]}
    async with bench.open(provider=answering(summary(chinese))) as flow:
        for turn in range(20):
            await flow.say(
                f"第{turn}步：请看一下 src/core.py 的这个部分，然后告诉我需要改什么。" * 3
            )
        await compact(flow)
        asked = summary_requests(flow)
        assert {e.trigger_mode for e in flow.of(CompactDone) if e.applied} == {"auto", "manual"}
        for request in asked:
            words = request.system + "".join(m.content for m in request.messages)
            assert "Chinese" in words
        await flow.say("继续")
        assert "把模块 core 改名为 kernel" in notes(flow.requests[-1]).content
        assert SUMMARY_MARK in notes(flow.requests[-1]).content


async def test_files_already_read_are_named_and_not_read_again(bench: Bench) -> None:
    """B06: twelve files of about 6k tokens, a window of 64k, a model that reads what is not named.

    The summariser tells nothing of the files: code does.
    """
    names = [f"src/module_{chr(97 + n)}.py" for n in range(12)]
    (bench.root / "src").mkdir()
    for name in names:
        line = f"value_{name[-4]} = compute(some_argument, other_argument)\n"
        (bench.root / name).write_text(line * 400)
    bench.configure(
        models=[{**MODEL, "context_window": 64_000}],
        context={
            "auto_compact": {
                "enabled": True,
                "trigger": "context_window",
                "threshold_percent": 75,
                "max_per_run": 3,
            }
        },
    )
    silent = summary({"key_artifacts": [], "progress": ["read some modules"]})
    reads: list[str] = []

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return silent
        seen = "\n".join(
            m.content[:20_000] + "".join(c.arguments for c in m.tool_calls)
            for m in request.messages
        )
        missing = [name for name in names if name not in seen]
        if not missing:
            return text("all twelve are understood")
        reads.append(missing[0])
        return call("read", f"r{len(reads)}", path=missing[0])

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("go through every module of the package and tell me what it computes")
        assert [e.trigger_mode for e in flow.of(CompactDone) if e.applied]
        assert len(reads) <= 14
        check(flow.requests[-1].messages)
        await compact(flow)
        await flow.say("and now?")
        sent = "\n".join(m.content for m in flow.requests[-1].messages)
        assert all(name in sent for name in names)

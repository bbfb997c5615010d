"""Field reports on sizes, windows and what fills them, through the whole engine."""

import re
from pathlib import Path

import pytest

from neocode.domain.events import (
    CompactDone,
    CompactStart,
    NoticeEvent,
    Question,
    RunError,
    RunFinished,
    TokenUpdate,
)
from neocode.domain.messages import Image, Message
from neocode.provider.base import ModelRequest
from neocode.provider.fake import Scripted, ScriptedProvider
from neocode.runtime import tasks
from neocode.runtime.compaction import COMPACT_FIRST, GO_BACK, SEND_ANYWAY
from neocode.runtime.fitting import BACK, CUT, FILE
from tests.checker import check
from tests.flow.flow import MODEL, Bench, call, calls, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, summary_requests, talk

BIG, SMALL = {**MODEL, "name": "big"}, {**MODEL, "name": "small", "context_window": 16_000}


@pytest.mark.parametrize(("window", "output"), [(16_000, None), (200_000, 64_000), (8_000, 8_000)])
async def test_every_window_leaves_room(bench: Bench, window: int, output: int | None) -> None:
    """B17: no compaction on a 2k history, and input and output fit together at the trigger."""
    model = {**MODEL, "context_window": window}
    if output is not None:
        model["max_output_tokens"] = output
    auto = {"enabled": True, "trigger": "context_window", "threshold_percent": 70}
    bench.configure(models=[model], context={"auto_compact": auto})
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        assert not flow.of(CompactStart)
        assert not flow.of(RunError)
        while flow.of(TokenUpdate)[-1].used_tokens < window * 0.65 and window < 100_000:
            await talk(flow, 1)
        for request in flow.requests:
            built = flow.of(TokenUpdate)[-1].used_tokens
            asked = request.max_output_tokens
            assert asked is None or 0 < asked <= window - 1000
            assert built < window
        newest = flow.requests[-1]
        asked = newest.max_output_tokens or 0
        assert newest.estimated_tokens + asked <= window


async def test_pictures_are_bounded_and_their_sum_shows(bench: Bench) -> None:
    """B23: one of 2 MB changes little; thirty set the compaction off in time."""
    auto = {"enabled": True, "trigger": "context_window", "threshold_percent": 70}
    window = {**MODEL, "context_window": 64_000, "vision": True}
    bench.configure(models=[window], context={"auto_compact": auto})
    picture = Image(media_type="image/png", data="A" * 2_800_000, width=2560, height=1440)
    async with bench.open(provider=answering()) as flow:
        before = flow.engine.figures().next_request
        flow.engine.submit("what is on it?", (picture,))
        await flow.settle()
        one = flow.of(TokenUpdate)[-1].used_tokens - before
        assert 500 < one < 5_000
        assert not flow.of(CompactStart)
        assert flow.requests[-1].messages[-1].images == (picture,)
        for number in range(40):
            flow.engine.submit(f"and picture {number}?", (picture,))
            await flow.settle()
            if flow.of(CompactDone):
                break
        assert flow.of(CompactDone)[0].applied
        assert number > 10
        assert max(u.used_tokens for u in flow.of(TokenUpdate)) < 64_000


async def grown(bench: Bench) -> int:
    """A session that fits the big model's window and not the small one's; its size."""
    bench.configure(models=[BIG, SMALL], model="big")
    async with bench.open(provider=answering()) as flow:
        while flow.engine.figures().next_request < 20_000:
            await talk(flow, 8)
        return flow.engine.figures().next_request


async def test_a_smaller_window_is_a_reason_to_compact(bench: Bench) -> None:
    """B26: automatic mode compacts before it sends, by the model that can read it all."""
    size = await grown(bench)
    bench.configure(models=[BIG, SMALL], model="big", context={"auto_compact": {"enabled": True}})
    async with bench.open(provider=answering(), latest=True) as flow:
        share = flow.of(TokenUpdate)[-1].percent if flow.of(TokenUpdate) else 0.0
        flow.engine.set_model("small")
        await flow.settle()
        assert flow.of(TokenUpdate)[-1].percent > 5 * share
        assert flow.of(TokenUpdate)[-1].max_tokens == 16_000
        await flow.say("which design did we drop?")
        assert [e.trigger_mode for e in flow.of(CompactDone) if e.applied] == ["auto"]
        assert [r.model.name for r in summary_requests(flow)] == ["big"]
        assert flow.requests[-1].model.name == "small"
        assert flow.requests[-1].messages[-1].content.endswith("which design did we drop?")
        assert flow.requests[-1].estimated_tokens < 16_000 < size
        flow.engine.set_model("big")
        before = flow.messages
        await flow.say("and now?")
        assert flow.messages[: len(before)] == before
        assert len(flow.of(CompactDone)) == 1


@pytest.mark.parametrize("answer", [COMPACT_FIRST, SEND_ANYWAY, GO_BACK])
async def test_with_automatic_mode_off_the_user_is_asked(bench: Bench, answer: str) -> None:
    """B26: compact, send it all the same, or go back; asked once."""
    await grown(bench)
    async with bench.open(provider=answering(), latest=True) as flow:
        flow.replies_to_questions = [answer]
        flow.engine.set_model("small")
        await flow.say("which design did we drop?")
        [question] = flow.of(Question)
        assert "small takes" in question.question
        sent = [r.model.name for r in flow.requests if not is_summary_request(r)]
        applied = [e.applied for e in flow.of(CompactDone)]
        stop = flow.of(RunFinished)[-1].stop_reason
        assert (sent, applied, stop) == {
            COMPACT_FIRST: (["small"], [True], "done"),
            SEND_ANYWAY: (["small"], [], "done"),
            GO_BACK: ([], [], "cancelled"),
        }[answer]


async def test_without_a_screen_nobody_is_asked(bench: Bench) -> None:
    """B26: the rescue after a refusal is there all the same."""
    await grown(bench)
    async with bench.open(provider=answering(), latest=True, interactive=False) as flow:
        flow.engine.set_model("small")
        await flow.say("which design did we drop?")
        assert not flow.of(Question)
        assert flow.of(RunFinished)[-1].stop_reason == "done"


def flat(messages: tuple[Message, ...]) -> list[str]:
    """What is sent of each message."""
    return [f"{m.role} {m.tool_call_id} {m.content} {m.tool_calls}" for m in messages]


async def test_requests_begin_with_the_one_before(bench: Bench) -> None:
    """B29: sixty turns with a result of some thousand tokens each; clearing is rare.

    Between two moves of the edge each request begins with the whole previous one, and the
    stand-in of a result is always the same.
    """
    (bench.root / "big.txt").write_text("some words here and there\n" * 500)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if request.messages[-1].role == "tool":
            return text("read")
        count += 1
        return call("read", f"r{count}", path="big.txt")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.engine.edit_task_state(lambda s: tasks.set_text(s, "goal", "read a lot"))
        for turn in range(60):
            await flow.say(f"read it for the {turn}th time")
        breaks = 0
        for before, after in zip(flow.requests, flow.requests[1:], strict=False):
            check(after.messages)
            was, now = flat(before.messages), flat(after.messages)
            breaks += now[: len(was)] != was
            assert (before.system, before.tools) == (after.system, after.tools)
        assert 1 <= breaks <= 8
        stand_ins: dict[str, set[str]] = {}
        for request in flow.requests:
            for message in request.messages:
                if message.content.startswith("[cleared"):
                    stand_ins.setdefault(message.id, set()).add(message.content)
        assert len(stand_ins) > 20
        assert all(len(texts) == 1 for texts in stand_ins.values())


async def test_small_results_of_a_long_turn_are_not_cleared(bench: Bench) -> None:
    """B28: 25 greps of 200 tokens, far below the limit, with a task state."""
    (bench.root / "a.txt").write_text("needle in a line of some length, number one\n" * 15)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        count += 1
        return call("grep", f"g{count}", pattern="needle") if count <= 25 else text("done")

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.engine.edit_task_state(lambda s: tasks.set_text(s, "goal", "find it"))
        await flow.say("search 25 times")
        assert not [m for r in flow.requests for m in r.messages if "[cleared" in m.content]


async def test_one_result_larger_than_the_window(bench: Bench) -> None:
    """B30: a command prints 400k characters, then five large results at once; the run goes on."""
    bench.configure(models=[{**MODEL, "context_window": 32_000}])
    (bench.root / "ten.txt").write_text("words of the file\n" * 3000)
    five = calls(*([("read", {"path": "ten.txt"})] * 5), ids=[f"p{n}" for n in range(5)])
    flood = call("bash", "b1", command="yes some output | head -c 400000")
    async with bench.open([flood, five, text("done")]) as flow:
        await flow.say("print a lot")
        assert flow.of(RunFinished)[-1].stop_reason == "done"
        sizes = [r.estimated_tokens for r in flow.requests]
        assert sizes[-1] < 32_000
        first = next(m for m in flow.messages if m.tool_call_id == "b1")
        assert "400,000" in first.content
        whole = re.search(r"/\S+\.txt", first.content)
        assert whole is not None
        assert len(Path(whole[0]).read_text()) >= 399_000
        check(flow.requests[-1].messages)


PASTE = "request handled in 12 ms; status 200; id 4711\n" * 6000 + "Why is it slow?"


@pytest.mark.parametrize("answer", [CUT, FILE, BACK])
async def test_a_paste_larger_than_the_window_is_a_question(bench: Bench, answer: str) -> None:
    """B31: its size is named, nothing is compacted for it, the text is not lost."""
    bench.configure(
        models=[{**MODEL, "context_window": 64_000}],
        context={"auto_compact": {"enabled": True, "trigger": "either"}},
    )
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        before, sent = flow.messages, len(flow.requests)
        flow.replies_to_questions = [answer]
        await flow.say(PASTE)
        [question] = flow.of(Question)
        assert re.search(r"about \d\d,\d{3} tokens", question.question)
        assert not flow.of(CompactStart)
        assert flow.messages[: len(before)] == before
        if answer == BACK:
            assert len(flow.requests) == sent
            assert flow.of(NoticeEvent)[-1].kind == "not_sent"
            return
        assert flow.requests[-1].estimated_tokens < 64_000
        newest = flow.requests[-1].messages[-1].content
        assert newest.endswith("Why is it slow?")
        if answer == FILE:
            path = re.search(r"/\S+\.txt", newest)
            assert path is not None
            assert Path(path[0]).read_text(encoding="utf-8") == PASTE


@pytest.mark.parametrize("strategy", ["keep_recent", "full_replace", "token_budget"])
async def test_no_cut_between_a_call_and_its_result(bench: Bench, strategy: str) -> None:
    """B19: every count of kept messages from 1 to 30, over groups of parallel calls."""
    (bench.root / "a.txt").write_text("a line of a file that is read\n" * 30)
    count = 0

    def react(request: ModelRequest) -> Scripted:
        nonlocal count
        if is_summary_request(request):
            return SUMMARY
        count += 1
        ids = [f"{count}-{n}" for n in range(count % 4)]
        if not ids:
            return text("understood " * 30)
        return calls(*([("read", {"path": "a.txt"})] * len(ids)), ids=ids)

    bench.configure(context={"compact": {"fallback": "extractive", "tail_token_budget_ratio": 0.1}})
    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        for turn in range(10):
            await flow.say(f"turn {turn}, read some of it again, in groups of several")
        for keep in range(1, 31) if strategy == "keep_recent" else (10,):
            flow.engine.compact(strategy=strategy, keep=keep)  # type: ignore[arg-type]
            await flow.settle()
            if not flow.of(CompactDone)[-1].applied:
                continue
            asked = Message(id="m_asked", created_at="", role="user", content="go on")
            check(flow.engine.jobs.around.look(flow.engine.session.append(asked)).messages)
            await flow.engine.undo_compaction()
        assert any(e.applied for e in flow.of(CompactDone)) or strategy == "token_budget"

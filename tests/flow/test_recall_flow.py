"""recall through the whole engine: every id works, words find what was archived or cleared."""

import re
from pathlib import Path

from neocode.commands.registry import run_command
from neocode.domain.clock import new_id
from neocode.domain.events import CompactDone
from neocode.provider.base import ModelRequest
from neocode.provider.fake import Scripted, ScriptedProvider
from neocode.runtime import tasks
from tests.checker import check
from tests.flow.flow import Bench, Flow, call, calls, text
from tests.flow.talks import SUMMARY, answering, is_summary_request, talk

PRINTED = re.compile(r"recall (m_\w+)")


def ids_printed(request: ModelRequest) -> list[str]:
    """Every id that a stand-in or a shortened result in the request names."""
    return [found for m in request.messages for found in PRINTED.findall(m.content)]


async def recall(flow: Flow, **arguments: object) -> str:
    """What the model gets for a recall call."""
    flow.provider.replies[:] = [calls(("recall", arguments), ids=[new_id("c")]), text("thanks")]
    await flow.say("get it back")
    result = next(m for m in reversed(flow.messages) if m.tool_name == "recall")
    check(flow.requests[-1].messages)
    return result.content


async def read_often(flow: Flow, root: Path, times: int) -> None:
    """One run that reads so many files, each with a line of its own."""
    for number in range(times):
        (root / f"part{number}.txt").write_text(
            f"secret word number {number} is w{number}x\n" + f"filler {number} and more\n" * 400
        )
    replies: list[Scripted] = [
        call("read", f"r{number}", path=f"part{number}.txt") for number in range(times)
    ]
    flow.provider.replies[:] = [*replies, text("all read")]
    await flow.say("read all parts")


async def test_every_printed_id_gives_the_whole_record(bench: Bench) -> None:
    """After clearing, after a compaction, after its undo and after a restart."""
    async with bench.open(provider=answering()) as flow:
        await flow.engine.edit_task_state(lambda s: tasks.set_text(s, "goal", "read all parts"))
        await read_often(flow, bench.root, 30)
        await flow.say("and now?")
        printed = ids_printed(flow.requests[-1])
        assert len(printed) > 10
        whole = {m.id: m.content for m in flow.engine.full_history()}
        for message_id in printed:
            record = await flow.engine.record(message_id)
            assert record is not None
            assert record.content == whole[message_id]
        assert "secret word number 0 is w0x" in await recall(flow, id=printed[0])
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied
        assert "secret word number 1 is w1x" in await recall(flow, id=f"[recall {printed[1]}]")
        await flow.engine.undo_compaction()
        assert "secret word number 2 is w2x" in await recall(flow, id=printed[2])
        await flow.engine.redo_compaction()
    async with bench.open(provider=answering(), latest=True) as flow:
        assert "secret word number 3 is w3x" in await recall(flow, id=printed[3])
        assert "secret word number 4 is w4x" in await recall(flow, id="r4")


async def test_a_shortened_result_comes_back_whole(bench: Bench) -> None:
    """What a compaction cut to head and tail, or cleared, names its id too."""
    bench.configure(
        models=[{"name": "scripted", "id": "openai/scripted", "api_key": "none",
                 "context_window": 16_000}],
        context={"compact": {"manual_keep_recent_messages": 4}},
    )  # fmt: skip
    (bench.root / "big.txt").write_text("".join(f"line {n} of the log\n" for n in range(900)))
    replies: list[Scripted] = [call("read", "r1", path="big.txt"), text("seen")]
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 6)
        flow.provider.replies[:] = replies
        await flow.say("look")
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[-1].applied
        await flow.say("go on")
        [printed, *_] = ids_printed(flow.requests[-1])
        assert "line 450 of the log" not in flow.requests[-1].messages[-3].content
        record = await flow.engine.record(printed)
        assert record is not None
        assert "line 450 of the log" in record.content
        found = await flow.engine.recall("line 450 of the log")
        assert printed in [hit.message_id for hit in found]


async def test_offsets_lead_through_a_long_record(bench: Bench) -> None:
    """Each page is within the tool limit and names where the next begins; nothing is lost."""
    async with bench.open(provider=answering()) as flow:
        words = " ".join(f"word{n}" for n in range(9000))
        await flow.say(words)
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        first = flow.engine.full_history()[0]
        pieces, offset = [], 0
        while True:
            got = await recall(flow, id=first.id, offset=offset)
            body = got.split("\n", 1)[1]
            found = re.search(r"\n\[characters .* offset (\d+)\]$", body)
            pieces.append(body[: found.start()] if found else body)
            if found is None:
                break
            offset = int(found[1])
        assert len(pieces) > 1
        assert "".join(pieces) == words


async def test_search_finds_archived_and_cleared_text_only(bench: Bench) -> None:
    """Two Chinese characters are enough; what the model still sees is no find."""
    async with bench.open(provider=answering()) as flow:
        await flow.say("暂存服务器的端口是 8123，绝不要碰它")
        await flow.say("the frobnicator lives in src/frob.py")
        await talk(flow, 10)
        assert not await flow.engine.recall("frobnicator")
        flow.engine.compact()
        await flow.settle()
        assert "src/frob.py" in await recall(flow, query="where is the frobnicator?")
        assert "8123" in await recall(flow, query="端口")
        assert "8123" in await recall(flow, query="暂存")
        assert "Nothing archived" in await recall(flow, query="zyzzyva")
        again = await recall(flow, query="frobnicator")
        assert again.count("(recall result)") == 0


async def test_a_call_that_names_nothing_is_told_what_to_do(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        assert "Give a query" in await recall(flow)
        assert "no record 'm_none'" in await recall(flow, id="m_none")
        assert flow.messages[-2].is_error


async def test_results_of_recall_age_like_others(bench: Bench) -> None:
    """They can be cleared, and their stand-in leads to the same text."""
    async with bench.open(provider=answering()) as flow:
        await flow.engine.edit_task_state(lambda s: tasks.set_text(s, "goal", "read all parts"))
        await read_often(flow, bench.root, 12)
        first = next(m for m in flow.messages if m.role == "tool")
        flow.provider.replies[:] = [
            *(call("recall", f"x{n}", id=first.id) for n in range(40)),
            text("done"),
        ]
        await flow.say("recall it often")
        await flow.say("next")
        cleared = [m for m in flow.requests[-1].messages if "[cleared recall" in m.content]
        assert cleared
        again = PRINTED.findall(cleared[0].content)[-1]
        record = await flow.engine.record(again)
        assert record is not None
        assert "secret word number 0" in record.content


async def test_the_users_recall(bench: Bench) -> None:
    """/recall TEXT, /recall ID with an offset, /recall --all over every session."""
    async with bench.open(provider=answering()) as flow:
        await flow.say("the frobnicator lives in src/frob.py")
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        other = flow.engine.session.id
        found = await run_command(flow.engine, "/recall frobnicator")
        assert (found.show, found.level) == ("recall", "info")
        assert "src/frob.py" in found.text
        first = flow.engine.full_history()[0].id
        assert first in found.text
        assert "src/frob.py" in (await run_command(flow.engine, f"/recall {first}")).text
        at = await run_command(flow.engine, f"/recall {first} 25")
        assert "src/frob.py" in at.text
        assert "the frob" not in at.text
        assert "/recall --all" in (await run_command(flow.engine, "/recall nowhere")).text
        assert (await run_command(flow.engine, "/recall")).level == "error"
    async with bench.open(provider=answering()) as flow:
        assert "Nothing" in (await run_command(flow.engine, "/recall frobnicator")).text
        everywhere = (await run_command(flow.engine, "/recall --all frobnicator")).text
        assert f"{other}/{first}" in everywhere
        record = await run_command(flow.engine, f"/recall {other}/{first}")
        assert "src/frob.py" in record.text


async def test_parallel_recalls_share_the_limit(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await flow.say(" ".join(f"word{n}" for n in range(9000)))
        await talk(flow, 8)
        flow.engine.compact()
        await flow.settle()
        first = flow.engine.full_history()[0].id
        flow.provider.replies[:] = [
            calls(*([("recall", {"id": first})] * 5), ids=list("abcde")),
            text("ok"),
        ]
        await flow.say("five at once")
        results = [m for m in flow.messages if m.tool_name == "recall"]
        assert len(results) == 5
        assert sum(len(m.content) for m in results) < 2 * 8000 * 5


async def test_a_summary_request_may_hold_recalled_text(bench: Bench) -> None:
    """A compaction after a recall works as any other."""

    def react(request: ModelRequest) -> Scripted:
        return SUMMARY if is_summary_request(request) else text("understood " * 30)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("the frobnicator lives in src/frob.py")
        await talk(flow, 8)
        for _ in range(2):
            flow.engine.compact()
            await flow.settle()
            assert "src/frob.py" in await recall(flow, query="frobnicator")
            await talk(flow, 6)
        assert [e.applied for e in flow.of(CompactDone)] == [True, True]

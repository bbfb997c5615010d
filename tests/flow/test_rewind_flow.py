"""Back to earlier prompts through the whole engine: conversation, files, both."""

import asyncio
from pathlib import Path

import pytest

from neocode.domain.checkpoints import Rewound
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import NoticeEvent, SessionChanged
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.checker import check
from tests.flow.flow import Bench, Flow, call, steps, text
from tests.flow.talks import SUMMARY, is_summary_request, talk


def edit(path: str, old: str, new: str) -> list[Scripted]:
    """Replies that read a file, change it and say so."""
    return [
        call("read", path=path),
        call("edit", path=path, old_text=old, new_text=new),
        text("changed"),
    ]


def write(path: str, content: str) -> list[Scripted]:
    """Replies that write a new file and say so."""
    return [call("write", path=path, content=content), text("written")]


async def back(
    flow: Flow, number: int, *, conversation: bool = True, files: bool = True, how: str = "stop"
) -> Rewound:
    """Go back to before the session's prompt of this number, counted from 0."""
    point = (await flow.engine.rewind_points())[number]
    return await flow.engine.rewind(
        point.message_id,
        conversation=conversation,
        files=files,
        on_conflict=how,  # type: ignore[arg-type]
    )


async def test_conversation_and_files_go_back_together(bench: Bench) -> None:
    """An edited, a new (with its folders) and an untouched file; the text can be edited again."""
    calc = bench.root / "calc.py"
    calc.write_bytes(b"a = 1\r\nb = 2\r\n")
    (bench.root / "other.txt").write_text("mine\n")
    script = [*edit("calc.py", "a = 1", "a = 10"), *write("new/deep/x.txt", "x\n"), text("again")]
    async with bench.open(script) as flow:
        await flow.say("make a ten")
        await flow.say("write x, see @other.txt")
        assert calc.read_bytes() == b"a = 10\r\nb = 2\r\n"
        points = await flow.engine.rewind_points()
        assert [p.prompt for p in points] == ["make a ten", "write x, see @other.txt"]
        assert [p.files for p in points] == [("calc.py",), ("new/deep/x.txt",)]
        told = await back(flow, 1)
        assert (told.done, told.prompt) == (True, "write x, see @other.txt")
        assert told.restored == ("new/deep/x.txt",)
        assert not (bench.root / "new").exists()
        assert calc.read_bytes() == b"a = 10\r\nb = 2\r\n"
        assert len(flow.messages) == 6
        await flow.say("something else")
        assert [m.content for m in flow.messages[-2:]] == ["something else", "again"]
        check(flow.requests[-1].messages)
        await back(flow, 0)
        assert calc.read_bytes() == b"a = 1\r\nb = 2\r\n"
        assert list(flow.messages) == []
        assert (bench.root / "other.txt").read_text() == "mine\n"
        await flow.settle()
        reasons = [e.reason for e in flow.of(SessionChanged)]
        assert reasons == ["rewind", "rewind"]


async def test_either_alone(bench: Bench) -> None:
    """Files only leaves the talk; talk only leaves the files, which a later rewind still knows."""
    one = bench.root / "one.txt"
    one.write_text("one\n")
    script = [*edit("one.txt", "one", "two"), *edit("one.txt", "two", "three"), text("ok")]
    async with bench.open(script) as flow:
        await flow.say("make it two")
        await flow.say("make it three")
        await back(flow, 1, conversation=False)
        assert one.read_text() == "two\n"
        assert len(flow.messages) == 12
        await back(flow, 0, conversation=False)
        assert one.read_text() == "one\n"
        await back(flow, 1, conversation=False)
        assert one.read_text() == "two\n", "forward again, by the checkpoints of the rewind"
        await back(flow, 1, files=False)
        assert one.read_text() == "two\n"
        assert len(flow.messages) == 6
        await flow.say("go on")
        await back(flow, 0)
        assert one.read_text() == "one\n"
        assert not flow.messages


async def test_talk_only_then_files_of_what_is_hidden(bench: Bench) -> None:
    """What a hidden prompt changed belongs to the time after the prompts that stayed."""
    one = bench.root / "one.txt"
    one.write_text("one\n")
    script = [text("hello"), *edit("one.txt", "one", "two"), text("new talk")]
    async with bench.open(script) as flow:
        await flow.say("first")
        await flow.say("make it two")
        await back(flow, 1, files=False)
        await flow.say("other second")
        told = await back(flow, 1)
        assert told.restored == ()
        assert one.read_text() == "two\n"
        await back(flow, 0)
        assert one.read_text() == "one\n"


async def test_across_compactions_and_after_a_restart(bench: Bench) -> None:
    """A compaction that reaches past the prompt is taken back, one that does not stays."""
    one = bench.root / "one.txt"
    one.write_text("one\n")
    replies = [*edit("one.txt", "one", "two")]

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        return replies.pop(0) if replies else text("understood " * 30)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await flow.say("make it two")
        for _ in range(2):
            await talk(flow, 8)
            flow.engine.compact()
            await flow.settle()
        assert flow.engine.session.compactions == 2
        points = await flow.engine.rewind_points()
        assert len(points) == 17
    async with bench.open(provider=ScriptedProvider(then=react), latest=True) as flow:
        assert [p.message_id for p in await flow.engine.rewind_points()] == [
            p.message_id for p in points
        ]
        await back(flow, 15)
        assert flow.engine.session.compactions == 2
        assert flow.messages[0].is_compaction_summary
        await flow.say("on top of the summary")
        check(flow.requests[-1].messages)
        await back(flow, 8)
        assert flow.engine.session.compactions == 1
        assert one.read_text() == "two\n"
        await flow.say("on top of the first summary")
        check(flow.requests[-1].messages)
        await back(flow, 0)
        assert (flow.engine.session.compactions, len(flow.messages)) == (0, 0)
        assert one.read_text() == "one\n"
        assert not flow.engine.session.task_state.is_established
        await flow.say("all new")
        check(flow.requests[-1].messages)
        assert len(flow.requests[-1].messages) == 1


@pytest.mark.parametrize("how", ["stop", "keep", "overwrite"])
async def test_the_users_own_edits(bench: Bench, how: str) -> None:
    """Never overwritten without a question; the rest goes back; their bytes are kept."""
    for name in ("a.txt", "b.txt"):
        (bench.root / name).write_text("one\n")
    a, b = bench.root / "a.txt", bench.root / "b.txt"
    script = [*edit("a.txt", "one", "two")[:2], *edit("b.txt", "one", "two"), text("x")]
    async with bench.open(script) as flow:
        await flow.say("both to two")
        await flow.say("second")
        a.write_text("my own work\n")
        told = await back(flow, 0)
        assert (told.done, told.restored) == (False, ())
        assert [(c.name, c.reason) for c in told.conflicts] == [("a.txt", "changed")]
        assert (a.read_text(), b.read_text()) == ("my own work\n", "two\n")
        assert len(flow.messages) > 6
        if how == "stop":
            return
        told = await back(flow, 0, conversation=False, how=how)
        assert told.done
        assert b.read_text() == "one\n"
        assert a.read_text() == ("one\n" if how == "overwrite" else "my own work\n")
        if how == "overwrite":
            await back(flow, 1, conversation=False)
            assert a.read_text() == "my own work\n", "what was overwritten is a checkpoint too"


async def test_an_edit_between_two_of_ours_is_the_users_too(bench: Bench) -> None:
    one = bench.root / "one.txt"
    one.write_text("one\n")
    script = [*edit("one.txt", "one", "two"), *edit("one.txt", "my own", "our own")]
    async with bench.open(script) as flow:
        await flow.say("make it two")
        one.write_text("two\nmy own\n")
        await flow.say("now that")
        assert one.read_text() == "two\nour own\n"
        told = await back(flow, 0)
        assert [c.reason for c in told.conflicts] == ["changed"]
        told = await back(flow, 1)
        assert told.done
        assert one.read_text() == "two\nmy own\n"


async def test_deleted_files_and_modes(bench: Bench) -> None:
    """A file that somebody deleted is asked about, then comes back with its mode."""
    tool = bench.root / "tool.sh"
    tool.write_text("#!/bin/sh\necho one\n")
    tool.chmod(0o750)
    async with bench.open([*edit("tool.sh", "one", "two")]) as flow:
        await flow.say("two")
        assert tool.stat().st_mode & 0o777 == 0o750
        tool.unlink()
        told = await back(flow, 0)
        assert [c.reason for c in told.conflicts] == ["changed"]
        await back(flow, 0, how="overwrite")
        assert tool.read_text() == "#!/bin/sh\necho one\n"
        assert tool.stat().st_mode & 0o777 == 0o750


async def test_a_mode_that_the_user_changed_stays(bench: Bench) -> None:
    tool = bench.root / "tool.sh"
    tool.write_text("one\n")
    async with bench.open([*edit("tool.sh", "one", "two")]) as flow:
        await flow.say("two")
        tool.chmod(0o755)
        assert (await back(flow, 0)).done
        assert (tool.read_text(), tool.stat().st_mode & 0o777) == ("one\n", 0o755)


async def test_a_new_file_that_the_user_went_on_with_stays(bench: Bench) -> None:
    async with bench.open([*write("new.txt", "ours\n"), text("x")]) as flow:
        await flow.say("write")
        (bench.root / "new.txt").write_text("ours\nand mine\n")
        told = await back(flow, 0, how="keep")
        assert told.done
        assert [c.name for c in told.conflicts] == ["new.txt"]
        assert (bench.root / "new.txt").read_text() == "ours\nand mine\n"
        assert not flow.messages


async def test_links_are_written_through_and_never_followed_to_a_new_place(bench: Bench) -> None:
    """The tools write the target of a link; a link put there later leads a rewind nowhere."""
    (bench.root / "real").mkdir()
    real = bench.root / "real" / "x.txt"
    real.write_text("one\n")
    (bench.root / "link.txt").symlink_to(real)
    elsewhere = bench.folder / "elsewhere"
    elsewhere.mkdir()
    async with bench.open([*edit("link.txt", "one", "two"), text("ok")]) as flow:
        await flow.say("two")
        await flow.say("second")
        await back(flow, 0, conversation=False)
        assert real.read_text() == "one\n"
        assert (bench.root / "link.txt").is_symlink()
        await back(flow, 1, conversation=False)
        assert real.read_text() == "two\n"
        (elsewhere / "x.txt").write_text("two\n")
        real.unlink()
        real.parent.rmdir()
        real.parent.symlink_to(elsewhere)
        told = await back(flow, 0, how="overwrite")
        assert [c.reason for c in told.conflicts] == ["blocked"]
        assert (elsewhere / "x.txt").read_text() == "two\n"


async def test_bytes_that_are_no_utf8_come_back(bench: Bench) -> None:
    """A BOM, CRLF, Latin-1 and a file that was turned into something binary by its user."""
    old = "\ufeffone\r\ntwo\r\n".encode("utf-16-le")
    (bench.root / "wide.txt").write_bytes(old)
    (bench.root / "old.txt").write_bytes(b"caf\xe9 one\n")
    script = [*edit("wide.txt", "one", "uno")[:2], *edit("old.txt", "one", "uno"), text("x")]
    async with bench.open(script) as flow:
        await flow.say("go")
        await flow.say("second")
        told = await flow.engine.file_diffs()
        assert [(d.name, d.added, d.removed) for d in told] == [
            ("wide.txt", 1, 1),
            ("old.txt", 1, 1),
        ]
        await back(flow, 0, conversation=False)
        assert (bench.root / "wide.txt").read_bytes() == old
        assert (bench.root / "old.txt").read_bytes() == b"caf\xe9 one\n"
        binary = b"\x00\x01\x02\xff" * 50
        (bench.root / "old.txt").write_bytes(binary)
        assert (await flow.engine.file_diffs())[0].note.startswith("not text")
        await back(flow, 0, conversation=False, how="overwrite")
        assert (bench.root / "old.txt").read_bytes() == b"caf\xe9 one\n"
        assert binary in [blob.read_bytes() for blob in checkpoint_files(bench)]


async def test_a_file_that_is_too_large_is_changed_and_said(bench: Bench) -> None:
    big = bench.root / "big.txt"
    big.write_text("one\n" + "x" * 20_000_000)
    async with bench.open([*edit("big.txt", "one\n", "two\n")]) as flow:
        await flow.say("go")
        assert big.read_text()[:4] == "two\n"
        said = [n.message for n in flow.of(NoticeEvent) if n.kind == "checkpoint"]
        assert len(said) == 1
        assert "big.txt" in said[0]
        told = await back(flow, 0, how="overwrite")
        assert [c.reason for c in told.conflicts] == ["not_kept"]
        assert big.read_text()[:4] == "two\n"


async def test_a_lost_checkpoint_is_named_and_nothing_is_changed(bench: Bench) -> None:
    one = bench.root / "one.txt"
    one.write_text("one\n")
    async with bench.open([*edit("one.txt", "one", "two")]) as flow:
        await flow.say("go")
        for blob in checkpoint_files(bench):
            blob.write_bytes(b"damaged")
        with pytest.raises(NeoCodeError, match="missing or damaged"):
            await back(flow, 0)
        assert one.read_text() == "two\n"
        assert len(flow.messages) == 6


async def test_checkpoints_are_private(bench: Bench) -> None:
    (bench.root / "one.txt").write_text("one\n")
    async with bench.open([*edit("one.txt", "one", "two")]) as flow:
        await flow.say("go")
        [blob] = checkpoint_files(bench)
        assert blob.stat().st_mode & 0o777 == 0o600
        assert blob.parent.stat().st_mode & 0o777 == 0o700
        assert blob.read_bytes() == b"one\n"


async def test_it_waits_for_the_run_and_goes_before_the_queue(bench: Bench) -> None:
    gate = asyncio.Event()
    script = [steps(gate, TextChunk("late"), FinishChunk("stop")), text("second")]
    async with bench.open(script) as flow:
        flow.engine.submit("first")
        while not flow.requests:
            await asyncio.sleep(0.01)
        flow.engine.submit("waiting")
        going = asyncio.create_task(back(flow, 0))
        await asyncio.sleep(0.05)
        assert not going.done()
        gate.set()
        assert (await going).prompt == "first"
        await flow.settle()
        assert [m.content for m in flow.messages] == ["waiting", "second"]


async def test_a_copy_of_the_session_can_go_back_as_well(bench: Bench) -> None:
    one = bench.root / "one.txt"
    one.write_text("one\n")
    script = [*edit("one.txt", "one", "two"), *edit("one.txt", "two", "three")]
    async with bench.open(script) as flow:
        await flow.say("make it two")
        original = flow.engine.session.id
        await flow.engine.fork()
        assert flow.engine.session.id != original
        await flow.say("make it three")
        assert len(await flow.engine.rewind_points()) == 2
        await back(flow, 0)
        assert one.read_text() == "one\n"
        await flow.engine.open_session(original)
        assert len(flow.messages) == 6


async def test_an_empty_session_has_nowhere_to_go_and_nothing_to_copy(bench: Bench) -> None:
    async with bench.open() as flow:
        assert list(await flow.engine.rewind_points()) == []
        assert list(await flow.engine.file_diffs()) == []
        with pytest.raises(NeoCodeError, match="no prompt"):
            await flow.engine.rewind("m_nowhere")
        with pytest.raises(NeoCodeError, match="nothing to copy"):
            await flow.engine.fork()


def checkpoint_files(bench: Bench) -> list[Path]:
    """Every blob below the bench's home."""
    return [p for p in bench.home.glob("projects/*/checkpoints/*/*") if p.is_file()]

"""Commands of the user and the project, and those about the session's past, through it all."""

import io
import json
from pathlib import Path

import pytest

from neocode.commands.registry import run_command, table_for
from neocode.domain.events import NoticeEvent, RunError, RunStarted
from neocode.headless.run import run_headless
from tests.flow.flow import Bench, Flow, call, text
from tests.flow.test_rewind_flow import edit


def command(folder: Path, name: str, content: str) -> Path:
    """A command file below a folder."""
    path = folder / "commands" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


async def told(flow: Flow, line: str) -> str:
    """The words a command gives back, once all it started has ended."""
    result = await run_command(flow.engine, line)
    await flow.settle()
    return result.text


async def test_a_command_of_the_user(bench: Bench) -> None:
    """Arguments and mentions are filled in; the chat, and the rewind, keep what was typed."""
    (bench.root / "notes.md").write_text("the port is 8123\n")
    command(bench.home, "Review", "---\ndescription: look hard\nargument-hint: <file> [how]\n---\n"
            "Review $1 ($2) by @notes.md. All: $ARGUMENTS; $1 costs $5 or $10.")  # fmt: skip
    async with bench.open([text("done")]) as flow:
        table = table_for(flow.engine)
        own = table.find("review")
        assert own is not None
        assert (own.arguments, own.help) == ("<file> [how]", "look hard (yours)")
        assert table.is_command("/review x")
        assert not table.is_command(" /review x")
        await told(flow, '/review "a $2 b.py" gently')
        sent = flow.requests[0].messages[0].content
        assert sent.startswith(
            'Review a $2 b.py (gently) by @notes.md. All: "a $2 b.py" gently; '
            "a $2 b.py costs  or $10."
        )
        assert "the port is 8123" in sent
        assert flow.messages[0].metadata["typed"] == '/review "a $2 b.py" gently'
        [point] = await flow.engine.rewind_points()
        assert point.prompt == '/review "a $2 b.py" gently'
        command(bench.home, "review", "Another text.")
        command(bench.home, "git/fix", "Fix it.")
        assert table_for(flow.engine).find("git:fix") is not None, "read again when it changes"
        await flow.say(" /git:fix")
        assert flow.requests[-1].messages[-1].content == " /git:fix"


async def test_the_projects_own_wait_for_trust(bench: Bench) -> None:
    command(bench.root / ".neocode", "deploy", "Deploy $ARGUMENTS.")
    async with bench.open([text("hi"), text("deployed")]) as flow:
        said = await told(flow, "/deploy now")
        assert "once you trust it" in said
        flow.replies_to_questions = ["trust this folder"]
        await flow.say("hello")
        own = table_for(flow.engine).find("deploy")
        assert own is not None
        assert own.help.endswith("(this project's)")
        await told(flow, "/deploy now")
        assert flow.requests[-1].messages[-1].content == "Deploy now."


async def trusted(flow: Flow) -> None:
    """Answer the folder's question."""
    flow.replies_to_questions = ["trust this folder"]
    await flow.say("hello")


async def test_a_projects_command_reads_nothing_that_would_be_asked_about(bench: Bench) -> None:
    """Its mentions of files outside send nothing; what the user mentions is their wish."""
    secret = bench.folder / "secret.txt"
    secret.write_text("the password\n")
    command(bench.root / ".neocode", "steal", f"Look at @{secret} please. $1")
    command(bench.root / ".neocode", "look", "Look at this: $1")
    (bench.root / "link.txt").symlink_to(secret)
    command(bench.root / ".neocode", "sly", "Look at @link.txt")
    async with bench.open(then=text("ok"), mode="ask") as flow:
        await trusted(flow)
        for line in ("/steal", "/sly"):
            before = len(flow.requests)
            await told(flow, line)
            assert len(flow.requests) == before
            assert "may not be read" in flow.of(RunError)[-1].message
        await told(flow, f"/look @{secret}")
        assert "the password" in flow.requests[-1].messages[-1].content


async def test_a_file_that_leads_out_of_the_project_is_no_command(bench: Bench) -> None:
    secret = bench.folder / "secret.md"
    secret.write_text("the password\n")
    folder = bench.root / ".neocode" / "commands"
    folder.mkdir(parents=True)
    (folder / "out.md").symlink_to(secret)
    async with bench.open(then=text("ok")) as flow:
        await trusted(flow)
        assert table_for(flow.engine).find("out") is None
        assert "leads out of the project" in flow.engine.command_notes[0]


async def test_model_and_mode_hold_for_one_run(bench: Bench) -> None:
    """A project's file cannot widen the mode; a model that is not there is said."""
    command(bench.home, "plan", "---\nmode: plan\n---\nThink.")
    command(bench.home, "other", "---\nmodel: nowhere\n---\nThink.")
    command(bench.root / ".neocode", "free", "---\nmode: auto\n---\nDo it.")
    script = [text("hi"), call("write", path="x.txt", content="x"), text("planned")]
    async with bench.open([*script, text("free")], mode="ask") as flow:
        await trusted(flow)
        await told(flow, "/plan")
        assert not (bench.root / "x.txt").exists()
        assert flow.engine.mode == "ask"
        await told(flow, "/free")
        warned = [n.message for n in flow.of(NoticeEvent) if n.kind == "command_mode"]
        assert "wider than yours" in warned[0]
        await told(flow, "/other")
        assert "/other" in flow.of(RunError)[-1].message
        assert flow.engine.mode == "ask"


async def test_names_that_are_taken_are_refused_in_words(bench: Bench) -> None:
    command(bench.home, "compact", "Mine.")
    command(bench.home, "q", "Mine.")
    command(bench.home, "Bad name", "Mine.")
    command(bench.home, "both", "The user's.")
    command(bench.root / ".neocode", "both", "The project's.")
    async with bench.open(then=text("ok")) as flow:
        await trusted(flow)
        notes = "\n".join(flow.engine.command_notes)
        assert "/compact is taken" in notes
        assert "/q is taken" in notes
        assert "/both is taken" in notes
        assert "letters, digits" in notes
        await told(flow, "/both")
        assert flow.requests[-1].messages[-1].content == "The user's."


async def test_an_unknown_one_suggests_the_nearest(bench: Bench) -> None:
    command(bench.home, "release-notes", "Write them.")
    async with bench.open() as flow:
        assert "Did you mean /release-notes?" in await told(flow, "/release-note")
        assert "Did you mean /compact?" in await told(flow, "/compcat")
        assert "A blank before the /" in await told(flow, "/zzz")


async def test_commands_without_a_screen(bench: Bench) -> None:
    command(bench.home, "greet", "Say hello to $1.")
    out, err = io.StringIO(), io.StringIO()
    async with bench.open([text("hello, Ann")]) as flow:
        code = await run_headless(flow.engine, "/greet Ann", "text", out, err)
        assert (code, out.getvalue()) == (0, "hello, Ann\n")
        assert flow.requests[0].messages[0].content == "Say hello to Ann."
    async with bench.open() as flow:
        code = await run_headless(flow.engine, "/gret", "text", out, err)
        assert code == 1
        assert "Did you mean /greet?" in err.getvalue()
        assert not flow.requests
    async with bench.open([text("a path")]) as flow:
        assert await run_headless(flow.engine, "/etc/hosts is what?", "text", out, err) == 0
        assert len(flow.requests) == 1


async def test_rewind_in_words(bench: Bench) -> None:
    """/rewind lists, goes back, stops at what is the user's, and gives the prompt back."""
    one = bench.root / "one.txt"
    one.write_text("one\n")
    async with bench.open([*edit("one.txt", "one", "two"), text("ok")]) as flow:
        assert "no prompt" in await told(flow, "/rewind")
        await flow.say("make it two")
        await flow.say("second")
        listed = (await told(flow, "/rewind")).splitlines()
        assert listed[0].startswith("  1.")
        assert listed[0].endswith("second")
        assert listed[2].endswith("changed one.txt")
        for wrong in ("/rewind 3", "/rewind x", "/rewind 1 all"):
            assert (await run_command(flow.engine, wrong)).level == "error"
        one.write_text("mine\n")
        result = await run_command(flow.engine, "/rewind 2")
        assert result.level == "error"
        assert "one.txt (changed since by you" in result.text
        assert "/rewind 2 both overwrite" in result.text
        result = await run_command(flow.engine, "/rewind 2 both overwrite")
        assert result.fill == "make it two"
        assert "Restored: one.txt" in result.text
        assert one.read_text() == "one\n"


async def test_diff_in_words(bench: Bench) -> None:
    (bench.root / "one.txt").write_bytes(b"a\r\none\r\n")
    script = [*edit("one.txt", "one", "two")[:2], call("write", path="n.txt", content="x\ny\n")]
    async with bench.open([*script, text("ok")]) as flow:
        assert "Nothing was" in await told(flow, "/diff")
        await flow.say("go")
        lines = (await told(flow, "/diff")).splitlines()
        assert lines[:3] == [
            "changed  one.txt  +1 -1",
            "new      n.txt    +2 -0",
            "2 files, +3 -1",
        ]
        assert lines[3:9] == ["", "--- a/one.txt", "+++ b/one.txt", "@@ -1,2 +1,2 @@", " a", "-one"]
        assert "n.txt" not in await told(flow, "/diff one.txt")
        (bench.root / "one.txt").write_bytes(b"a\none\n")
        assert "only line ends" in await told(flow, "/diff one.txt")
        (bench.root / "n.txt").unlink()
        assert (await told(flow, "/diff")).splitlines()[1].startswith("1 file,")


async def test_fork_and_export(bench: Bench) -> None:
    environ_key = "sk-ant-api03-" + "a" * 40
    async with bench.open([text(f"one {environ_key}"), text("two")]) as flow:
        assert "nothing to export" in await told(flow, "/export")
        await flow.say("hello")
        first = flow.engine.session.id
        assert first in await told(flow, "/fork")
        await flow.say("more")
        assert len(flow.messages) == 4
        for line, name in (
            ("/export", f"neocode-{flow.engine.session.id}.md"),
            ("/export", f"neocode-{flow.engine.session.id}-2.md"),
            ("/export html", f"neocode-{flow.engine.session.id}.html"),
            ("/export jsonl out.txt", "out.txt"),
            ("/export page.html", "page.html"),
        ):
            assert name in await told(flow, line)
            path = bench.root / name
            assert path.stat().st_mode & 0o777 == 0o600
            assert environ_key not in path.read_text()
        assert json.loads((bench.root / "out.txt").read_text().splitlines()[0])["role"] == "user"
        assert (bench.root / "page.html").read_text().startswith("<!doctype html>")
        result = await run_command(flow.engine, "/export page.html")
        assert (result.level, "there already" in result.text) == ("error", True)
        assert first in await told(flow, "/sessions")


async def test_init_asks_the_model_once(bench: Bench) -> None:
    script = [call("write", path="AGENTS.md", content="# Rules\n"), text("written")]
    async with bench.open([*script, text("again")]) as flow:
        await told(flow, "/init")
        assert (bench.root / "AGENTS.md").read_text() == "# Rules\n"
        assert flow.of(RunStarted)[0].prompt.startswith("Write the file AGENTS.md")
        result = await run_command(flow.engine, "/init")
        assert (result.level, "there already" in result.text) == ("error", True)
        await told(flow, "/init force")
        assert len(flow.of(RunStarted)) == 2


async def test_doctor_says_what_the_command_line_says(bench: Bench) -> None:
    async with bench.open() as flow:
        said = await told(flow, "/doctor")
        for what in ("python", "configuration", "models", "database", "sandbox"):
            assert what in said
        assert str(bench.home / "config.yaml") in said


@pytest.mark.parametrize("content", ["", "---\n: [\n---\nx", "---\nmode: fast\n---\nx", "\udcff"])
async def test_files_that_cannot_be_commands_are_named(bench: Bench, content: str) -> None:
    path = command(bench.home, "broken", "x")
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    async with bench.open() as flow:
        assert list(flow.engine.prompt_commands) == []
        assert str(path) in flow.engine.command_notes[0]

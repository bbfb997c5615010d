"""The installed program, in a pseudo-terminal, against a local model server."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.http_server import Answer, LlmServer
from tests.pty.terminal import NEOCODE, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.timeout(240)]
Start = Callable[..., Terminal]
Serve = Callable[..., LlmServer]
Done = subprocess.CompletedProcess[str]
PLACEHOLDER = "Ask anything"
OFF = (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?2004l", b"\x1b[?25h")
"""Alternate screen, mouse and paste modes off, cursor on."""


def tool(name: str, **args: object) -> Answer:
    return Answer(calls=(("call_1", name, json.dumps(args)),))


def test_chat_tool_approval_and_leaving(neocode: Start, serve: Serve, project: Path) -> None:
    serve(
        tool("read", path="calc.py"),
        tool("edit", path="calc.py", old_text="a - b", new_text="a + b"),
        Answer(text="Fixed: **add** adds now."),
    )
    screen = neocode()
    screen.wait_for(PLACEHOLDER)
    screen.send("fix add\r")
    asked = screen.wait_for("return a - b", "return a + b", "calc.py")
    assert "1" in asked
    time.sleep(0.7)  # the question takes no key while fingers may still be typing
    screen.send("1")
    screen.wait_for("Fixed: add adds now.")
    assert "a + b" in (project / "calc.py").read_text()
    screen.send("\x04")
    assert screen.wait_for_end() == 0
    assert all(sequence in screen.raw for sequence in OFF)


def test_no_key_typed_at_launch_is_lost(neocode: Start, serve: Serve) -> None:
    serve(Answer(text="hello back"))
    screen = neocode()
    screen.send("typed early")
    screen.wait_for("typed early")
    screen.send("\r")
    screen.wait_for("hello back")


def test_esc_stops_a_run_and_the_session_resumes(neocode: Start, serve: Serve, home: Path) -> None:
    serve(Answer(text="a long story begins", cut="silence"), Answer(text="second answer"))
    screen = neocode()
    screen.wait_for(PLACEHOLDER)
    screen.send("tell me a story\r")
    screen.wait_for("a long story begins")
    screen.send("\x1b")
    screen.wait_for(PLACEHOLDER, gone="Esc stops")
    screen.send("\x04")
    assert screen.wait_for_end() == 0
    again = neocode("--continue")
    again.wait_for("tell me a story", "a long story begins")
    again.send("go on\r")
    again.wait_for("second answer")


def test_what_is_typed_meanwhile_is_queued_and_sent(neocode: Start, serve: Serve) -> None:
    server = serve(
        tool("bash", command="sleep 3; echo slept"), Answer(text="first"), Answer(text="second")
    )
    screen = neocode("--mode", "auto")
    screen.wait_for(PLACEHOLDER)
    screen.send("sleep a little\r")
    screen.wait_for("sleep 3")
    screen.send("and then this\r")
    screen.wait_for("and then this")
    screen.wait_for("second")
    assert len(server.requests) == 3


def test_a_paste_arrives_whole_and_sends_nothing(neocode: Start, serve: Serve) -> None:
    """B38: line ends are normalised, nothing goes out before Enter."""
    server = serve(Answer(text="got it"))
    screen = neocode()
    screen.wait_for(PLACEHOLDER)
    screen.paste("first line\r\nsecond line\r\nthird line")
    screen.wait_for("first line", "second line", "third line")
    assert not server.requests
    screen.send("\r")
    screen.wait_for("got it")
    sent = server.requests[0].body["messages"][-1]["content"]
    assert "first line\nsecond line\nthird line" in json.dumps(sent).encode().decode(
        "unicode_escape"
    )


def test_brackets_are_shown_as_they_are(neocode: Start, serve: Serve) -> None:
    """B43: text from outside is never markup."""
    nasty = "rows[0] [bold]x[/bold] [/nope] key=[a=b] end ["
    serve(tool("bash", command=f"printf '%s' '{nasty}'"), Answer(text=f"`{nasty}`"))
    screen = neocode("--mode", "auto")
    screen.wait_for(PLACEHOLDER)
    screen.send(f"say {nasty}\r")
    shown = screen.wait_for("[bold]x[/bold]", "end [")
    assert "rows[0]" in shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_the_terminal_whole(
    neocode: Start, serve: Serve, number: signal.Signals
) -> None:
    """B42."""
    serve()
    screen = neocode()
    screen.wait_for(PLACEHOLDER)
    time.sleep(0.5)
    screen.child.kill(number)
    screen.wait_for_end()
    if number == signal.SIGTERM:
        assert all(sequence in screen.raw for sequence in OFF)


def test_without_a_model_the_first_screen_helps(neocode: Start) -> None:
    screen = neocode()
    shown = screen.wait_for("ANTHROPIC_API_KEY")
    assert "Traceback" not in shown
    screen.send("\x04")
    assert screen.wait_for_end() == 0


def test_compaction_on_the_screen(neocode: Start, serve: Serve) -> None:
    words = "a remark about the port 8123 and the file src/kernel.py " * 12
    state = {
        "goal": "finish the kernel",
        "progress": ["talked"],
        "open_items": [],
        "next_step": "go on",
        "blockers": [],
        "key_artifacts": [],
        "decisions": [],
        "user_constraints": [],
    }
    summary = {
        "task_state": state,
        "display_summary": "[compact_summary]\ndone:\n- talked\nin_progress:\n- x\n"
        "decisions:\n- y\ncode_changes:\n- z\nconstraints:\n- w\n",
    }
    answers = [Answer(text=words) for _ in range(7)]
    server = serve(*answers, Answer(text=json.dumps(summary)), Answer(text="still here"))
    screen = neocode()
    screen.wait_for(PLACEHOLDER)
    for turn in range(7):
        screen.send(f"turn {turn}\r")
        screen.wait_until(partial(answered, server, turn + 1))
        screen.wait_for(PLACEHOLDER, gone="Esc stops")
    screen.send("/compact\r")
    screen.wait_for("Context compacted", "compacted 1 times")
    screen.send("are you there\r")
    screen.wait_for("still here")
    sent = json.dumps(server.requests[-1].body)
    assert "finish the kernel" in sent
    assert "[compact_summary]" in sent


def answered(server: LlmServer, count: int) -> bool:
    return len(server.requests) >= count


def run(
    home: Path, cwd: Path, *arguments: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NEOCODE, *arguments],
        cwd=cwd,
        env={"NEOCODE_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        input=stdin,
        timeout=200,
        check=False,
    )


def test_run_without_a_screen(serve: Serve, home: Path, project: Path) -> None:
    server = serve(
        tool("bash", command="touch made"),
        Answer(text="could not"),
        Answer(text="again"),
        Answer(text="third"),
    )
    done = run(home, project, "run", "make a file", "--output", "jsonl")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    names = [event["type"] for event in events]
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in (
        "run_started",
        "tool_call",
        "permission_request",
        "permission_decision",
        "tool_result",
        "token_update",
        "text_delta",
        "run_finished",
    ):
        assert name in names, name
    assert not (project / "made").exists()
    session = events[0]["session_id"]
    assert all(event["session_id"] == session for event in events)
    done = run(home, project, "run", "--session", session, "--output", "json", stdin="go on\n")
    result = json.loads(done.stdout)
    assert result["session_id"] == session
    assert result["answer"] == "again"
    assert set(result) == {
        "session_id",
        "answer",
        "stop_reason",
        "usage",
        "cost_usd",
        "tool_calls",
        "compactions",
    }
    done = run(home, project, "run", "--continue", "text please")
    assert (done.stdout, done.returncode) == ("third\n", 0)
    listed = json.loads(run(home, project, "sessions", "list", "--output", "json").stdout)
    assert [row["id"] for row in listed] == [session]
    assert not server.complaints


def test_exit_statuses(home: Path, project: Path) -> None:
    done = run(home, project, "run", "hello")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "neocode" in done.stderr or "model" in done.stderr
    assert run(home, project, "run", "--output", "yaml", "x").returncode == 2
    (home / "config.yaml").write_text("contxt: {}\n")
    done = run(home, project, "run", "hello")
    assert done.returncode == 2
    assert "context" in done.stderr
    assert "config.yaml:1" in done.stderr

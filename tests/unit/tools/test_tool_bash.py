import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neocode.tools.base import ToolError
from neocode.tools.bash import BashTool
from neocode.tools.process import live_groups
from neocode.tools.truncate import estimate_tokens

CHILDREN = """
(trap '' TERM; while true; do sleep 0.2; done) &
sleep 300 &
setsid env -i sleep 300 &
echo started
wait
"""


def alive(folder: Path) -> list[str]:
    """Command lines of processes that work in the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


async def run(bench: Any, command: str, **more: Any) -> str:
    args = {key: more.pop(key) for key in ("timeout_s", "background") if key in more}
    answer: str = await bench.call(BashTool(), more, command=command, **args)
    return answer


async def test_status_first_then_output_in_order(bench: Any) -> None:
    outcome = await bench.outcome(BashTool(), command="echo out; echo err >&2; exit 3")
    assert outcome.content == "exit status 3\nout\nerr\n"
    assert outcome.metadata["exit_status"] == 3
    assert "".join(bench.live) == "out\nerr\n"
    assert await run(bench, "true") == "exit status 0\n(no output)"
    assert "killed by SIGKILL" in await run(bench, "kill -9 $$")


async def test_cd_does_not_last_and_the_line_runs_in_the_project(bench: Any) -> None:
    tool = BashTool()
    await bench.call(tool, command="cd /")
    assert await bench.call(tool, command="pwd") == f"exit status 0\n{bench.root}\n"


WAITERS = [
    ("python3 -c 'input()'", "EOFError"),
    ("cat; echo over", "over"),
    ("echo x > /dev/tty", "No such device"),
    ("less /etc/passwd | head -1; echo over", "over"),
    ("git init -q . && git -c user.name=n -c user.email=e commit --allow-empty", "no editor"),
    ("$EDITOR file; echo status $?", "no editor"),
    ("sh -c \"$VISUAL\" file; echo status $?", "no editor"),
    ("git -c credential.helper= ls-remote http://127.0.0.1:1/x", "unable to access"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "words"), WAITERS)
async def test_nothing_waits_for_input(bench: Any, command: str, words: str) -> None:
    """B51: editor, pager, prompt and terminal each end quickly with a readable reason."""
    answer = await asyncio.wait_for(run(bench, command), 15)
    assert words in answer


async def test_a_rebase_does_not_wait_in_an_editor(bench: Any) -> None:
    """B51: git rebase --continue opens an editor; here it says that there is none."""
    script = """
    git init -q . -b main && git config user.email e && git config user.name n
    echo 1 > f && git add f && git commit -qm one && git checkout -q -b side
    echo 2 > f && git commit -qam two && git checkout -q main && echo 3 > f
    git commit -qam three && git checkout -q side && git rebase main
    echo 4 > f && git add f && git rebase --continue
    """
    answer = await asyncio.wait_for(run(bench, script), 20)
    assert "no editor can be opened" in answer


async def test_a_timeout_ends_everything_and_keeps_the_output(bench: Any) -> None:
    """B52: three children, one deaf to SIGTERM, one in a session of its own."""
    outcome = await bench.outcome(BashTool(), command=CHILDREN, timeout_s=1)
    assert outcome.is_error
    assert outcome.metadata["timed_out"]
    assert outcome.content.startswith("timed out after 1 s")
    assert "started" in outcome.content
    assert alive(bench.root) == []
    assert live_groups() == ()


async def test_a_cancelled_call_leaves_nothing(bench: Any) -> None:
    """B52: the same with Esc."""
    task = asyncio.create_task(run(bench, CHILDREN))
    while not bench.live:
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(bench.root) == []
    assert live_groups() == ()


async def test_what_a_line_leaves_behind_is_ended_and_said(bench: Any) -> None:
    answer = await run(bench, "sleep 300 & nohup sleep 300 >/dev/null 2>&1 & echo done")
    assert answer.startswith("exit status 0; 2 processes it left running were ended")
    assert "done" in answer
    assert alive(bench.root) == []


PROGRAM = """
import asyncio, sys
from pathlib import Path
from neocode.tools.base import FileStamps, ToolContext
from neocode.tools.bash import BashTool
from neocode.tools.process import kill_all
import os

async def main():
    root = Path(sys.argv[1])
    seen = asyncio.Event()
    context = ToolContext(root=root, outputs=root, call_id="c", session_id="s",
        stamps=FileStamps(), emit=lambda text: seen.set(), ask=None)
    tool = BashTool()
    asyncio.create_task(tool.run({"command": sys.argv[2]}, context))
    await tool.run({"command": "sleep 300", "background": "job"}, context)
    await seen.wait()
    if sys.argv[3] == "hard":
        kill_all()
        os._exit(0)
    sys.exit(0)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["hard", "soft"])
def test_the_end_of_the_program_ends_its_commands(bench: Any, how: str) -> None:
    """B52: again by quitting the program, background jobs included."""
    line = [sys.executable, "-c", PROGRAM, str(bench.root), CHILDREN, how]
    subprocess.run(line, cwd="/", timeout=20, check=False, capture_output=True)
    assert alive(bench.root) == []


async def test_a_progress_bar_is_its_last_state(bench: Any) -> None:
    """B53: 5,000 redraws and colours, a null byte, half a character at the end."""
    bench.write(
        "bar.py",
        "import sys\n"
        "for i in range(5000): sys.stdout.write(f'\\r\\x1b[32m{i + 1}/5000\\x1b[0m')\n"
        "print('\\nlast'); sys.stdout.flush()\n"
        "sys.stdout.buffer.write(b'a\\0b \\xe4\\xbd')\n",
    )
    answer = await run(bench, "python3 bar.py")
    assert answer == "exit status 0\n5000/5000\nlast\nab "
    assert "".join(bench.live) == "5000/5000\nlast\nab "


async def test_long_output_keeps_both_ends_and_a_file(bench: Any) -> None:
    outcome = await bench.outcome(BashTool(), {"result_tokens": 500}, command="seq 1 200000")
    assert estimate_tokens(outcome.content) <= 500
    assert outcome.content.startswith("exit status 0\n1\n2\n")
    assert outcome.content.endswith("199999\n200000\n")
    path = Path(str(outcome.metadata["full_output"]))
    assert str(path) in outcome.content
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 200001))
    assert path.stat().st_mode & 0o777 == 0o600
    assert sum(map(len, bench.live)) < 2_000_000


async def test_short_output_makes_no_file(bench: Any) -> None:
    await run(bench, "seq 1 100")
    assert not bench.outputs.exists()


async def test_a_background_job_is_listed_read_and_stopped(bench: Any) -> None:
    tool = BashTool()
    line = {"command": "echo ready; sleep 300 & wait", "background": "web"}
    answer = await bench.call(tool, **line)
    assert answer.startswith("job web running")
    assert "ready" in answer
    with pytest.raises(ToolError, match="runs already"):
        await bench.call(tool, **line)
    assert "web: running" in await bench.call(tool, command="")
    assert "ready" in await bench.call(tool, command="", background="web")
    assert tool.accesses({"command": "stop", "background": "web"}, bench.context()) == []
    assert "ended with exit status" in await bench.call(tool, command="stop", background="web")
    assert alive(bench.root) == []
    with pytest.raises(ToolError, match="no job 'x'"):
        await bench.call(tool, command="", background="x")


async def test_the_whole_line_is_what_permissions_see(bench: Any) -> None:
    tool = BashTool()
    (access,) = tool.accesses({"command": "ls; rm x\n"}, bench.context())
    assert (access.kind, access.tool, access.target) == ("run", "bash", "ls; rm x\n")
    assert tool.accesses({"command": "stop"}, bench.context())[0].target == "stop"
    assert tool.summary({"command": "a\nb"}) == "$ a ..."


async def test_odd_lines_are_answered(bench: Any) -> None:
    with pytest.raises(ToolError, match="null byte"):
        await run(bench, "echo \0")
    with pytest.raises(ToolError, match="could not be started"):
        await run(bench, "x" * 300_000)
    assert "command not found" in await run(bench, "-x")


async def test_a_sandbox_that_cannot_be_is_said_in_one_line(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent) + os.pathsep + os.environ["PATH"])
    with pytest.raises(ToolError, match=r"does not work here: .*namespace") as caught:
        await run(bench, "touch x", sandbox=True)
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolError, match="not installed"):
        await run(bench, "touch x", sandbox=True)
    assert not (bench.root / "x").exists()


async def test_the_sandbox_writes_only_in_the_project(bench: Any) -> None:
    outside = bench.root.parent / "outside"
    try:
        answer = await run(bench, f"touch in; touch {outside} || echo refused", sandbox=True)
    except ToolError as error:
        pytest.skip(f"no sandbox here: {error}")
    assert (bench.root / "in").exists()
    assert not outside.exists()
    assert answer.startswith("exit status 0")

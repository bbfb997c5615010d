"""kill -9 at every step of a compaction: the session is wholly the old one or the new one."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from neocode.store.transcript import read_transcript
from tests.checker import check
from tests.flow.flow import Bench
from tests.flow.talks import answering, talk

ROOT = Path(__file__).parents[2]
STEPS = 14


@pytest.mark.timeout(180)
async def test_killed_at_any_step_the_session_is_old_or_new(bench: Bench) -> None:
    """B34 (c); spec/context 7: the transcript is whole or absent."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 8)
        before = flow.engine.session
    outcomes: list[str] = []
    for steps in range(STEPS):
        copy = bench.copy(f"killed{steps}")
        child = subprocess.run(
            [sys.executable, "-m", "tests.flow.killed_child", str(copy.folder), str(steps)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode == 0:
            outcomes.append("finished")
            break
        assert child.returncode == -signal.SIGKILL, child.stderr
        for path in (copy.home / "projects").rglob("*.jsonl"):
            contents = read_transcript(path)
            assert (len(contents.messages), contents.skipped) == (16, 0)
        async with copy.open(provider=answering(), latest=True) as flow:
            state = flow.engine.session
            compacted = state.compactions == 1
            outcomes.append("new" if compacted else "old")
            if not compacted:
                assert state.messages == before.messages
                assert state.task_state == before.task_state
            assert len(flow.engine.full_history()) == 16 + compacted
            await flow.say("go on")
            check(flow.requests[-1].messages)
        shutil.rmtree(copy.folder)
    assert "old" in outcomes
    assert outcomes[-1] in ("new", "finished"), outcomes
    assert outcomes == sorted(outcomes, key=["old", "new", "finished"].index)

"""Faults at every write: a session is wholly old or wholly new, a transcript whole or absent.

Covers B34 (c): a kill during a compaction shows the state before it.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.store.sessions import SessionStore
from neocode.store.transcript import read_transcript, write_transcript
from tests.unit.store.store_builders import compaction, message, talk


class Breaking(sqlite3.Connection):
    """A connection whose nth statement from now fails, before or after it was carried out."""

    left = -1
    deadly = False

    def execute(self, *args: Any) -> sqlite3.Cursor:
        self._count()
        return super().execute(*args)

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        self._count()
        return super().executemany(*args)

    def _count(self) -> None:
        if Breaking.left == 0 and Breaking.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        Breaking.left -= 1
        if Breaking.left == -1:
            raise sqlite3.OperationalError("disk I/O error")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    Breaking.left = -1
    opened = SessionStore.open(tmp_path / "sessions.db", factory=Breaking)
    yield opened
    Breaking.left = -1
    opened.close()


def whole(store: SessionStore, session_id: str) -> list[object]:
    """All that is stored of a session."""
    state = asdict(store.load(session_id))
    full = [asdict(m) for m in store.messages(session_id, "full")]
    return [state, full, store.compactions(session_id), store.search("things")]


def test_a_compaction_that_fails_at_any_statement_changes_nothing(store: SessionStore) -> None:
    session = talk(store, *"abcdefgh")
    before = whole(store, session.id)
    after, record, summary = compaction(session, 0, 5)
    for statement in range(100):
        Breaking.left = statement
        try:
            store.apply_compaction(after, record, summary)
        except StoreError:
            Breaking.left = -1
            assert whole(store, session.id) == before
        else:
            break
    Breaking.left = -1
    assert statement > 8
    assert store.load(session.id) == after


@pytest.mark.parametrize("step", ["append", "undo", "redo", "rewind", "fork", "delete"])
def test_every_write_is_all_or_nothing(store: SessionStore, step: str) -> None:
    session = talk(store, *"abcdef")
    after, record, summary = compaction(session, 0, 3)
    store.apply_compaction(after, record, summary)
    if step == "redo":
        store.undo_compaction(session.id)
    said = message("new")
    steps: dict[str, Callable[[], object]] = {
        "append": lambda: store.append(after.append(said), said),
        "undo": lambda: store.undo_compaction(session.id),
        "redo": lambda: store.redo_compaction(session.id),
        "rewind": lambda: store.rewind(session.id, session.messages[1].id),
        "fork": lambda: store.fork(session.id),
        "delete": lambda: store.delete(session.id),
    }
    before = whole(store, session.id)
    for statement in range(6):
        Breaking.left = statement
        with pytest.raises(StoreError):
            steps[step]()
        Breaking.left = -1
        assert whole(store, session.id) == before
        assert len(store.list()) == 1


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from tests.unit.store.test_store_faults import Breaking
from tests.unit.store.store_builders import compaction
from neocode.store.sessions import SessionStore
store = SessionStore.open(Path(sys.argv[1]), factory=Breaking)
after, record, summary = compaction(store.load(sys.argv[2]), 0, 5)
Breaking.left, Breaking.deadly = int(sys.argv[3]), True
store.apply_compaction(after, record, summary)
"""


@pytest.mark.parametrize("statement", [1, 4, 8, 12, 16, 1000])
def test_killed_at_any_statement_the_session_is_wholly_old_or_new(
    tmp_path: Path, statement: int
) -> None:
    """B34: kill -9 during a compaction."""
    path = tmp_path / "sessions.db"
    store = SessionStore.open(path)
    session = talk(store, *"abcdefgh")
    before = whole(store, session.id)
    store.close()
    root = str(Path(__file__).parents[3])
    child = subprocess.run(
        [sys.executable, "-c", KILLED, path, session.id, str(statement), root], check=False
    )
    again = SessionStore.open(path)
    if child.returncode:
        assert child.returncode == -signal.SIGKILL
        assert whole(again, session.id) == before
    else:
        assert again.load(session.id).compactions == 1
        assert again.undo_compaction(session.id) == session
    assert again.check() == []
    again.close()


def _messages(session: SessionState, fail_at: int) -> Iterator[Message]:
    for index, each in enumerate(session.messages):
        if index == fail_at:
            raise OSError(28, "No space left on device")
        yield each


def test_a_transcript_that_fails_is_absent(store: SessionStore, tmp_path: Path) -> None:
    session = talk(store, *"abcdef")
    folder = tmp_path / "transcripts"
    for fail_at in range(6):
        with pytest.raises(StoreError, match="disk is full"):
            write_transcript(folder, session.id, _messages(session, fail_at))
        assert list(folder.iterdir()) == []
    ref = write_transcript(folder, session.id, session.messages)
    assert read_transcript(ref.path).messages == session.messages


KILLED_WRITING = """
import os, signal, sys
from pathlib import Path
from neocode.domain.messages import Message
from neocode.store.transcript import write_transcript
def messages():
    for index in range(3000):
        yield Message(id=str(index), created_at="t", role="user", content="x" * 100)
    os.kill(os.getpid(), signal.SIGKILL)
write_transcript(Path(sys.argv[1]), "s_1", messages())
"""


def test_killed_while_writing_there_is_no_transcript(tmp_path: Path) -> None:
    from neocode.store.transcripts import list_transcripts

    folder = tmp_path / "project" / "transcripts"
    child = subprocess.run([sys.executable, "-c", KILLED_WRITING, folder], check=False)
    assert child.returncode == -signal.SIGKILL
    assert list_transcripts(tmp_path) == []


REPLIES = """
import os, signal, sys
from pathlib import Path
from neocode.domain.messages import Message
from neocode.store.sessions import SessionStore
store = SessionStore.open(Path(sys.argv[1]))
session = store.create(cwd="/p")
for index in range(5):
    said = Message(id=str(index), created_at="t", role="user", content="hello")
    session = session.append(said)
    store.append(session, said)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    """B34: the session is in the list with every message that was stored."""
    path = tmp_path / "sessions.db"
    subprocess.run([sys.executable, "-c", REPLIES, path], check=False)
    store = SessionStore.open(path)
    (info,) = store.list()
    assert info.messages == 5
    assert [m.id for m in store.messages(info.id)] == list("01234")
    store.close()

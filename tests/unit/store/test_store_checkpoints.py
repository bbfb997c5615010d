"""Checkpoints on disk: bytes by content, who changed what, faults and kills at every write."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from neocode.domain.checkpoints import FileChange, FileState
from neocode.domain.errors import StoreError
from neocode.store.checkpoints.blobs import Blobs, sha256_of
from neocode.store.sessions import SessionStore
from tests.unit.store.store_builders import compaction, talk
from tests.unit.store.test_store_faults import Breaking


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    Breaking.left = -1
    opened = SessionStore.open(tmp_path / "sessions.db", factory=Breaking)
    yield opened
    Breaking.left = -1
    opened.close()


@contextlib.contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file of this process may grow over so many bytes: the system refuses the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def change(message_id: str, path: str, before: str = "", after: str = "x") -> FileChange:
    state = FileState(sha256=before and sha256_of(before.encode()), kept=bool(before))
    return FileChange(
        message_id=message_id, path=Path(path), before=state, after=sha256_of(after.encode())
    )


def test_bytes_come_back_and_are_kept_once(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "checkpoints")
    data = bytes(range(256)) * 9
    name = blobs.put(data)
    assert (name, blobs.get(name)) == (sha256_of(data), data)
    path = tmp_path / "checkpoints" / name[:2] / name
    written = path.stat().st_mtime_ns
    assert blobs.put(data) == name
    assert path.stat().st_mtime_ns == written
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert blobs.names() == {name}
    assert blobs.get(sha256_of(b"other")) is None


def test_damaged_ones_count_as_lost_and_are_written_again(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"content")
    (tmp_path / name[:2] / name).write_bytes(b"conten")
    assert blobs.get(name) is None
    blobs.put(b"content")
    assert blobs.get(name) == b"content"


def test_bounds_are_said_in_words(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path, most_file=100, most=150)
    assert "larger than the 100 bytes" in blobs.refusal(101)
    blobs.put(b"a" * 100)
    assert blobs.refusal(50) == ""
    assert "have reached 150 bytes" in blobs.refusal(51)
    assert "have reached" in Blobs(tmp_path, most_file=100, most=150).refusal(51), "counted anew"
    blobs.remove(blobs.names())
    assert blobs.refusal(100) == ""


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "c")
    with full_disk(1000), pytest.raises(StoreError):
        blobs.put(b"x" * 5000)
    assert blobs.names() == frozenset()
    assert [p for p in (tmp_path / "c").rglob("*") if p.is_file()] == []
    assert blobs.get(blobs.put(b"x" * 5000)) == b"x" * 5000


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("a file in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        Blobs(tmp_path / "c").put(b"x")


def test_changes_are_read_in_order_with_the_place_of_their_prompt(store: SessionStore) -> None:
    session = talk(store, *"abcd")
    first, second = session.messages[0].id, session.messages[2].id
    odd = os.fsdecode(b"/p/caf\xe9 \xff.txt")
    before = FileState(sha256="ab" * 32, size=7, mode=0o755, kept=True, missing_folders=2)
    store.add_file_change(session.id, change(first, "/p/x"))
    store.add_file_change(session.id, replace(change(second, odd), before=before))
    store.add_file_change(session.id, change("m_unknown", "/p/y"))
    found = store.file_changes(session.id)
    assert [(c.path, c.place) for c in found] == [
        (Path("/p/x"), 0),
        (Path(odd), 2),
        (Path("/p/y"), 2),
    ]
    assert found[1].before == before
    assert found[0].before == FileState()


def test_a_rewind_to_before_a_message(store: SessionStore) -> None:
    """Compactions that archived any of what goes are taken back, others stay; so do the files."""
    session = talk(store, *"abcdefgh")
    ids = [m.id for m in session.messages]
    for each in (0, 2, 4):
        store.add_file_change(session.id, change(ids[each], f"/p/{each}"))
    after, record, summary = compaction(session, 0, 4)
    store.apply_compaction(after, record, summary)
    back = store.rewind_before(session.id, ids[6])
    assert [m.id for m in back.messages] == [summary.id, *ids[4:6]]
    assert len(store.file_changes(session.id)) == 3
    back = store.rewind_before(session.id, ids[4], [Path("/p/0")])
    assert [m.id for m in back.messages] == [summary.id]
    assert back.compactions == 1
    assert [c.path for c in store.file_changes(session.id)] == [Path("/p/0"), Path("/p/2")]
    back = store.rewind_before(session.id, ids[2], [Path("/p/2")])
    assert [m.id for m in back.messages] == ids[:2]
    assert back.compactions == 0
    assert [c.path for c in store.file_changes(session.id)] == [Path("/p/0"), Path("/p/2")]
    back = store.rewind_before(session.id, ids[0], [])
    assert back.messages == ()
    with pytest.raises(StoreError, match="no message"):
        store.rewind_before(session.id, ids[0], [])


def test_a_copy_has_the_changes_of_its_own_messages(store: SessionStore) -> None:
    session = talk(store, *"abcd")
    for each in session.messages:
        store.add_file_change(session.id, change(each.id, f"/p/{each.id}"))
    whole = store.fork(session.id)
    assert store.file_changes(whole.id) == store.file_changes(session.id)
    part = store.fork(session.id, session.messages[1].id)
    assert store.file_changes(part.id) == store.file_changes(session.id)[:2]


def test_a_deleted_session_takes_along_what_only_it_needs(
    store: SessionStore, tmp_path: Path
) -> None:
    blobs = Blobs(tmp_path / "c")
    one, other = talk(store, "a"), talk(store, "b")
    for text in ("mine", "shared", "theirs"):
        blobs.put(text.encode())
    for session, texts in ((one, ("mine", "shared")), (other, ("shared", "theirs"))):
        for text in texts:
            store.add_file_change(session.id, change(session.messages[0].id, "/p/x", text))
    names = store.checkpoint_names(one.id)
    assert store.prune_checkpoints(blobs, names) == 0
    store.delete(one.id)
    assert store.prune_checkpoints(blobs, names) == len(b"mine")
    assert blobs.names() == {sha256_of(b"shared"), sha256_of(b"theirs")}


def test_every_write_is_whole_or_absent(store: SessionStore) -> None:
    session = talk(store, *"abcdef")
    after, record, summary = compaction(session, 0, 3)
    store.apply_compaction(after, record, summary)
    second = session.messages[2].id
    store.add_file_change(session.id, change(second, "/p/x"))

    def state() -> list[object]:
        now = store.load(session.id)
        return [now, store.messages(session.id, "full"), store.file_changes(session.id)]

    before = state()
    for statement in range(4):
        Breaking.left = statement
        with pytest.raises(StoreError):
            store.rewind_before(session.id, second, [])
        Breaking.left = -1
        assert state() == before
    for statement in range(3):
        Breaking.left = statement
        with pytest.raises(StoreError):
            store.add_file_change(session.id, change(second, "/p/y"))
        Breaking.left = -1
        assert state() == before


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from neocode.runtime.live import LiveSession
from neocode.runtime.past.keeping import Checkpoints
from neocode.store.checkpoints.blobs import Blobs
from neocode.store.sessions import SessionStore
from neocode.tools.files.text_file import replace_bytes
from tests.unit.store.test_store_faults import Breaking
home = Path(sys.argv[1])
store = SessionStore.open(home / "sessions.db", factory=Breaking)
live = LiveSession(store, store.load(sys.argv[2]))
live.prompt_id = live.state.messages[0].id
keeping = Checkpoints(store, live, Blobs(home / "c"), print)
Breaking.left, Breaking.deadly = int(sys.argv[3]), True
for text in (b"two", b"three"):
    keeping.before_change(home / "x.txt", text)
    replace_bytes(home / "x.txt", text)
"""


@pytest.mark.parametrize("statement", [0, 1, 2, 3, 4, 5, 1000])
def test_killed_anywhere_the_file_can_be_brought_back(tmp_path: Path, statement: int) -> None:
    """kill -9 while a tool keeps and changes a file: never changed without a checkpoint."""
    home = tmp_path.resolve()
    store = SessionStore.open(home / "sessions.db")
    session = talk(store, "change x")
    store.close()
    (home / "x.txt").write_bytes(b"one")
    root = str(Path(__file__).parents[3])
    child = subprocess.run(
        [sys.executable, "-c", KILLED, home, session.id, str(statement), root], check=False
    )
    assert child.returncode in (0, -signal.SIGKILL)
    now = (home / "x.txt").read_bytes()
    again = SessionStore.open(home / "sessions.db")
    found = again.file_changes(session.id)
    again.close()
    if now == b"one":
        return
    assert found[0].before.sha256 == sha256_of(b"one")
    assert Blobs(home / "c").get(found[0].before.sha256) == b"one"
    assert sha256_of(now) in [c.after for c in found]

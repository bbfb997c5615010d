"""The file: private, refused when newer, set aside when damaged, migrated on a copy."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from neocode.domain.errors import StoreError
from neocode.store.database import open_database
from neocode.store.lock import SessionLock, holder
from neocode.store.migrations import MIGRATIONS, NEWEST
from neocode.store.sessions import SessionStore
from tests.unit.store.store_builders import compact, message, talk

SECOND = (*MIGRATIONS, "ALTER TABLE sessions ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sessions.db"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_files_are_private_under_any_umask(path: Path) -> None:
    store = SessionStore.open(path)
    talk(store, "x")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert modes["sessions.db"] == modes["sessions.db-wal"] == 0o600
    assert set(modes.values()) == {0o600}
    store.close()


def test_the_promises_of_the_connection(path: Path) -> None:
    database = open_database(path)

    def pragma(name: str) -> object:
        return database.connection.execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 10_000
    assert pragma("user_version") == NEWEST
    database.close()


def test_a_newer_database_is_named_and_not_touched(path: Path) -> None:
    open_database(path, migrations=SECOND).close()
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(StoreError, match="newer version") as caught:
        SessionStore.open(path)
    assert str(path) in caught.value.message
    assert "Update neocode" in caught.value.hint
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_database_of_another_program_is_not_touched(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a database of neocode"):
        SessionStore.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["noise", "header", "schema"])
def test_a_damaged_database_is_set_aside_and_named(path: Path, damage: str) -> None:
    store = SessionStore.open(path)
    talk(store, "precious")
    store.close()
    good = path.read_bytes()
    bad = {
        "noise": b"\x00" * len(good),
        "header": b"garbage" + good[7:],
        "schema": good[:100] + b"\xff" * 4000 + good[4100:],
    }[damage]
    path.write_bytes(bad)
    fresh = SessionStore.open(path)
    (aside,) = path.parent.glob("sessions.db.damaged-*")
    assert aside.read_bytes() == bad
    assert str(aside) in fresh.notice
    assert fresh.list() == []
    talk(fresh, "life goes on")
    fresh.close()
    again = SessionStore.open(path)
    assert (len(again.list()), again.notice) == (1, "")
    again.close()


def test_a_migration_is_made_on_a_copy_and_keeps_the_old_file(path: Path) -> None:
    store = SessionStore.open(path)
    session = talk(store, "hello")
    store.close()
    database = open_database(path, migrations=SECOND)
    rows = database.connection.execute("SELECT id, colour FROM sessions").fetchall()
    assert rows == [(session.id, "red")]
    database.close()
    kept = sqlite3.connect(path.with_name(f"sessions.db.form-{NEWEST}"))
    assert kept.execute("SELECT id FROM sessions").fetchall() == [(session.id,)]
    kept.close()


def test_a_failed_migration_leaves_the_database_as_it_was(path: Path) -> None:
    store = SessionStore.open(path)
    session = talk(store, "hello")
    store.close()
    with pytest.raises(StoreError):
        open_database(path, migrations=(*MIGRATIONS, "CREATE TABLE x (y); DROP TABLE nothing;"))
    assert not list(path.parent.glob("*.migrating*"))
    again = SessionStore.open(path)
    assert again.load(session.id) == session
    again.close()


def test_a_database_in_use_is_neither_migrated_nor_set_aside(path: Path) -> None:
    store = SessionStore.open(path)
    with pytest.raises(StoreError, match="another neocode has it open"):
        open_database(path, migrations=SECOND)
    store.close()


def test_a_full_disk_says_so_and_keeps_what_was_there(path: Path) -> None:
    store = SessionStore.open(path)
    session = talk(store, "hello")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    said = message("x" * 100_000)
    with pytest.raises(StoreError, match="disk is full") as caught:
        store.append(session.append(said), said)
    assert "Free some space" in caught.value.hint
    assert store.load(session.id) == session
    store.close()


def test_a_read_only_database_says_so(path: Path) -> None:
    store = SessionStore.open(path)
    session = talk(store, "hello")
    store._db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        store.save(session)
    assert "NEOCODE_HOME" in caught.value.hint
    store.close()


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        SessionStore.open(tmp_path / "file" / "sessions.db")


def test_a_locked_database_says_so(path: Path) -> None:
    store = SessionStore.open(path)
    other = SessionStore.open(path)
    other._db.execute("PRAGMA busy_timeout = 10")
    store._db.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked"):
        talk(other, "x")
    store._db.execute("ROLLBACK")
    talk(other, "x")
    store.close()
    other.close()


def test_the_check_finds_nothing_in_a_sound_database(path: Path) -> None:
    store = SessionStore.open(path)
    compact(store, talk(store, *"abcdef"), 0, 3)
    assert store.check() == []
    store.close()


WRITER = """
import sys
from pathlib import Path
from neocode.domain.messages import Message
from neocode.store.sessions import SessionStore
store = SessionStore.open(Path(sys.argv[1]))
for turn in range(30):
    m = Message(id=f"{sys.argv[2]}{turn}", created_at="t", role="user", content="word " * 50)
    store.append(store.head(sys.argv[3]).append(m), m)
store.close()
"""


def test_two_processes_on_one_session_do_not_corrupt_it(path: Path) -> None:
    store = SessionStore.open(path)
    session = talk(store, "begin")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, name, session.id]) for name in "ab"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    stored = store.messages(session.id, "full")
    assert len({m.id for m in stored}) == len(stored) == 61
    assert store.list()[0].messages == 61
    assert store.check() == []
    store.close()


HOLDER = """
import sys, time
from pathlib import Path
from neocode.store.lock import SessionLock
assert SessionLock.acquire(Path(sys.argv[1]), "s_1")
print("held", flush=True)
time.sleep(60)
"""


def test_a_session_has_one_writer_and_a_dead_one_holds_nothing(tmp_path: Path) -> None:
    """B34: kill -9 leaves no lock behind."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    assert SessionLock.acquire(tmp_path, "s_1") is None
    assert holder(tmp_path, "s_1") == process.pid
    other = SessionLock.acquire(tmp_path, "s_2")
    assert other is not None
    process.kill()
    process.wait()
    mine = SessionLock.acquire(tmp_path, "s_1")
    assert mine is not None
    assert SessionLock.acquire(tmp_path, "s_1") is None
    mine.release()
    mine.release()
    other.release()
    assert list(tmp_path.iterdir()) == []
    process.stdout.close()

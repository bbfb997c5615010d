"""Opening sessions.db: private, durable, checked, brought to the newest schema.

SQLite in WAL mode with synchronous=FULL (spec/safety "Nothing is lost"). A newer database
is refused and never touched; a damaged one is renamed and named, never overwritten.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from neocode.config.atomic import FILE_MODE, sync_folder
from neocode.config.paths import make_private_folder
from neocode.domain.errors import StoreError
from neocode.store.failures import explained, is_damage
from neocode.store.lock import UseLock
from neocode.store.migrations import MIGRATIONS

BUSY_TIMEOUT_S = 10.0
_SIDE_FILES = ("", "-wal", "-shm")


@dataclass(slots=True)
class Database:
    """An open database. set_aside: where a damaged predecessor now lies, or None.

    notice: words about it for the user, "" when there is nothing to say.
    """

    connection: sqlite3.Connection
    path: Path
    use: UseLock
    set_aside: Path | None = None
    notice: str = ""

    def close(self) -> None:
        """Close the connection (which folds the log into the file) and let go of the file."""
        with explained(self.path):
            self.connection.close()
        self.use.close()


def open_database(
    path: Path,
    *,
    migrations: Sequence[str] = MIGRATIONS,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
) -> Database:
    """Open, or make, the database at path; its folder is made with mode 0700, itself 0600.

    Raises StoreError when it is newer than this program, is no database of ours, is being
    replaced by another program, or cannot be opened (disk full, read-only, locked).
    """
    with explained(path):
        make_private_folder(path.parent)
        use = UseLock(path.with_name(path.name + ".lock"))
        try:
            return _open(path, use, migrations, factory)
        except BaseException:
            use.close()
            raise


def _open(
    path: Path, use: UseLock, migrations: Sequence[str], factory: type[sqlite3.Connection]
) -> Database:
    _share(use, path)
    try:
        version = _version_of(path, len(migrations))
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return _replace_damaged(path, use, migrations, factory)
    if 0 < version < len(migrations):
        _claim(use, path, "brought to the form of this version")
        _migrate_on_copy(path, version, migrations)
        _share(use, path)
    connection = _connect(path, factory)
    try:
        _create_schema(connection, migrations)
    except BaseException:
        connection.close()
        raise
    return Database(connection, path, use)


def _replace_damaged(
    path: Path, use: UseLock, migrations: Sequence[str], factory: type[sqlite3.Connection]
) -> Database:
    _claim(use, path, "set aside, since it is damaged")
    aside = set_aside(path)
    database = _open(path, use, migrations, factory)
    database.set_aside = aside
    database.notice = (
        f"The session database was damaged. It was set aside, unchanged, as {aside}, and a new "
        "one was begun. Transcripts are not affected: `neocode transcripts list` shows them, "
        "`neocode transcripts restore` makes sessions from them."
    )
    return database


def set_aside(path: Path) -> Path:
    """Rename a database and its side files with a time stamp; returns its new path."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    count = 1
    while aside.exists():
        count += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{count}")
    for suffix in _SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(aside.with_name(aside.name + suffix))
    sync_folder(path.parent)
    return aside


def _share(use: UseLock, path: Path) -> None:
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while not use.share():
        if time.monotonic() > deadline:
            raise StoreError(
                f"Another neocode is replacing {path}",
                hint="Wait until it has started, then try again.",
            )
        time.sleep(0.02)


def _claim(use: UseLock, path: Path, purpose: str) -> None:
    if not use.claim():
        raise StoreError(
            f"{path} has to be {purpose}, but another neocode has it open",
            hint="Close the other neocode and start again.",
        )


def _version_of(path: Path, known: int) -> int:
    """The database's version, 0 for a new one. Raises StoreError for one that is not for us."""
    if not path.exists() or path.stat().st_size == 0:
        return 0
    if (stored := _version_in_header(path)) > known:
        raise StoreError(
            f"{path} was written by a newer version of neocode (form {stored}, this one "
            f"knows up to {known}); it was not touched",
            hint="Update neocode, or set NEOCODE_HOME to another folder.",
        )
    with contextlib.closing(_plain(path)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and tables:
            raise StoreError(
                f"{path} is not a database of neocode; it was not touched",
                hint="Move it away, or set NEOCODE_HOME to another folder.",
            )
        if version:
            connection.execute("SELECT * FROM sessions LIMIT 1").fetchone()
            connection.execute("SELECT * FROM messages LIMIT 1").fetchone()
    return version


def _version_in_header(path: Path) -> int:
    """PRAGMA user_version as it lies in the file, so that a newer one need not be opened."""
    with path.open("rb") as file:
        header = file.read(64)
    is_database = header.startswith(b"SQLite format 3\0") and len(header) == 64
    return int.from_bytes(header[60:64], "big") if is_database else 0


def _plain(
    path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    return sqlite3.connect(
        path,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        factory=factory,
    )


def _connect(path: Path, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    if os.name != "nt" and path.stat().st_mode & 0o077:
        path.chmod(FILE_MODE)  # SQLite gives -wal and -shm the mode of the database
    connection = _plain(path, factory)
    try:
        _switch_to_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_size_limit = 4194304")
    except BaseException:
        connection.close()
        raise
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Two programs that start at once may both want the switch: SQLite does not wait here."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _create_schema(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0]:
        return
    with transaction(connection):
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            _apply(connection, migrations, 0)


def _apply(connection: sqlite3.Connection, migrations: Sequence[str], version: int) -> None:
    for step in migrations[version:]:
        for statement in _statements(step):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _statements(script: str) -> Iterator[str]:
    """The single statements; executescript would commit between them."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _migrate_on_copy(path: Path, version: int, migrations: Sequence[str]) -> None:
    """Migrate a copy, check it, put it in the original's place; the original is kept beside."""
    copy = path.with_name(f"{path.name}.migrating")
    copy.unlink(missing_ok=True)
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    try:
        with contextlib.closing(_plain(path)) as old, contextlib.closing(_plain(copy)) as new:
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            old.backup(new)
            with transaction(new):
                _apply(new, migrations, version)
            found = new.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(f"the migrated copy is not sound: {found}")
        with copy.open("rb+") as file:
            os.fsync(file.fileno())
        _keep_beside(path, path.with_name(f"{path.name}.form-{version}"))
        copy.replace(path)
        sync_folder(path.parent)
    except BaseException:
        for suffix in _SIDE_FILES:
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
        raise


def _keep_beside(path: Path, kept: Path) -> None:
    """A second name for the file, so that there is no moment without a database."""
    kept.unlink(missing_ok=True)
    try:
        kept.hardlink_to(path)
    except OSError:  # a file system without hard links
        shutil.copy2(path, kept)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All of the block's writes, on disk when it ends; or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise

"""Which file was changed in which prompt's run, and what it was before (table file_changes)."""

import os
import sqlite3
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from neocode.domain.checkpoints import FileChange, FileState

_COLUMNS = (
    "message_id, path, before_sha, before_size, before_mode, before_kept, missing_folders, "
    "after_sha"
)


def put_change(db: sqlite3.Connection, session_id: str, change: FileChange) -> None:
    """Insert at the end; its place is that of its message."""
    before = change.before
    db.execute(
        f"INSERT INTO file_changes (session_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session_id,
            change.message_id,
            os.fsencode(change.path),
            before.sha256,
            before.size,
            before.mode,
            before.kept,
            before.missing_folders,
            change.after,
        ),
    )


def read_changes(db: sqlite3.Connection, session_id: str) -> list[FileChange]:
    """All of a session, oldest first.

    A prompt that is not in the session (a copy leaves out what a rewind hid) counts as the
    prompt of the change before.
    """
    rows = db.execute(
        f"SELECT {_COLUMNS}, (SELECT seq FROM message_rows m WHERE m.session_id = c.session_id "
        "AND m.id = c.message_id) FROM file_changes c WHERE session_id = ? ORDER BY number",
        (session_id,),
    )
    changes: list[FileChange] = []
    place = -1
    for row in rows:
        place = row[-1] if row[-1] is not None else place
        changes.append(replace(_change(row), place=place))
    return changes


def drop_changes(
    db: sqlite3.Connection, session_id: str, place: int, keep: Collection[Path]
) -> None:
    """Forget the changes made from a place in time on, but for those of some files."""
    rows = db.execute(
        "SELECT number, path FROM file_changes WHERE session_id = :id AND message_id IN "
        "(SELECT id FROM message_rows WHERE session_id = :id AND seq >= :place)",
        {"id": session_id, "place": place},
    ).fetchall()
    kept = {os.fsencode(path) for path in keep}
    gone = [(number,) for number, path in rows if path not in kept]
    db.executemany("DELETE FROM file_changes WHERE number = ?", gone)


def names_of(db: sqlite3.Connection, session_id: str | None = None) -> frozenset[str]:
    """Names of the blobs that a session's changes, or anybody's, refer to."""
    where, values = ("", ()) if session_id is None else (" AND session_id = ?", (session_id,))
    rows = db.execute(
        f"SELECT DISTINCT before_sha FROM file_changes WHERE before_kept{where}", values
    )
    return frozenset(row[0] for row in rows)


def _change(row: tuple[object, ...]) -> FileChange:
    message_id, path, sha, size, mode, kept, missing, after, _ = row
    before = FileState(
        sha256=str(sha),
        size=int(str(size)),
        mode=int(str(mode)),
        kept=bool(kept),
        missing_folders=int(str(missing)),
    )
    name = os.fsdecode(path if isinstance(path, bytes) else str(path))
    return FileChange(message_id=str(message_id), path=Path(name), before=before, after=str(after))

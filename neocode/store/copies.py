"""Sessions made from sessions: fork, rewind, delete."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from neocode.domain.clock import utc_now
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.store import compactions
from neocode.store.checkpoints.changes import drop_changes
from neocode.store.history import (
    first_words,
    forget_words,
    place,
    put_message,
    put_session,
    read_session,
)
from neocode.store.rows import MESSAGE_COLUMNS, message_from_row

_COPIED = {
    "compactions": "id, created_at, trigger_mode, strategy, method, model, transcript_id, "
    "transcript_path, summary_message_id, archived_ids, task_state_before, task_state_after, "
    "counters_before, metrics",
    "notices": "id, created_at, after_message_id, kind, payload",
    "shortened": "compaction_id, message_id, message",
    "file_changes": "message_id, path, before_sha, before_size, before_mode, before_kept, "
    "missing_folders, after_sha",
}
_ONLY = {
    "compactions": " AND undone_at IS NULL ORDER BY number",
    "notices": " ORDER BY number",
    "shortened": " AND compaction_id IN (SELECT id FROM compactions WHERE session_id = :new)",
    "file_changes": " ORDER BY number",
}


def rewind(db: sqlite3.Connection, session_id: str, message_id: str) -> None:
    """Hide what came after a message; compactions that reach over it are taken back for good.

    The hidden messages stay in the database. Raises StoreError when there is no such message.
    """
    seq = place(db, session_id, message_id, "seq")
    compactions.undo_from(db, session_id, seq)
    _hide_from(db, session_id, seq + 1)


def rewind_before(
    db: sqlite3.Connection, session_id: str, message_id: str, restored_but: Collection[Path] | None
) -> None:
    """Hide a message and what came after it; compactions that archived any of it are taken back.

    restored_but: the files were taken back too, but for these: their changes since are
    forgotten. None: the files are as they are, and their changes stay known.
    """
    seq = place(db, session_id, message_id, "seq")
    compactions.undo_from(db, session_id, seq)
    if restored_but is not None:
        drop_changes(db, session_id, seq, restored_but)
    _hide_from(db, session_id, seq)


def _hide_from(db: sqlite3.Connection, session_id: str, seq: int) -> None:
    db.execute(
        "UPDATE message_rows SET hidden_at = :now WHERE session_id = :id AND seq >= :seq "
        "AND hidden_at IS NULL AND id NOT IN (SELECT summary_message_id FROM compactions "
        "WHERE session_id = :id AND undone_at IS NULL)",
        {"now": utc_now(), "id": session_id, "seq": seq},
    )
    _recount(db, session_id)
    session = read_session(db, session_id)
    if session.micro_edge and not _is_visible(db, session_id, session.micro_edge):
        put_session(db, replace(session, micro_edge=""))


def fork(db: sqlite3.Connection, session_id: str, new_id: str, upto: str | None) -> None:
    """Copy a session under another id, with its compactions; up to a message, or whole."""
    source = read_session(db, session_id)
    put_session(db, replace(source, id=new_id, created_at=utc_now()))
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS}, seq, position FROM messages "
        "WHERE session_id = ? AND hidden_at IS NULL ORDER BY seq",
        (session_id,),
    ).fetchall()
    for row in rows:
        put_message(db, new_id, message_from_row(row[:-2]), seq=row[-2], position=row[-1])
    for table, columns in _COPIED.items():
        db.execute(
            f"INSERT INTO {table} (session_id, {columns}) "
            f"SELECT :new, {columns} FROM {table} WHERE session_id = :old{_ONLY[table]}",
            {"new": new_id, "old": session_id},
        )
    if upto is not None:
        rewind(db, new_id, upto)
        _drop_hidden(db, new_id)
    _recount(db, new_id)
    db.execute(
        "UPDATE sessions SET first_words = (SELECT first_words FROM sessions WHERE id = :old), "
        "compaction_count = (SELECT count(*) FROM compactions WHERE session_id = :new "
        "AND undone_at IS NULL) WHERE id = :new",
        {"new": new_id, "old": session_id},
    )


def restore(db: sqlite3.Connection, session: SessionState, messages: Sequence[Message]) -> None:
    """Store the messages of a transcript as a new session, in both views as they were.

    A summary takes the place of the first message that it archived. A message whose
    summary is not among the messages is live again, so that it is not out of sight.
    """
    ids = {message.id for message in messages}
    places: dict[str, int] = {}
    put_session(db, session)
    for seq, message in enumerate(messages):
        if message.compacted_into is not None and message.compacted_into not in ids:
            message = replace(message, compacted_at=None, compacted_into=None)
        position = places.get(message.id, seq) if message.is_compaction_summary else seq
        if message.compacted_into is not None:
            places.setdefault(message.compacted_into, position)
        put_message(db, session.id, message, seq=seq, position=position)
    prompt = next((m.content for m in messages if m.role == "user" and m.content.strip()), "")
    db.execute(
        "UPDATE sessions SET first_words = ? WHERE id = ?", (first_words(prompt), session.id)
    )
    _recount(db, session.id)


def delete(db: sqlite3.Connection, session_id: str) -> None:
    """Remove a session with all that belongs to it, words included. Raises StoreError if absent."""
    read_session(db, session_id)
    _forget(db, session_id, "")
    db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))


def _drop_hidden(db: sqlite3.Connection, session_id: str) -> None:
    """Remove what a rewind hid, and the compactions that it took back, from a fresh copy."""
    _forget(db, session_id, " AND hidden_at IS NOT NULL")
    db.execute(
        "DELETE FROM message_rows WHERE session_id = ? AND hidden_at IS NOT NULL", (session_id,)
    )
    db.execute(
        "DELETE FROM compactions WHERE session_id = ? AND undone_at IS NOT NULL", (session_id,)
    )
    db.execute(
        "DELETE FROM file_changes WHERE session_id = :id AND message_id NOT IN "
        "(SELECT id FROM message_rows WHERE session_id = :id)",
        {"id": session_id},
    )


def _forget(db: sqlite3.Connection, session_id: str, condition: str) -> None:
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS}, number FROM messages WHERE session_id = ?{condition}",
        (session_id,),
    )
    for row in rows.fetchall():
        forget_words(db, session_id, message_from_row(row[:-1]), row[-1])


def _recount(db: sqlite3.Connection, session_id: str) -> None:
    db.execute(
        "UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE "
        "session_id = :id AND hidden_at IS NULL AND NOT is_compaction_summary) WHERE id = :id",
        {"id": session_id},
    )


def _is_visible(db: sqlite3.Connection, session_id: str, message_id: str) -> bool:
    found = db.execute(
        "SELECT 1 FROM messages WHERE session_id = ? AND id = ? AND hidden_at IS NULL",
        (session_id, message_id),
    ).fetchone()
    return found is not None

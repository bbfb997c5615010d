"""Small reads and writes beside the conversation: lists, ids, notices, what was learned."""

import json
import sqlite3
from typing import Any

from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.domain.session import Notice, SessionInfo
from neocode.domain.text import clean
from neocode.store.history import no_message, no_session
from neocode.store.rows import (
    INFO_COLUMNS,
    MESSAGE_COLUMNS,
    dump,
    info_from_row,
    insert,
    message_from_row,
    notice_from_row,
)

KEPT_INPUTS = 1000
_NAMED_CANDIDATES = 5


def sessions(db: sqlite3.Connection, limit: int, cwd: str | None) -> list[SessionInfo]:
    """Sessions with at least one message, newest first. limit: -1 for all."""
    where, values = ("AND cwd = ? ", (cwd, limit)) if cwd is not None else ("", (limit,))
    rows = db.execute(
        f"SELECT {INFO_COLUMNS} FROM sessions WHERE message_count > 0 {where}"
        "ORDER BY updated_at DESC, id LIMIT ?",
        values,
    )
    return [info_from_row(row) for row in rows]


def resolve(db: sqlite3.Connection, beginning: str) -> str:
    """The one session id that is, or begins with, the text; else StoreError."""
    rows = db.execute(
        "SELECT id, id = :id FROM sessions WHERE substr(id, 1, length(:id)) = :id "
        "ORDER BY id LIMIT :most",
        {"id": beginning, "most": _NAMED_CANDIDATES + 1},
    ).fetchall()
    exact = [row[0] for row in rows if row[1]]
    if exact or (len(rows) == 1 and beginning):
        return str(exact[0] if exact else rows[0][0])
    if not rows or not beginning:
        raise no_session(beginning)
    names = ", ".join(row[0] for row in rows[:_NAMED_CANDIDATES])
    more = " and more" if len(rows) > _NAMED_CANDIDATES else ""
    raise StoreError(
        f"{beginning} could mean several sessions: {names}{more}",
        hint="Give more characters of the id.",
    )


def record(db: sqlite3.Connection, session_id: str, message_id: str) -> Message:
    """One message by id, whatever its state. Raises StoreError when there is none."""
    found = _message(db, session_id, "id = ?", message_id)
    if found is None:
        raise no_message(session_id, message_id)
    return found


def find_by_handle(db: sqlite3.Connection, session_id: str, handle: str) -> Message | None:
    """The message with this id, else the result of this call, else the reply that made it."""
    return (
        _message(db, session_id, "id = ?", handle)
        or _message(db, session_id, "tool_call_id = ?", handle)
        or _message(
            db,
            session_id,
            "tool_calls IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(tool_calls) "
            "WHERE json_extract(value, '$.id') = ?)",
            handle,
        )
    )


def put_notice(db: sqlite3.Connection, notice: Notice) -> None:
    """Insert a notice."""
    insert(
        db,
        "notices",
        {
            "id": notice.id,
            "session_id": notice.session_id,
            "created_at": notice.created_at,
            "after_message_id": notice.after_message_id,
            "kind": notice.kind,
            "payload": dump(notice.payload),
        },
    )


def notices(db: sqlite3.Connection, session_id: str) -> list[Notice]:
    """A session's notices, oldest first."""
    rows = db.execute(
        "SELECT id, session_id, created_at, after_message_id, kind, payload FROM notices "
        "WHERE session_id = ? ORDER BY number",
        (session_id,),
    )
    return [notice_from_row(row) for row in rows]


def remember(db: sqlite3.Connection, kind: str, key: str, value: Any) -> None:
    """Insert or replace a learned value."""
    db.execute("INSERT OR REPLACE INTO learned VALUES (?, ?, ?)", (kind, key, dump(value)))


def recalled(db: sqlite3.Connection, kind: str, key: str) -> Any:
    """A learned value, or None."""
    row = db.execute("SELECT value FROM learned WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    return json.loads(row[0]) if row else None


def add_input(db: sqlite3.Connection, text: str) -> None:
    """Append to the input history, which keeps the newest KEPT_INPUTS."""
    newest = inputs(db, 1)
    if not text.strip() or newest == [clean(text)]:
        return
    db.execute("INSERT INTO inputs (text) VALUES (?)", (clean(text),))
    db.execute(
        "DELETE FROM inputs WHERE number <= (SELECT max(number) FROM inputs) - ?", (KEPT_INPUTS,)
    )


def inputs(db: sqlite3.Connection, limit: int) -> list[str]:
    """The newest inputs, oldest first."""
    rows = db.execute("SELECT text FROM inputs ORDER BY number DESC LIMIT ?", (limit,)).fetchall()
    return [row[0] for row in reversed(rows)]


def _message(db: sqlite3.Connection, session_id: str, condition: str, value: str) -> Message | None:
    row = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND {condition} "
        "ORDER BY seq DESC LIMIT 1",
        (session_id, value),
    ).fetchone()
    return message_from_row(row) if row else None

"""A session's messages on disk: written once, read in two views (spec/context 13)."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Literal

from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.domain.text import clean
from neocode.store.lines import is_keyless
from neocode.store.masking import RULES, mask
from neocode.store.raw_lines import LINE_COLUMNS, line_from_rest, line_from_row, quoted_values
from neocode.store.rows import (
    MESSAGE_COLUMNS,
    ROW_COLUMNS,
    SESSION_COLUMNS,
    TEXT_COLUMNS,
    dump,
    message_from_json,
    message_from_row,
    row_values,
    searchable,
    session_from_row,
    session_values,
    text_values,
)
from neocode.store.words import index_text, session_word

View = Literal["compacted", "full"]
FIRST_WORDS_CHARS = 80
_VISIBLE = {
    "compacted": "session_id = ? AND hidden_at IS NULL AND compacted_at IS NULL",
    "full": "session_id = ? AND hidden_at IS NULL",
}
_ORDER = {"compacted": "position", "full": "seq"}


def put_session(db: sqlite3.Connection, session: SessionState) -> None:
    """Insert or update the session's row; the counts of messages and compactions stay."""
    values = session_values(session)
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    changes = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
    db.execute(
        f"INSERT INTO sessions ({names}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {changes}",
        values,
    )


def put_messages(db: sqlite3.Connection, session_id: str, messages: Sequence[Message]) -> None:
    """Insert at the end, in order; the newest in time is the last in the compacted view too.

    Raises StoreError when a message's id is already taken in this session.
    """
    seq = next_seq(db, session_id)
    for offset, message in enumerate(messages):
        put_message(db, session_id, message, seq=seq + offset, position=seq + offset)
    count = sum(not message.is_compaction_summary for message in messages)
    db.execute(
        "UPDATE sessions SET message_count = message_count + ? WHERE id = ?", (count, session_id)
    )
    prompt = next((m.content for m in messages if m.role == "user" and m.content.strip()), "")
    if prompt:
        db.execute(
            "UPDATE sessions SET first_words = ? WHERE id = ? AND first_words = ''",
            (first_words(prompt), session_id),
        )


def put_message(
    db: sqlite3.Connection, session_id: str, message: Message, *, seq: int, position: int
) -> None:
    """Insert one message at a given place, with its words."""
    values = (session_id, seq, position, _keyless(message), *row_values(message))
    try:
        number = db.execute(
            f"INSERT INTO message_rows (session_id, seq, position, keyless, {ROW_COLUMNS}) "
            f"VALUES ({_marks(values)})",
            values,
        ).lastrowid
    except sqlite3.IntegrityError as error:
        raise StoreError(
            f"Message {message.id} is already stored in session {session_id}",
            hint="Another neocode may have written to this session; open it again.",
        ) from error
    texts = (number, *text_values(message))
    db.execute(
        f"INSERT INTO message_texts (number, {TEXT_COLUMNS}) VALUES ({_marks(texts)})", texts
    )
    db.execute(
        "INSERT INTO message_words (rowid, words) VALUES (?, ?)",
        (number, _words_of(session_id, message)),
    )


def change_message(db: sqlite3.Connection, session_id: str, message: Message) -> None:
    """Store another content, metadata or mark under the same id; its place stays.

    Raises StoreError when there is no such message.
    """
    row = db.execute(
        f"SELECT {MESSAGE_COLUMNS}, number FROM messages WHERE session_id = ? AND id = ?",
        (session_id, message.id),
    ).fetchone()
    if row is None:
        raise no_message(session_id, message.id)
    forget_words(db, session_id, message_from_row(row[:-1]), row[-1])
    db.execute(
        f"UPDATE message_rows SET (keyless, {ROW_COLUMNS}) = "
        f"({_marks(row_values(message))}, ?) WHERE number = ?",
        (_keyless(message), *row_values(message), row[-1]),
    )
    db.execute(
        f"UPDATE message_texts SET ({TEXT_COLUMNS}) = ({_marks(text_values(message))}) "
        "WHERE number = ?",
        (*text_values(message), row[-1]),
    )
    db.execute(
        "INSERT INTO message_words (rowid, words) VALUES (?, ?)",
        (row[-1], _words_of(session_id, message)),
    )


def forget_words(db: sqlite3.Connection, session_id: str, message: Message, number: int) -> None:
    """Take a message out of the word index, which keeps no text and must be told it again."""
    db.execute(
        "INSERT INTO message_words (message_words, rowid, words) VALUES ('delete', ?, ?)",
        (number, _words_of(session_id, message)),
    )


def read_session(db: sqlite3.Connection, session_id: str) -> SessionState:
    """The session's row as a state without messages. Raises StoreError when there is none."""
    row = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        raise no_session(session_id)
    return session_from_row(row)


def read_view(db: sqlite3.Connection, session_id: str, view: View) -> list[Message]:
    """Every message of a view, in its order."""
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {_VISIBLE[view]} ORDER BY {_ORDER[view]}",
        (session_id,),
    )
    return _as_read(db, session_id, view, map(message_from_row, rows))


def read_live(db: sqlite3.Connection, session_id: str, ids: Sequence[str]) -> list[Message]:
    """Those of the messages that are in the compacted view, as they read there; in its order."""
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {_VISIBLE['compacted']} "
        "AND id IN (SELECT value FROM json_each(?)) ORDER BY position, seq",
        (session_id, dump(list(ids))),
    )
    return _as_read(db, session_id, "compacted", map(message_from_row, rows))


def read_tail(
    db: sqlite3.Connection, session_id: str, view: View, limit: int, before: str | None
) -> list[Message]:
    """The last messages of a view, or the last before the one with the id `before`; in order."""
    where, order = _VISIBLE[view], _ORDER[view]
    values: list[object] = [session_id]
    if before is not None:
        where += f" AND {order} < ?"
        values.append(place(db, session_id, before, order))
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {where} ORDER BY {order} DESC LIMIT ?",
        (*values, limit),
    )
    return _as_read(db, session_id, view, map(message_from_row, reversed(rows.fetchall())))


def read_lines(
    db: sqlite3.Connection,
    session_id: str,
    after: tuple[int, int],
    secrets: Sequence[str],
    limit: int,
) -> tuple[list[bytes], int]:
    """Masked transcript lines of the full view behind a seq, and the seq of the last one.

    after: (seq, index of the first line).
    """
    seq, first = after
    values = quoted_values(secrets)
    rows = db.execute(
        f"SELECT {LINE_COLUMNS} FROM messages WHERE {_VISIBLE['full']} AND seq > ? "
        "ORDER BY seq LIMIT ?",
        (session_id, seq, limit),
    ).fetchall()
    lines = []
    for index, (rest, seq) in enumerate(rows, first):
        line = line_from_rest(rest, index, values)
        if line is None:
            row = db.execute(
                f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND seq = ?",
                (session_id, seq),
            ).fetchone()
            line = line_from_row(row, index, secrets)
        lines.append(line)
    return lines, seq


def read_page(
    db: sqlite3.Connection, session_id: str, after_seq: int, limit: int
) -> tuple[list[Message], int]:
    """Messages of the full view behind a seq, and the seq of the last one."""
    rows = db.execute(
        f"SELECT {MESSAGE_COLUMNS}, seq FROM messages WHERE {_VISIBLE['full']} AND seq > ? "
        "ORDER BY seq LIMIT ?",
        (session_id, after_seq, limit),
    ).fetchall()
    return [message_from_row(row[:-1]) for row in rows], rows[-1][-1] if rows else after_seq


def keyless_ids(db: sqlite3.Connection, session_id: str) -> frozenset[str]:
    """Ids of the messages in which today's masking rules found no key."""
    rows = db.execute(
        f"SELECT id FROM messages WHERE {_VISIBLE['full']} AND keyless = ?", (session_id, RULES)
    )
    return frozenset(row[0] for row in rows)


def next_seq(db: sqlite3.Connection, session_id: str) -> int:
    """The place in time that the next message of the session takes."""
    newest = db.execute(
        "SELECT max(seq) FROM messages WHERE session_id = ?", (session_id,)
    ).fetchone()[0]
    return 0 if newest is None else newest + 1


def place(db: sqlite3.Connection, session_id: str, message_id: str, order: str) -> int:
    """A visible message's seq or position. Raises StoreError when there is none."""
    row = db.execute(
        f"SELECT {order} FROM messages WHERE session_id = ? AND id = ? AND hidden_at IS NULL",
        (session_id, message_id),
    ).fetchone()
    if row is None:
        raise no_message(session_id, message_id)
    found: int = row[0]
    return found


def shortened_messages(db: sqlite3.Connection, session_id: str) -> dict[str, Message]:
    """How messages read in the compacted view where a compaction shortened them; by id."""
    rows = db.execute(
        "SELECT s.message_id, s.message FROM shortened s JOIN compactions c "
        "ON c.session_id = s.session_id AND c.id = s.compaction_id "
        "WHERE s.session_id = ? AND c.undone_at IS NULL ORDER BY c.number",
        (session_id,),
    )
    return {row[0]: message_from_json(json.loads(row[1])) for row in rows}


def first_words(prompt: str) -> str:
    """What a session without a title is called in lists: the prompt's first line, masked."""
    line = next((line for line in prompt.splitlines() if line.strip()), "").strip()
    line = mask(clean(line[: FIRST_WORDS_CHARS * 8]))
    return line if len(line) <= FIRST_WORDS_CHARS else line[: FIRST_WORDS_CHARS - 1] + "…"


def no_session(session_id: str) -> StoreError:
    """The error for an id that names no session."""
    return StoreError(
        f"There is no session {session_id}", hint="`neocode sessions list` shows them all."
    )


def no_message(session_id: str, message_id: str) -> StoreError:
    """The error for an id that names no message."""
    return StoreError(
        f"There is no message {message_id} in session {session_id}",
        hint=f"`neocode sessions show {session_id} --view full` shows them all.",
    )


def _as_read(
    db: sqlite3.Connection, session_id: str, view: View, messages: Iterable[Message]
) -> list[Message]:
    if view == "full":
        return list(messages)
    shortened = shortened_messages(db, session_id)
    return [shortened.get(message.id, message) for message in messages]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _keyless(message: Message) -> int:
    return RULES if is_keyless(message) else 0


def _words_of(session_id: str, message: Message) -> str:
    return f"{session_word(session_id)} {index_text(*searchable(message))}"

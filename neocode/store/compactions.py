"""A compaction on disk: applied in one transaction, taken back, made again (spec/context 11).

Applied compactions form a stack: undo takes the newest, redo the oldest undone one.
Nothing is deleted: an undone summary is hidden, its archive is live again.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from neocode.domain.clock import utc_now
from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.domain.session import CompactionRecord, SessionState
from neocode.domain.task_state import TaskState, task_state_from_json
from neocode.store.history import (
    next_seq,
    put_message,
    put_session,
    read_live,
    read_session,
)
from neocode.store.rows import (
    COUNTERS,
    RECORD_COLUMNS,
    counters_of,
    dump,
    insert,
    message_to_json,
    record_from_row,
    record_values,
)

_SUMMED = "input_tokens_since_compaction"
_RESTORED = tuple(name for name in COUNTERS if name not in ("cost_usd", _SUMMED))


def apply(
    db: sqlite3.Connection, after: SessionState, record: CompactionRecord, summary: Message | None
) -> None:
    """Store a compaction: summary, archive marks, shortened messages, record, counters.

    after.messages is the new compacted view; the stored one must come out the same, else
    StoreError is raised and the transaction must be rolled back.
    """
    before = read_session(db, after.id)
    live = set(_live_ids(db, after.id))
    archived = set(record.archived_ids)
    if not archived <= live:
        raise _changed()
    kept = record.counters_before if record.counters_before else {}
    record = replace(record, counters_before={**counters_of(before), **kept})
    db.execute("UPDATE compactions SET redo = NULL WHERE session_id = ?", (after.id,))
    insert(db, "compactions", record_values(record))
    if summary is not None:
        position = _summary_position(db, after, archived, summary.id)
        seq = next_seq(db, after.id)
        put_message(db, after.id, summary, seq=seq, position=position)
    _mark_archived(db, record)
    kept_ids = [message.id for message in after.messages if message.id in live]
    stored = {message.id: message for message in read_live(db, after.id, kept_ids)}
    for message in after.messages:
        if message.id in stored and _differs(message, stored[message.id]):
            _put_shortened(db, record, message)
    if [m.id for m in after.messages] != _live_ids(db, after.id):
        raise _changed()
    put_session(db, replace(after, input_tokens_since_compaction=0))
    _count(db, after.id)


def undo(db: sqlite3.Connection, session_id: str) -> None:
    """Take the newest applied compaction back; messages that came later stay.

    TaskState and counters are those from before it; a rule pinned since then stays, and
    calls made since then are added to the counter. Raises StoreError when there is none.
    """
    record = _one(db, session_id, "undone_at IS NULL ORDER BY number DESC")
    if record is None:
        raise StoreError(
            "There is no compaction to undo in this session",
            hint="/compact makes one; `neocode compact redo` brings an undone one back.",
        )
    _take_back(db, record, keep_redo=True)


def undo_from(db: sqlite3.Connection, session_id: str, seq: int) -> None:
    """Take back, for good, every compaction that archived something from seq on, newest first."""
    db.execute("UPDATE compactions SET redo = NULL WHERE session_id = ?", (session_id,))
    applied = [r for r in read_records(db, session_id) if r.undone_at is None]
    while any(_reaches(db, record, seq) for record in applied):
        _take_back(db, applied.pop(), keep_redo=False)


def redo(db: sqlite3.Connection, session_id: str) -> None:
    """Apply again what was undone last; the same bytes as before the undo.

    Raises StoreError when there is nothing: a new compaction or a rewind ends the chance.
    """
    record = _one(db, session_id, "undone_at IS NOT NULL AND redo IS NOT NULL ORDER BY number ASC")
    if record is None:
        raise StoreError(
            "There is no undone compaction to bring back in this session",
            hint="/compact makes a new one.",
        )
    stash = json.loads(
        db.execute(
            "SELECT redo FROM compactions WHERE session_id = ? AND id = ?", (session_id, record.id)
        ).fetchone()[0]
    )
    now = read_session(db, session_id)
    summed = now.input_tokens_since_compaction - _summed_before(record)
    _restore(db, now, stash["counters"], task_state_from_json(stash["task_state"]), summed)
    _mark_archived(db, record)
    db.execute(
        "UPDATE message_rows SET hidden_at = NULL WHERE session_id = ? AND id = ?",
        (session_id, record.summary_message_id),
    )
    db.execute(
        "UPDATE compactions SET undone_at = NULL, redo = NULL WHERE session_id = ? AND id = ?",
        (session_id, record.id),
    )
    _count(db, session_id)


def read_records(db: sqlite3.Connection, session_id: str) -> list[CompactionRecord]:
    """Every compaction of the session, oldest first, undone ones included."""
    rows = db.execute(
        f"SELECT {RECORD_COLUMNS} FROM compactions WHERE session_id = ? ORDER BY number",
        (session_id,),
    )
    return [record_from_row(row) for row in rows]


def carry_pins(target: TaskState, current: TaskState) -> TaskState:
    """target with the rules that are pinned now, in place of those pinned then."""
    if set(target.pinned) == set(current.pinned):
        return target
    dropped = set(target.pinned) - set(current.pinned)
    kept = tuple(rule for rule in target.user_constraints if rule not in dropped)
    added = tuple(rule for rule in current.pinned if rule not in kept)
    return replace(target, user_constraints=kept + added, pinned=current.pinned)


def _take_back(db: sqlite3.Connection, record: CompactionRecord, *, keep_redo: bool) -> None:
    session_id = record.session_id
    now = read_session(db, session_id)
    counters = counters_of(now)
    stash = {
        "task_state": now.task_state.to_json(),
        "counters": {name: counters[name] for name in _RESTORED},
    }
    summed = now.input_tokens_since_compaction + _summed_before(record)
    _restore(db, now, record.counters_before, record.task_state_before, summed)
    db.execute(
        "UPDATE message_rows SET compacted_at = NULL, compacted_into = NULL "
        "WHERE session_id = ? AND compacted_into = ?",
        (session_id, _archive_mark(record)),
    )
    db.execute(
        "UPDATE message_rows SET hidden_at = ? WHERE session_id = ? AND id = ?",
        (utc_now(), session_id, record.summary_message_id),
    )
    db.execute(
        "UPDATE compactions SET undone_at = ?, redo = ? WHERE session_id = ? AND id = ?",
        (utc_now(), dump(stash) if keep_redo else None, session_id, record.id),
    )
    _count(db, session_id)


def _restore(
    db: sqlite3.Connection,
    now: SessionState,
    counters: dict[str, object],
    task_state: TaskState,
    summed: int,
) -> None:
    changes = {name: counters[name] for name in _RESTORED if name in counters}
    changes[_SUMMED] = max(0, summed)
    changes["task_state"] = carry_pins(task_state, now.task_state)
    put_session(db, replace(now, **changes))  # type: ignore[arg-type]


def _summed_before(record: CompactionRecord) -> int:
    value = record.counters_before.get(_SUMMED, 0)
    return value if isinstance(value, int) else 0


def _summary_position(
    db: sqlite3.Connection, after: SessionState, archived: set[str], summary_id: str
) -> int:
    """The place of the first archived message that lies where `after` has the summary.

    A kept message may stand before it that came after others in the archive: a prompt
    carried over by token_budget.
    """
    places = dict(
        db.execute(
            "SELECT id, position FROM messages WHERE session_id = ? AND hidden_at IS NULL "
            "AND compacted_at IS NULL",
            (after.id,),
        ).fetchall()
    )
    ids = [message.id for message in after.messages]
    if summary_id not in ids:
        raise _changed()
    at = ids.index(summary_id)
    low = max((places[i] for i in ids[:at] if i in places), default=None)
    high = next((places[i] for i in ids[at + 1 :] if i in places), None)
    between = [
        places[i]
        for i in archived
        if (low is None or places[i] > low) and (high is None or places[i] < high)
    ]
    if between:
        return int(min(between))
    if low is not None:
        return int(low)  # equal places are ordered by seq, and the summary's is the newest
    return int(high) - 1 if high is not None else next_seq(db, after.id)


def _mark_archived(db: sqlite3.Connection, record: CompactionRecord) -> None:
    db.execute(
        "UPDATE message_rows SET compacted_at = ?, compacted_into = ? "
        "WHERE session_id = ? AND id IN (SELECT value FROM json_each(?))",
        (record.created_at, _archive_mark(record), record.session_id, dump(record.archived_ids)),
    )


def _archive_mark(record: CompactionRecord) -> str:
    """What compacted_into says: the summary's id; without a summary, the compaction's own."""
    return record.summary_message_id or record.id


def _differs(one: Message, other: Message) -> bool:
    """They would be stored differently (a list and a tuple in metadata would not)."""
    return one != other and dump(message_to_json(one)) != dump(message_to_json(other))


def _put_shortened(db: sqlite3.Connection, record: CompactionRecord, message: Message) -> None:
    row = {
        "session_id": record.session_id,
        "compaction_id": record.id,
        "message_id": message.id,
        "message": dump(message_to_json(message)),
    }
    insert(db, "shortened", row)


def _live_ids(db: sqlite3.Connection, session_id: str) -> Sequence[str]:
    rows = db.execute(
        "SELECT id FROM messages WHERE session_id = ? AND hidden_at IS NULL "
        "AND compacted_at IS NULL ORDER BY position, seq",
        (session_id,),
    )
    return [row[0] for row in rows]


def _reaches(db: sqlite3.Connection, record: CompactionRecord, seq: int) -> bool:
    """The compaction archived a message (summaries aside) that stands at seq or later."""
    found = db.execute(
        "SELECT 1 FROM messages WHERE session_id = ? AND compacted_into = ? AND seq >= ? "
        "AND NOT is_compaction_summary LIMIT 1",
        (record.session_id, _archive_mark(record), seq),
    ).fetchone()
    return found is not None


def _one(db: sqlite3.Connection, session_id: str, condition: str) -> CompactionRecord | None:
    row = db.execute(
        f"SELECT {RECORD_COLUMNS} FROM compactions WHERE session_id = ? AND {condition} LIMIT 1",
        (session_id,),
    ).fetchone()
    return record_from_row(row) if row else None


def _changed() -> StoreError:
    return StoreError(
        "The conversation changed while it was compacted; nothing was stored",
        hint="Try /compact again.",
    )


def _count(db: sqlite3.Connection, session_id: str) -> None:
    db.execute(
        "UPDATE sessions SET compaction_count = (SELECT count(*) FROM compactions "
        "WHERE session_id = :id AND undone_at IS NULL) WHERE id = :id",
        {"id": session_id},
    )

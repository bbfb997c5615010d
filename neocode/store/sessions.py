"""The store of sessions: one object, synchronous, safe to call from several threads.

Every method that writes is one transaction: on disk when it returns, or nothing of it.
Each raises StoreError (cause and remedy in words) when the disk or the database refuses.
"""

import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from neocode.domain.checkpoints import FileChange
from neocode.domain.clock import new_id, utc_now
from neocode.domain.messages import STATE_KEY, Message
from neocode.domain.session import CompactionRecord, Hit, Notice, SessionInfo, SessionState
from neocode.domain.task_state import TaskState, task_state_from_json
from neocode.store import compactions, copies, history, listing, search
from neocode.store.checkpoints import changes
from neocode.store.checkpoints.blobs import Blobs
from neocode.store.database import Database, open_database, transaction
from neocode.store.failures import explained
from neocode.store.history import View
from neocode.store.search import SNIPPET_CHARS

__all__ = ["Hit", "SessionStore", "View"]

_PAGE = 200

# inside the class, list is the method
Messages: TypeAlias = list[Message]
Infos: TypeAlias = list[SessionInfo]
Notices: TypeAlias = list[Notice]
Records: TypeAlias = list[CompactionRecord]
Hits: TypeAlias = list[Hit]
Texts: TypeAlias = list[str]
Changes: TypeAlias = list[FileChange]


class SessionStore:
    """sessions.db: sessions, their messages, compactions and notices, and what was learned.

    notice: words for the user about a damaged database that was set aside, or "".
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._db = database.connection
        self._lock = threading.RLock()
        self.path = database.path
        self.notice = database.notice

    @classmethod
    def open(
        cls, path: Path, *, factory: type[sqlite3.Connection] = sqlite3.Connection
    ) -> "SessionStore":
        """Open or make the database; see open_database for what StoreError may say."""
        return cls(open_database(path, factory=factory))

    def close(self) -> None:
        """Close it; further calls raise StoreError."""
        with self._lock:
            self._database.close()

    # sessions

    def create(
        self, *, cwd: str, model: str = "", agent: str = "", title: str = ""
    ) -> SessionState:
        """A new session. Nothing is written before its first message, or save."""
        now = utc_now()
        return SessionState(
            id=new_id("s"),
            cwd=cwd,
            created_at=now,
            updated_at=now,
            model=model,
            agent=agent,
            title=title,
        )

    def load(self, session_id: str) -> SessionState:
        """The session with its compacted view; the id's unambiguous beginning will do."""
        with self._read() as db:
            found = listing.resolve(db, session_id)
            messages = history.read_view(db, found, "compacted")
            return history.read_session(db, found).with_messages(messages)

    def head(self, session_id: str) -> SessionState:
        """The session without its messages: title, counters, TaskState."""
        with self._read() as db:
            return history.read_session(db, listing.resolve(db, session_id))

    def resolve(self, session_id: str) -> str:
        """The full id for an unambiguous beginning of one. StoreError names the candidates."""
        with self._read() as db:
            return listing.resolve(db, session_id)

    def save(self, session: SessionState) -> None:
        """Store title, counters, edge and TaskState; messages are not looked at."""
        with self._write() as db:
            history.put_session(db, session)

    def list(self, limit: int = 50, cwd: str | None = None) -> Infos:
        """Sessions with at least one message, newest first; no message is read."""
        with self._read() as db:
            return listing.sessions(db, limit, cwd)

    def latest(self, cwd: str) -> str | None:
        """The newest session of a folder, or None."""
        with self._read() as db:
            found = listing.sessions(db, 1, cwd)
            return found[0].id if found else None

    def rename(self, session_id: str, title: str) -> None:
        """Give the session a title; "" goes back to its first words."""
        with self._write() as db:
            session = history.read_session(db, listing.resolve(db, session_id))
            history.put_session(db, replace(session, title=title))

    def delete(self, session_id: str) -> None:
        """Remove a session for good; its transcripts stay. The whole id is needed."""
        with self._write() as db:
            copies.delete(db, session_id)

    def fork(self, session_id: str, upto_message_id: str | None = None) -> SessionState:
        """A copy under a new id, whole or up to a message; the original stays as it is."""
        fresh = new_id("s")
        with self._write() as db:
            copies.fork(db, session_id, fresh, upto_message_id)
        return self.load(fresh)

    def restore(self, messages: Sequence[Message], cwd: str) -> str:
        """A new session made of a transcript's messages, ids kept; returns its id.

        Its TaskState is the one that the newest compaction left, as its summary holds it.
        """
        summaries = [m for m in messages if m.is_compaction_summary and not m.compacted_at]
        kept = summaries[-1].metadata.get(STATE_KEY) if summaries else None
        state = task_state_from_json(kept) if isinstance(kept, dict) else TaskState()
        session = replace(self.create(cwd=cwd), task_state=state)
        with self._write() as db:
            copies.restore(db, session, messages)
        return session.id

    def rewind(self, session_id: str, message_id: str) -> SessionState:
        """Hide what came after a message; what is hidden stays on disk."""
        with self._write() as db:
            copies.rewind(db, session_id, message_id)
        return self.load(session_id)

    def rewind_before(
        self, session_id: str, message_id: str, restored_but: Collection[Path] | None = None
    ) -> SessionState:
        """Hide a message and all after it; see copies.rewind_before."""
        with self._write() as db:
            copies.rewind_before(db, session_id, message_id, restored_but)
        return self.load(session_id)

    def place(self, session_id: str, message_id: str) -> int:
        """A visible message's order in time within its session."""
        with self._read() as db:
            return history.place(db, session_id, message_id, "seq")

    # files

    def add_file_change(self, session_id: str, change: FileChange) -> None:
        """Store that a file is about to be changed."""
        with self._write() as db:
            changes.put_change(db, session_id, change)

    def file_changes(self, session_id: str) -> Changes:
        """What tools did to files, oldest first; see changes.read_changes."""
        with self._read() as db:
            return changes.read_changes(db, session_id)

    def checkpoint_names(self, session_id: str) -> frozenset[str]:
        """Names of the checkpoints that a session refers to."""
        with self._read() as db:
            return changes.names_of(db, session_id)

    def prune_checkpoints(self, blobs: Blobs, names: frozenset[str]) -> int:
        """Remove those of the named checkpoints that no session refers to; bytes freed."""
        with self._write() as db:  # nobody can begin to refer to one meanwhile
            return blobs.remove(names - changes.names_of(db))

    # messages

    def append(self, session: SessionState, *messages: Message) -> None:
        """Store messages at the end, and the counters of the session that holds them already."""
        with self._write() as db:
            history.put_session(db, session)
            history.put_messages(db, session.id, messages)

    def replace_message(self, session_id: str, message: Message) -> None:
        """Store a repair mark: same id, same place, another content or metadata."""
        with self._write() as db:
            history.change_message(db, session_id, message)

    def messages(self, session_id: str, view: View = "compacted") -> Messages:
        """Every message of a view: compacted (what a model may see) or full (order of time)."""
        with self._read() as db:
            return history.read_view(db, session_id, view)

    def tail(
        self, session_id: str, view: View = "full", limit: int = 100, before: str | None = None
    ) -> Messages:
        """The last messages of a view, or the last before the message `before`; in order."""
        with self._read() as db:
            return history.read_tail(db, session_id, view, limit, before)

    def stream(self, session_id: str) -> Iterator[Message]:
        """The full view, read page by page: never held whole (for transcripts and exports)."""
        after = -1
        while True:
            with self._read() as db:
                page, after = history.read_page(db, session_id, after, _PAGE)
            if not page:
                return
            yield from page

    def lines(self, session_id: str, secrets: Sequence[str] = ()) -> Iterator[bytes]:
        """The full view as masked transcript lines, for write_transcript; the quick way."""
        seq, index = -1, 0
        while True:
            with self._read() as db:
                page, seq = history.read_lines(db, session_id, (seq, index), secrets, _PAGE)
            if not page:
                return
            yield from page
            index += len(page)

    def keyless(self, session_id: str) -> frozenset[str]:
        """Ids of messages that hold no known key shape, so that write_transcript is quick."""
        with self._read() as db:
            return history.keyless_ids(db, session_id)

    def record(self, session_id: str, message_id: str) -> Message:
        """One message as it was written, archived, cleared or not."""
        with self._read() as db:
            return listing.record(db, session_id, message_id)

    def find_by_handle(self, session_id: str, handle: str) -> Message | None:
        """The message that an id means: a message's own, or a tool call's (its result)."""
        with self._read() as db:
            return listing.find_by_handle(db, session_id, handle)

    def search(
        self,
        text: str,
        session_id: str | None = None,
        limit: int = 20,
        snippet_chars: int = SNIPPET_CHARS,
        *,
        without: Collection[str] = (),
    ) -> Hits:
        """Messages that fit words or a question, best first; of one session or of all.

        without: ids of messages that are not to be found.
        """
        with self._read() as db:
            return search.search(db, text, session_id, limit, snippet_chars, without=without)

    # compactions and notices

    def apply_compaction(
        self, session_after: SessionState, record: CompactionRecord, summary: Message | None
    ) -> None:
        """Store a compaction whole (spec/context 7.9); the counter in the database is zero then.

        session_after: the new state; its messages are the new compacted view. A kept
            message that differs from the stored one is stored as shortened by this
            compaction. summary: None for the method "prune".
        """
        with self._write() as db:
            compactions.apply(db, session_after, record, summary)

    def undo_compaction(self, session_id: str) -> SessionState:
        """Take the newest compaction back; later messages stay."""
        with self._write() as db:
            compactions.undo(db, session_id)
        return self.load(session_id)

    def redo_compaction(self, session_id: str) -> SessionState:
        """Bring back what was undone last; later messages stay."""
        with self._write() as db:
            compactions.redo(db, session_id)
        return self.load(session_id)

    def compactions(self, session_id: str) -> Records:
        """All compactions, oldest first, undone ones included."""
        with self._read() as db:
            return compactions.read_records(db, session_id)

    def add_notice(self, notice: Notice) -> None:
        """Store a notice of a stored session."""
        with self._write() as db:
            listing.put_notice(db, notice)

    def notices(self, session_id: str) -> Notices:
        """The notices of a session, oldest first."""
        with self._read() as db:
            return listing.notices(db, session_id)

    # what is learned and typed, across sessions

    def remember(self, kind: str, key: str, value: Any) -> None:
        """Keep a JSON value, such as ("window", "openai/gpt-x", 128000)."""
        with self._write() as db:
            listing.remember(db, kind, key, value)

    def recalled(self, kind: str, key: str) -> Any:
        """The value kept under kind and key, or None."""
        with self._read() as db:
            return listing.recalled(db, kind, key)

    def add_input(self, text: str) -> None:
        """Keep what the user typed; the same text twice running is kept once."""
        with self._write() as db:
            listing.add_input(db, text)

    def inputs(self, limit: int = 200) -> Texts:
        """The newest inputs, oldest first."""
        with self._read() as db:
            return listing.inputs(db, limit)

    def check(self) -> Texts:
        """What is wrong with the file, one line a fault; empty when it is sound. Reads it all."""
        with self._read() as db:
            lines = [row[0] for row in db.execute("PRAGMA quick_check")]
            return [line for line in lines if line != "ok"]

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._lock, explained(self.path):
            yield self._db

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock, explained(self.path), transaction(self._db):
            yield self._db

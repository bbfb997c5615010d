"""What the runtime needs of the store; every call is one transaction, raising StoreError."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from neocode.domain.checkpoints import FileChange
from neocode.domain.messages import Message
from neocode.domain.session import CompactionRecord, Hit, Notice, SessionInfo, SessionState
from neocode.runtime.live import SessionWriter


class Store(SessionWriter, Protocol):
    """Sessions on disk; see store/sessions.SessionStore."""

    def create(self, *, cwd: str, agent: str = "") -> SessionState:
        """A new session, not yet on disk."""
        ...

    def load(self, session_id: str) -> SessionState:
        """The compacted view."""
        ...

    def latest(self, cwd: str) -> str | None:
        """The newest session of a folder."""
        ...

    def resolve(self, session_id: str) -> str:
        """The full id."""
        ...

    def fork(self, session_id: str, upto_message_id: str | None = None) -> SessionState:
        """A copy under a new id."""
        ...

    def messages(
        self, session_id: str, view: Literal["compacted", "full"] = "compacted"
    ) -> Sequence[Message]:
        """Messages in the order of the view."""
        ...

    def notices(self, session_id: str) -> Sequence[Notice]:
        """Rows of the screen."""
        ...

    def compactions(self, session_id: str) -> Sequence[CompactionRecord]:
        """Oldest first."""
        ...

    def undo_compaction(self, session_id: str) -> SessionState:
        """Take the newest back."""
        ...

    def redo_compaction(self, session_id: str) -> SessionState:
        """Bring back what was undone last."""
        ...

    def rewind_before(
        self, session_id: str, message_id: str, restored_but: Collection[Path] | None = None
    ) -> SessionState:
        """Hide a prompt and all after it; see store/copies.rewind_before."""
        ...

    def place(self, session_id: str, message_id: str) -> int:
        """The message's order in time within its session."""
        ...

    def add_file_change(self, session_id: str, change: FileChange) -> None:
        """A file is about to be changed."""
        ...

    def file_changes(self, session_id: str) -> Sequence[FileChange]:
        """What tools did to files, oldest first."""
        ...

    def head(self, session_id: str) -> SessionState:
        """The session without its messages."""
        ...

    def list(self, limit: int = 50, cwd: str | None = None) -> Sequence[SessionInfo]:
        """Sessions with a message, newest first."""
        ...

    def stream(self, session_id: str) -> Iterator[Message]:
        """The full view, page by page."""
        ...

    def keyless(self, session_id: str) -> frozenset[str]:
        """Ids of messages without a known key shape."""
        ...

    def find_by_handle(self, session_id: str, handle: str) -> Message | None:
        """The message that an id means: its own, or a tool call's (its result)."""
        ...

    def search(
        self,
        text: str,
        session_id: str | None = None,
        limit: int = 20,
        snippet_chars: int = 240,
        *,
        without: Collection[str] = (),
    ) -> Sequence[Hit]:
        """Messages that fit words or a question, best first; of one session or of all."""
        ...

    def close(self) -> None:
        """No more calls will come."""
        ...

    def add_input(self, text: str) -> None:
        """Into the input history."""
        ...

    def remember(self, kind: str, key: str, value: Any) -> None:
        """Keep a learned value."""
        ...

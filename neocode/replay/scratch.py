"""A store that lives as long as one replay: compactions and searches are the real ones."""

import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from neocode.compact.result import CompactPorts, Counters, Measure, TranscriptFile
from neocode.compact.runner import CompactRunner
from neocode.config.schema import RetryConfig
from neocode.context.tokens import TokenCounter
from neocode.domain.events import RuntimeEvent
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState
from neocode.provider.base import Provider
from neocode.store.sessions import SessionStore
from neocode.store.transcript import write_transcript

SEARCH_HITS = 12
SEARCH_CHARS = 400
"""What one search gives back, as the recall tool does: so many passages of so many characters."""


class Scratch:
    """A database and transcripts in a temporary folder; use it as a context manager.

    Nothing of the user's is read or changed.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="neocode-replay-")
        self.path = Path(self._folder.name)
        self.store = SessionStore.open(self.path / "sessions.db")
        self._stored = 0

    def __enter__(self) -> "Scratch":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove all of it."""
        self.store.close()
        self._folder.cleanup()

    def begin(self, state: TaskState) -> SessionState:
        """A new session; nothing of it is stored yet."""
        return replace(self.store.create(cwd=str(self.path)), task_state=state)

    def keep(self, session: SessionState, played: tuple[Message, ...]) -> None:
        """Store what is new of the messages played so far, and the session's counters."""
        fresh = played[self._stored :]
        if fresh:
            self.store.append(session, *fresh)
            self._stored = len(played)
        else:
            self.store.save(session)

    def search(self, session_id: str, text: str, seen: Collection[str]) -> str:
        """What one search gives back, as one text. seen: ids that the request holds whole."""
        hits = self.store.search(text, session_id, SEARCH_HITS, SEARCH_CHARS, without=seen)
        return "\n".join(hit.snippet for hit in hits)

    def runner(
        self, provider: Provider, counter: TokenCounter, model_id: str, measure: Measure
    ) -> CompactRunner:
        """Compacts sessions of this store."""
        ports = CompactPorts(
            provider=provider,
            store=self.store,
            write_transcript=self._write_transcript,
            measure=measure,
            counters=Counters(
                message=lambda message: counter.count_message(message, model_id),
                text=lambda text: counter.count_text(text, model_id),
            ),
            emit=_unheard,
        )
        return CompactRunner(ports, retry=RetryConfig())

    def _write_transcript(self, session: SessionState) -> TranscriptFile:
        folder = self.path / "transcripts"
        written = write_transcript(folder, session.id, self.store.lines(session.id))
        return TranscriptFile(id=written.id, path=str(written.path))


def _unheard(event: RuntimeEvent) -> None:
    """The result says the same."""

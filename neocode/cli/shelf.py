"""The store's sessions for the screen's session list; every call opens the store in a thread."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from neocode.config.paths import Paths

if TYPE_CHECKING:
    from neocode.domain.messages import Message
    from neocode.domain.session import Hit, SessionInfo
    from neocode.store.sessions import SessionStore

T = TypeVar("T")
_MOST = 500


class StoreShelf:
    """Implements tui.ports.Shelf."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    async def sessions(self) -> "Sequence[SessionInfo]":
        """Newest first; none when nothing was ever begun."""
        if not self._paths.db.exists():
            return ()
        return await self._with(lambda store: store.list(limit=_MOST))

    async def search(self, text: str) -> "Sequence[Hit]":
        """Messages of all sessions, best first; snippets are masked."""
        if not self._paths.db.exists():
            return ()
        return await self._with(lambda store: self._masked(store.search(text, limit=100)))

    def _masked(self, hits: "Sequence[Hit]") -> "Sequence[Hit]":
        from dataclasses import replace

        from neocode.cli.printing import secret_values
        from neocode.store.masking import mask

        secrets = secret_values(self._paths)
        return [replace(hit, snippet=mask(hit.snippet, secrets)) for hit in hits]

    async def newest(self, session_id: str, count: int) -> "Sequence[Message]":
        """The last messages, as they were said."""
        return await self._with(lambda store: store.tail(session_id, limit=count))

    async def rename(self, session_id: str, title: str) -> None:
        """Give it a title."""
        await self._with(lambda store: store.rename(session_id, title))

    async def fork(self, session_id: str) -> str:
        """A copy; its id."""
        return (await self._with(lambda store: store.fork(session_id))).id

    async def delete(self, session_id: str) -> None:
        """Remove it with the checkpoints that only it needs. Raises StoreError when it is open."""
        await self._with(lambda store: self._delete(store, session_id))

    def _delete(self, store: "SessionStore", session_id: str) -> None:
        from neocode.domain.errors import StoreError
        from neocode.store.checkpoints.blobs import Blobs
        from neocode.store.lock import SessionLock

        lock = SessionLock.acquire(self._paths.data / "locks", session_id)
        if lock is None:
            raise StoreError(
                "This session is open, here or in another neocode.",
                hint="Leave it first (/new), then delete it.",
            )
        try:
            names, cwd = store.checkpoint_names(session_id), store.head(session_id).cwd
            store.delete(session_id)
            store.prune_checkpoints(Blobs(self._paths.checkpoints(Path(cwd))), names)
        finally:
            lock.release()

    async def export(self, session_id: str, style: str) -> Path:
        """A new file in the current folder, mode 0600."""
        from neocode.cli.printing import secret_values
        from neocode.runtime.past.exporting import export

        folder = Path.cwd()
        secrets = secret_values(self._paths)
        return await self._with(lambda store: export(store, session_id, style, folder, secrets))

    async def _with(self, act: "Callable[[SessionStore], T]") -> T:
        from neocode.store.sessions import SessionStore

        def run() -> T:
            store = SessionStore.open(self._paths.db)
            try:
                return act(store)
            finally:
                store.close()

        return await asyncio.to_thread(run)

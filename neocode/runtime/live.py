"""The session in front: its state in memory and its records on disk move together."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Protocol, TypeVar

from neocode.domain.clock import Clock, new_id, utc_now
from neocode.domain.messages import Message
from neocode.domain.session import Notice, SessionState

T = TypeVar("T")


class SessionWriter(Protocol):
    """The part of the store that a run needs; each call is one transaction."""

    def append(self, session: SessionState, *messages: Message) -> None:
        """Insert messages and the session row, whose state already holds them."""
        ...

    def save(self, session: SessionState) -> None:
        """The session row alone."""
        ...

    def add_notice(self, notice: Notice) -> None:
        """A row for the screen."""
        ...


class LiveSession:
    """Holds the current SessionState; a change is on disk before it is in memory.

    Writes run in a thread, so that a slow disk does not stop the screen, and are
    shielded: a cancelled run still ends with memory and disk agreeing.
    """

    def __init__(self, store: SessionWriter, state: SessionState, clock: Clock = utc_now) -> None:
        self.state = state
        self.clock = clock
        self._store = store

    async def append(self, *messages: Message) -> None:
        """Add messages; raises StoreError when they could not be kept."""
        after = self.state.append(*messages)
        await self._write(self._store.append, after, *messages)

    async def save(self, after: SessionState) -> None:
        """Change counters, title, TaskState; raises StoreError."""
        await self._write(self._store.save, after)

    async def notice(self, kind: str, payload: dict[str, object]) -> None:
        """Keep a row for the screen behind the newest message."""
        notice = Notice(
            id=new_id("n"),
            session_id=self.state.id,
            created_at=self.clock(),
            after_message_id=self.state.messages[-1].id if self.state.messages else "",
            kind=kind,
            payload=payload,
        )
        await settled(asyncio.to_thread(self._store.add_notice, notice))

    def message(self, **fields: object) -> Message:
        """A new message with an id and the time now."""
        return Message(id=new_id("m"), created_at=self.clock(), **fields)  # type: ignore[arg-type]

    async def title_from(self, prompt: str) -> None:
        """Name an unnamed session after its first prompt."""
        if not self.state.title:
            first = next((line.strip() for line in prompt.splitlines() if line.strip()), "")
            self.state = replace(self.state, title=first[:80])

    async def _write(
        self, write: Callable[..., None], after: SessionState, *messages: Message
    ) -> None:
        async def both() -> None:
            await asyncio.to_thread(write, after, *messages)
            self.state = after

        await settled(both())


async def settled(work: Coroutine[None, None, T]) -> T:
    """Await work that a cancellation must not tear: it ends first, then the cancel is seen."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise

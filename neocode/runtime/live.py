"""The session in front: its state in memory and its records on disk move together."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Protocol, TypeVar

from neocode.domain.clock import Clock, new_id, utc_now
from neocode.domain.messages import Message
from neocode.domain.session import Notice, SessionState
from neocode.domain.text import clean

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


Change = Callable[[SessionState], SessionState]
"""A pure transition. It is applied to the state as it is when its turn has come."""


class LiveSession:
    """Holds the current SessionState; a change is on disk before it is in memory.

    Writes run in a thread, so that a slow disk does not stop the screen, and are
    shielded: a cancelled run still ends with memory and disk agreeing. They come one
    after the other; held keeps them back while a compaction replaces the history.
    prompt_id: of the user's message that came last; what tools change belongs to it.
    """

    def __init__(self, store: SessionWriter, state: SessionState, clock: Clock = utc_now) -> None:
        self.state = state
        self.clock = clock
        self.held = asyncio.Lock()
        self.prompt_id = ""
        self._store = store

    async def append(self, *messages: Message) -> None:
        """Add messages; raises StoreError when they could not be kept."""
        await self._write(
            lambda state: state.append(*messages),
            lambda after: self._store.append(after, *messages),
        )
        self.prompt_id = next((m.id for m in messages if m.role == "user"), self.prompt_id)

    async def change(self, change: Change) -> None:
        """Change counters, title, TaskState; raises StoreError, and whatever change raises."""
        await self._write(change, self._store.save)

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
        """A new message with an id and the time now; its text can be written as UTF-8."""
        made = Message(id=new_id("m"), created_at=self.clock(), **fields)  # type: ignore[arg-type]
        calls = tuple(
            replace(call, name=clean(call.name), arguments=clean(call.arguments))
            for call in made.tool_calls
        )
        return replace(made, content=clean(made.content), tool_calls=calls)

    async def title_from(self, prompt: str) -> None:
        """Name an unnamed session after its first prompt."""
        if not self.state.title:
            first = next((line.strip() for line in prompt.splitlines() if line.strip()), "")
            self.state = replace(self.state, title=clean(first[:80]))

    async def _write(self, change: Change, write: Callable[[SessionState], None]) -> None:
        async def both() -> None:
            async with self.held:
                await asyncio.to_thread(write, change(self.state))
                # figures may have moved meanwhile: the change is made to what is now
                self.state = change(self.state)

        await settled(both())


async def settled(work: Coroutine[None, None, T]) -> T:
    """Await work that a cancellation must not tear: it ends first, then the cancel is seen."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise

"""Fan out events: ordered, stamped, bounded by joining, never blocking the engine."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace

from neocode.domain.clock import Clock, utc_now
from neocode.domain.events import NoticeEvent, ReasoningDelta, RuntimeEvent, TextDelta, ToolOutput

LIVE_OUTPUT_CHARS = 20_000


class Subscription:
    """One reader's events. A slow reader finds deltas of one kind joined, none missing."""

    def __init__(self) -> None:
        self._waiting: deque[RuntimeEvent] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def put(self, event: RuntimeEvent) -> None:
        """Add an event, joined to the one before it where both are pieces of one text."""
        joined = _join(self._waiting[-1], event) if self._waiting else None
        if joined is None:
            self._waiting.append(event)
        else:
            self._waiting[-1] = joined
        self._arrived.set()

    def close(self) -> None:
        """No more events; the reader gets what waits, then the end."""
        self._closed = True
        self._arrived.set()

    def __aiter__(self) -> AsyncIterator[RuntimeEvent]:
        return self

    async def __anext__(self) -> RuntimeEvent:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class Bus:
    """Where the engine's events go out."""

    def __init__(self, clock: Clock = utc_now) -> None:
        self.session_id = ""
        self._clock = clock
        self._readers: list[Subscription] = []
        self._unheard: list[RuntimeEvent] = []

    def publish(self, event: RuntimeEvent) -> None:
        """Stamp an event with time and session and give it to every reader.

        A notice that comes before the first reader (about the start itself) waits for it.
        """
        stamped = replace(event, at=self._clock(), session_id=self.session_id)
        if not self._readers and isinstance(event, NoticeEvent):
            self._unheard.append(stamped)
        for reader in self._readers:
            reader.put(stamped)

    def subscribe(self) -> Subscription:
        """A new reader, of every event from now on; the first one gets waiting notices too."""
        reader = Subscription()
        for event in self._unheard:
            reader.put(event)
        self._unheard.clear()
        self._readers.append(reader)
        return reader

    def close(self) -> None:
        """End every reader's stream."""
        for reader in self._readers:
            reader.close()


def _join(last: RuntimeEvent, event: RuntimeEvent) -> RuntimeEvent | None:
    match last, event:
        case TextDelta(text=before), TextDelta(text=text):
            return replace(event, text=before + text)
        case ReasoningDelta(text=before), ReasoningDelta(text=text):
            return replace(event, text=before + text)
        case ToolOutput(text=before, call_id=a), ToolOutput(text=text, call_id=b) if a == b:
            return replace(event, text=(before + text)[-LIVE_OUTPUT_CHARS:])
        case _:
            return None

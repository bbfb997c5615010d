"""A provider that plays a script: for tests, and for the demonstration mode."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TypeAlias

from neocode.domain.errors import PermanentError
from neocode.domain.usage import Usage
from neocode.provider.base import (
    CallChunk,
    Chunk,
    FinishChunk,
    ModelRequest,
    TextChunk,
    UsageChunk,
)

Step: TypeAlias = Chunk | BaseException | asyncio.Event | float
"""A chunk to yield, an error to raise, an event to wait for, seconds to sleep."""
Scripted: TypeAlias = str | Sequence[Step] | BaseException
"""One reply: a text answered whole, steps in order, or an error before anything came."""
Reaction: TypeAlias = Callable[[ModelRequest], Scripted]


class ScriptedProvider:
    """Answers each request with the next reply of its script.

    requests: every request so far, in order. open_streams: how many are being answered.
    A callable reply is called with the request. Past the end, `then` answers; without
    it a PermanentError says that the script has ended.
    """

    def __init__(
        self,
        replies: Iterable[Scripted | Reaction] = (),
        *,
        then: Scripted | Reaction | None = None,
        usage: Usage | None = None,
    ) -> None:
        self.replies: list[Scripted | Reaction] = list(replies)
        self.then = then
        self.usage = usage
        self.requests: list[ModelRequest] = []
        self.open_streams = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Play the next reply."""
        self.requests.append(request)
        reply = self._next(request)
        self.open_streams += 1
        try:
            async for chunk in self._play(reply):
                yield chunk
        finally:
            self.open_streams -= 1

    def _next(self, request: ModelRequest) -> Scripted:
        reply = self.replies.pop(0) if self.replies else self.then
        if reply is None:
            raise PermanentError("The script has no further reply.", kind="no_model")
        return reply(request) if callable(reply) else reply

    async def _play(self, reply: Scripted) -> AsyncIterator[Chunk]:
        if isinstance(reply, BaseException):
            raise reply
        for step in self._steps(reply):
            await asyncio.sleep(0)
            match step:
                case BaseException():
                    raise step
                case asyncio.Event():
                    await step.wait()
                case int() | float():
                    await asyncio.sleep(step)
                case _:
                    yield step

    def _steps(self, reply: str | Sequence[Step]) -> list[Step]:
        if not isinstance(reply, str):
            return list(reply)
        steps: list[Step] = [TextChunk(part) for part in _words(reply)]
        if self.usage is not None:
            steps.append(UsageChunk(self.usage))
        return [*steps, FinishChunk("stop")]


def text_reply(text: str, usage: Usage | None = None) -> list[Step]:
    """Steps of a plain answer that comes word by word."""
    steps: list[Step] = [TextChunk(part) for part in _words(text)]
    if usage is not None:
        steps.append(UsageChunk(usage))
    return [*steps, FinishChunk("stop")]


def call_reply(
    *calls: tuple[str, str, str], text: str = "", usage: Usage | None = None
) -> list[Step]:
    """Steps of an answer that calls tools: (id, name, JSON arguments) each."""
    steps: list[Step] = [TextChunk(part) for part in _words(text)]
    for index, (call_id, name, arguments) in enumerate(calls):
        steps.append(CallChunk(index, id=call_id, name=name))
        steps.append(CallChunk(index, arguments=arguments))
    if usage is not None:
        steps.append(UsageChunk(usage))
    return [*steps, FinishChunk("tool_calls")]


def _words(text: str) -> list[str]:
    """Text in pieces whose joint is the text."""
    pieces: list[str] = []
    for piece in text.split(" "):
        pieces.append(f" {piece}" if pieces else piece)
    return [piece for piece in pieces if piece]

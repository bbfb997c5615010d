"""One model call: retries around it, events from it, a whole or a broken-off answer out of it."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from neocode.config.schema import RetryConfig
from neocode.domain.errors import PermanentError, StreamBroken, TransientError
from neocode.domain.events import ReasoningDelta, Retry, RuntimeEvent, TextDelta
from neocode.domain.usage import Usage
from neocode.provider.assemble import Assembler, calls_in_text
from neocode.provider.base import (
    CallChunk,
    Chunk,
    ModelRequest,
    Provider,
    ReasoningChunk,
    Reply,
    TextChunk,
)
from neocode.provider.retry import next_wait

Emit = Callable[[RuntimeEvent], None]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Turn:
    """The call in progress. After a cancel or a break, `reply` holds what had come.

    failed_attempts: requests that cost something or nothing but brought no answer.
    lost: usage of replies that were empty, since it was taken last.
    """

    provider: Provider
    retry: RetryConfig
    emit: Emit
    sleep: Sleep = asyncio.sleep
    reply: Reply = field(default_factory=Reply)
    failed_attempts: int = 0
    lost: Usage = field(default_factory=Usage)

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask until there is an answer (spec/safety "Providers").

        An empty reply is asked for once more. Raises a ProviderError: ContextTooLong and
        PermanentError at once, TransientError when tries or patience are used up,
        StreamBroken when text had come, which stays in `reply`.
        """
        empty_before = False
        while True:
            reply = read_calls_in_text(await self._with_retries(request), request)
            if reply.text.strip() or reply.calls:
                return reply
            self.lost = self.lost + replace(reply.usage or Usage(), api_calls=1)
            if empty_before:
                raise PermanentError(
                    "The model sent two empty replies.",
                    kind="server_error",
                    hint="Send the message again, or choose another model with /model.",
                )
            empty_before = True
            self._announce("the model sent an empty reply", 0.0, 1)

    def take_lost(self) -> Usage:
        """What was lost, to be counted once."""
        lost, self.lost = self.lost, Usage()
        return lost

    async def _with_retries(self, request: ModelRequest) -> Reply:
        for attempt in range(1, self.retry.max_attempts + 1):
            try:
                return await self._once(request)
            except TransientError as error:
                self.failed_attempts += 1
                wait = next_wait(attempt, error, self.retry, random.random)
                if wait is None:
                    raise _with_long_wait(error, self.retry) from error
                self._announce(error.message, wait, attempt)
                await self.sleep(wait)
        raise AssertionError("next_wait gives None for the last attempt")

    def _announce(self, reason: str, wait_s: float, attempt: int) -> None:
        self.emit(
            Retry(
                attempt=attempt,
                max_attempts=self.retry.max_attempts,
                wait_s=wait_s,
                reason=reason,
            )
        )

    async def _once(self, request: ModelRequest) -> Reply:
        assembler = Assembler()
        try:
            async with aclosing(self.provider.stream(request)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    assembler.add(chunk)
                    self._show(chunk)
        except StreamBroken as broken:
            return self._salvage(assembler, broken)
        finally:
            self.reply = assembler.reply()
        return self.reply

    def _show(self, chunk: Chunk) -> None:
        match chunk:
            case TextChunk(text):
                self.emit(TextDelta(text=text))
            case ReasoningChunk(text):
                self.emit(ReasoningDelta(text=text))
            case _:
                pass

    def _salvage(self, assembler: Assembler, broken: StreamBroken) -> Reply:
        """What a cut stream is worth: whole calls run, text stays, nothing is asked again."""
        reply = assembler.reply()
        whole = [call for call in reply.calls if _is_whole(call)]
        if whole:
            return keep_calls(reply, whole)
        if reply.text.strip():
            raise broken
        raise TransientError(broken.message, kind="stream_broken") from broken


def _with_long_wait(error: TransientError, retry: RetryConfig) -> TransientError:
    """The error; where the server asked for a longer wait than allowed, it says so (B59)."""
    asked = error.retry_after
    if asked is None or asked <= retry.max_wait_s:
        return error
    wait = f"{asked:.0f} s" if asked < 120 else f"{asked / 60:.0f} minutes"
    return TransientError(
        error.message,
        kind=error.kind,
        status=error.status,
        retry_after=asked,
        hint=f"The provider asks for a wait of {wait}, longer than retry.max_wait_s "
        f"({retry.max_wait_s:g} s). Send it again then, or use another model (/model).",
    )


def keep_calls(reply: Reply, calls: list[CallChunk]) -> Reply:
    """The reply with only these calls."""
    return replace(reply, calls=calls)


def read_calls_in_text(reply: Reply, request: ModelRequest) -> Reply:
    """The reply with the calls that a weak model wrote as text, when that is all it wrote."""
    if reply.calls or not request.tools or request.tool_choice == "none":
        return reply
    found = calls_in_text(reply.text, {tool.name for tool in request.tools})
    if not found:
        return reply
    calls = [CallChunk(i, call.id, call.name, call.arguments) for i, call in enumerate(found)]
    return replace(keep_calls(reply, calls), text="")


def _is_whole(call: CallChunk) -> bool:
    """All of its arguments came; "{}" stands for none, since every tool of ours takes some."""
    try:
        return bool(json.loads(call.arguments))
    except ValueError:
        return False

"""Asking the summariser: pieces, retries that shrink, one repair (spec/context 7.5 and 7.6)."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from neocode.compact import summary as display
from neocode.compact.parse import InvalidSummary, Summary, parse_handoff, parse_json
from neocode.compact.request import (
    Job,
    cached_prefix,
    flattened,
    output_limit,
    output_of,
    repaired,
    request_tokens,
)
from neocode.compact.serialize import HANDOFF_LIMITS, JSON_LIMITS, CountText, take
from neocode.config.schema import RetryConfig
from neocode.domain.blocks import Block
from neocode.domain.errors import ContextTooLong, PermanentError, ProviderError, TransientError
from neocode.domain.events import Retry, RuntimeEvent
from neocode.domain.task_state import TaskState
from neocode.domain.usage import Usage, cost_usd
from neocode.provider.assemble import Assembler
from neocode.provider.base import ModelRequest, Provider, Reply
from neocode.provider.retry import next_wait

MAX_PIECES = 3
MAX_SHRINKS = 3
MAX_TRIES = 3
"""Tries of one call after passing failures: a compaction stays a handful of calls."""
LEAST_BUDGET = 200

Check = Callable[[Summary], TaskState]
"""Looks at an answer in its right form once more, and merges it; raises InvalidSummary."""
Answer = tuple[Summary, TaskState]
"""What the model said, and the state that the check made of it."""


@dataclass(slots=True)
class Spent:
    """What the calls of one compaction used. cost is None once a price was not known."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0

    def add(self, request: ModelRequest, reply: Reply, count: CountText) -> None:
        """Count one answered call; without figures from the provider it is estimated."""
        usage = reply.usage or Usage(
            input_tokens=request_tokens(request, count),
            output_tokens=count(reply.text),
            api_calls=1,
            estimated=True,
        )
        self.usage = self.usage + replace(usage, api_calls=max(1, usage.api_calls))
        price = cost_usd(usage, request.model.price)
        self.cost = None if price is None or self.cost is None else self.cost + price


class Summariser:
    """Makes one summary. spent: grows with every answered call, also when it fails.

    sleep: waits between two tries. emit: takes retry, which says so before each wait.
    """

    def __init__(
        self,
        provider: Provider,
        count: CountText,
        retry: RetryConfig,
        spent: Spent,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        emit: Callable[[RuntimeEvent], None] = lambda _: None,
    ) -> None:
        self._provider = provider
        self._count = count
        tries = min(retry.max_attempts, MAX_TRIES)
        self._retry = replace(retry, max_attempts=tries)
        self._sleep, self._emit = sleep, emit
        self._may_repair = True
        self._spent = spent

    async def summarise(
        self, job: Job, blocks: Sequence[Block], prefix: ModelRequest | None, check: Check
    ) -> Answer:
        """The summary of these blocks.

        prefix: ride on this request's cache first; refused as too long, the flattened
        form follows. Raises InvalidSummary after the one repair try, or ProviderError.
        """
        limit = job.model.window
        if prefix is not None:
            request = output_limit(job, cached_prefix(job, prefix), self._count)
            try:
                return await self._valid(job, request, check)
            except ContextTooLong as error:
                sent = request_tokens(request, self._count)
                limit = min(error.limit or limit, sent * 3 // 4, limit)
            except PermanentError as error:
                if error.kind != "bad_request":
                    raise
        return await self._fold(job, blocks, limit, check)

    async def _fold(self, job: Job, blocks: Sequence[Block], limit: int, check: Check) -> Answer:
        """Piece after piece, each with what the one before gave; smaller after a refusal."""
        levels = JSON_LIMITS if job.protocol == "json" else HANDOFF_LIMITS
        carry: Summary | None = None
        done = shrinks = pieces = 0
        while True:
            rest = blocks[done:]
            budget = self._budget(job, carry, limit)
            left = max(1, MAX_PIECES - pieces)
            # a long archive takes seconds to write out: not on the screen's thread
            text, used = await asyncio.to_thread(take, rest, levels, budget, left, self._count)
            is_last = used >= len(rest)
            request = flattened(job, text, carry, is_last=is_last)
            request = output_limit(job, request, self._count)
            try:
                answer = await self._valid(job, request, check if is_last else _state_of)
            except ContextTooLong as error:
                shrinks += 1
                if shrinks > MAX_SHRINKS or budget <= LEAST_BUDGET:
                    raise
                sent = request_tokens(request, self._count)
                limit = min(error.limit or limit, sent * 3 // 5 + output_of(job), limit - 1)
                continue
            done, pieces = done + used, pieces + 1
            if is_last:
                return answer
            carry = answer[0]

    def _budget(self, job: Job, carry: Summary | None, limit: int) -> int:
        """Tokens for the material of one request, with a tenth kept free for miscounting."""
        frame = request_tokens(flattened(job, "", carry, is_last=False), self._count)
        return max(LEAST_BUDGET, limit * 9 // 10 - frame - output_of(job))

    async def _valid(self, job: Job, request: ModelRequest, check: Check) -> Answer:
        """A usable answer to the request; the one repair try of the compaction may be used."""
        reply = await self._ask(request)
        try:
            return _checked(job, reply, check)
        except InvalidSummary as fault:
            if not self._may_repair:
                raise
            self._may_repair = False
            reply = await self._ask(repaired(request, str(fault), reply.text))
            return _checked(job, reply, check)

    async def _ask(self, request: ModelRequest) -> Reply:
        """One answered call; passing failures are tried again, silence is not."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(request)
            except ContextTooLong:
                raise
            except ProviderError as error:
                if _asks_too_much(request, error):
                    request = replace(request, response_schema=None, temperature=None)
                    continue
                wait = next_wait(attempt, error, self._retry, random.random)
                if wait is None or (isinstance(error, TransientError) and error.kind == "timeout"):
                    raise
                self._emit(
                    Retry(
                        attempt=attempt,
                        max_attempts=self._retry.max_attempts,
                        wait_s=wait,
                        reason=error.message,
                    )
                )
                await self._sleep(wait)

    async def _once(self, request: ModelRequest) -> Reply:
        assembler = Assembler()
        async for chunk in self._provider.stream(request):
            assembler.add(chunk)
        reply = assembler.reply()
        self._spent.add(request, reply, self._count)
        return reply


def _asks_too_much(request: ModelRequest, error: ProviderError) -> bool:
    """A 400 to a request with a schema: some servers take none, nor a temperature."""
    return error.kind == "bad_request" and request.response_schema is not None


def _state_of(made: Summary) -> TaskState:
    return made.state


def _checked(job: Job, reply: Reply, check: Check) -> Answer:
    made = _parse(job, reply)
    return made, check(made)


def _parse(job: Job, reply: Reply) -> Summary:
    if job.protocol == "handoff":
        return parse_handoff(reply, rich=job.rich)
    made = parse_json(reply, rich=job.rich)
    text = display.shape(made.text, job.max_chars)
    if job.rich and made.state.richness < 2 and display.is_hollow(display.check(text)):
        raise InvalidSummary("it is hollow: every section says none")
    return replace(made, text=text)

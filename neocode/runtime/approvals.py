"""Questions to the user as tickets that a run can wait for."""

import asyncio
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from neocode.domain.clock import new_id
from neocode.domain.events import Answer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decision:
    """The user's answer to a permission request; note is a reason for the model."""

    answer: Answer
    note: str = ""


@dataclass(slots=True)
class Tickets(Generic[T]):
    """Open questions by request id. A stale or repeated answer is ignored."""

    prefix: str
    _open: dict[str, asyncio.Future[T]] = field(default_factory=dict)

    def open(self) -> str:
        """Make a ticket and return its request id; publish the question, then wait."""
        request_id = new_id(self.prefix)
        self._open[request_id] = asyncio.get_running_loop().create_future()
        return request_id

    async def wait(self, request_id: str) -> T:
        """The answer, once it is there; cancelling the wait closes the ticket."""
        try:
            return await self._open[request_id]
        finally:
            del self._open[request_id]

    def answer(self, request_id: str, value: T) -> None:
        """Hand in an answer."""
        future = self._open.get(request_id)
        if future is not None and not future.done():
            future.set_result(value)

"""File work off the event loop that a cancelled call does not leave behind."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[threading.Event], T]) -> T:
    """The result of work, done in a thread; its errors are raised as they come.

    When the call is cancelled, the event that work was given is set, and the thread is
    waited for: afterwards nothing goes on. Work looks at it at each step that takes long,
    and before it changes anything.
    """
    stop = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        with contextlib.suppress(Exception):
            await task
        raise

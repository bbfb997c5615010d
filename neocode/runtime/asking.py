"""One model call of a run, whose text is kept when it is stopped or breaks off."""

import asyncio

from neocode.domain.errors import StreamBroken
from neocode.provider.base import ModelRequest, Reply
from neocode.runtime.keeping import keep_partial
from neocode.runtime.run import Run


async def ask(run: Run, request: ModelRequest) -> Reply:
    """A whole answer; raises what Turn.ask raises, after keeping the text that had come."""
    try:
        return await run.turn.ask(request)
    except (asyncio.CancelledError, StreamBroken):
        await keep_partial(run, request)
        raise

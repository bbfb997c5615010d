"""The scripted provider keeps to the protocol."""

import asyncio

import pytest

from neocode.domain.errors import PermanentError, TransientError
from neocode.domain.model import ModelInfo
from neocode.provider.assemble import assemble
from neocode.provider.base import Chunk, ModelRequest, TextChunk
from neocode.provider.fake import ScriptedProvider, call_reply

REQUEST = ModelRequest(model=ModelInfo(name="m", id="m"), system="", messages=())


async def collect(provider: ScriptedProvider) -> list[Chunk]:
    return [chunk async for chunk in provider.stream(REQUEST)]


async def test_replies_come_in_order_and_requests_are_kept() -> None:
    provider = ScriptedProvider(["one two", call_reply(("a", "read", "{}")), lambda r: "three"])
    assert assemble(await collect(provider)).text == "one two"
    assert assemble(await collect(provider)).calls[0].name == "read"
    assert assemble(await collect(provider)).text == "three"
    assert provider.requests == [REQUEST] * 3
    with pytest.raises(PermanentError):
        await collect(provider)


async def test_errors_before_and_between_chunks() -> None:
    error = TransientError("busy", kind="overloaded")
    provider = ScriptedProvider([error, [TextChunk("half"), error]])
    with pytest.raises(TransientError):
        await collect(provider)
    stream = provider.stream(REQUEST)
    assert await anext(stream) == TextChunk("half")
    with pytest.raises(TransientError):
        await anext(stream)


async def test_a_held_stream_ends_when_it_is_closed() -> None:
    provider = ScriptedProvider([[TextChunk("a"), asyncio.Event(), TextChunk("b")]])
    task = asyncio.create_task(collect(provider))
    while not provider.open_streams:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert provider.open_streams == 0

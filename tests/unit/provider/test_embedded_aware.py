"""Embedded models: passed through or started, and what is said when they are missing."""

from pathlib import Path

import pytest

from neocode.domain.errors import ConfigError, PermanentError
from neocode.domain.model import ModelInfo
from neocode.provider.base import FinishChunk, ModelRequest
from neocode.provider.embedded import EmbeddedAware, EmbeddedServer, embedded_models
from neocode.provider.fake import ScriptedProvider


def request(model_id: str) -> ModelRequest:
    return ModelRequest(model=ModelInfo(name="m", id=model_id), system="", messages=())


async def test_other_models_pass_through(tmp_path: Path) -> None:
    scripted = ScriptedProvider(["hello"])
    aware = EmbeddedAware(scripted, tmp_path)
    chunks = [chunk async for chunk in aware.stream(request("openai/x"))]
    assert chunks[-1] == FinishChunk("stop")
    assert scripted.requests == [request("openai/x")]
    aware.close()


async def test_missing_weights_say_how_to_get_them(tmp_path: Path) -> None:
    stream = EmbeddedAware(ScriptedProvider(), tmp_path).stream(request("embedded/qwen-1.5b"))
    with pytest.raises(PermanentError) as caught:
        await anext(stream)
    assert caught.value.kind == "no_model"
    assert "install" in caught.value.hint


async def test_an_unknown_embedded_model_is_named(tmp_path: Path) -> None:
    stream = EmbeddedAware(ScriptedProvider(), tmp_path).stream(request("embedded/nope"))
    with pytest.raises(ConfigError, match="nope"):
        await anext(stream)


def test_nothing_is_offered_without_weights(tmp_path: Path) -> None:
    assert embedded_models(tmp_path) == []


def test_an_engine_that_ends_while_starting_is_said(tmp_path: Path) -> None:
    """Whether the engine is missing or the file is no model, nothing hangs."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    log = tmp_path / "engine.log"
    server = EmbeddedServer(broken, log)
    with pytest.raises(PermanentError) as caught:
        server.start()
    assert str(log) in caught.value.hint
    server.stop()

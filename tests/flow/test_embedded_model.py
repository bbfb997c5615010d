"""The real small model: with NEOCODE_MODEL_TESTS=1 and its engine and weights installed."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from neocode.config.paths import resolve_paths
from neocode.domain.errors import ContextTooLong
from neocode.domain.messages import Message
from neocode.domain.tooling import ToolSpec
from neocode.provider.assemble import assemble
from neocode.provider.base import ModelRequest, Reply
from neocode.provider.embedded import EmbeddedAware, EmbeddedServer, embedded_models
from neocode.provider.litellm_provider import LiteLLMProvider
from neocode.provider.weights import known, path_of

FOLDER = resolve_paths(os.environ).cache / "models"
MODELS = embedded_models(FOLDER) if os.environ.get("NEOCODE_MODEL_TESTS") else []
pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not MODELS, reason="not asked for, or no embedded model is installed"),
]
READ = ToolSpec(
    name="read",
    description="Read a file",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
)


@pytest.fixture(scope="module")
def provider() -> Iterator[EmbeddedAware]:
    aware = EmbeddedAware(LiteLLMProvider(os.environ), FOLDER)
    yield aware
    aware.close()


async def ask(provider: EmbeddedAware, text: str, *tools: ToolSpec) -> Reply:
    asked = ModelRequest(
        model=MODELS[0],
        system="You help a developer. Use the tools to look at files before you answer.",
        messages=(Message(id="m", created_at="", role="user", content=text),),
        tools=tools,
        temperature=0.0,
        max_output_tokens=60,
    )
    return assemble([chunk async for chunk in provider.stream(asked)])


async def test_it_answers_and_counts(provider: EmbeddedAware) -> None:
    reply = await ask(provider, "Say hello.")
    assert reply.text
    assert reply.usage is not None
    assert reply.usage.input_tokens > 10


async def test_it_calls_a_tool(provider: EmbeddedAware) -> None:
    reply = await ask(provider, "What is in the file src/app.py? Look at it.", READ)
    assert [call.name for call in reply.calls] == ["read"]
    assert "src/app.py" in reply.calls[0].arguments
    assert reply.finish == "tool_calls"


async def test_its_refusal_of_a_long_request_is_an_overflow(provider: EmbeddedAware) -> None:
    with pytest.raises(ContextTooLong) as caught:
        await ask(provider, "word " * 9000)
    assert caught.value.limit == MODELS[0].window


def test_the_engine_ends_with_a_killed_parent() -> None:
    weights = path_of(known(MODELS[-1].id.removeprefix("embedded/")), FOLDER)
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(weights)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(200):
        if not _runs(pid):
            return
        time.sleep(0.05)
    pytest.fail("the engine outlived its parent")


_PARENT = f"""
import sys, time
from pathlib import Path
from {EmbeddedServer.__module__} import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

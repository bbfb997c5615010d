"""The real litellm against a local server: wire formats, cuts, errors, silence, shapes."""

import asyncio
import json
import os
import threading
from typing import Any

import pytest

from neocode.domain.errors import (
    ContextTooLong,
    PermanentError,
    ProviderError,
    StreamBroken,
    TransientError,
)
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.tooling import ToolSpec
from neocode.provider.assemble import assemble
from neocode.provider.base import Chunk, ModelRequest, Reply, SignedReasoning, TextChunk
from neocode.provider.litellm_provider import LiteLLMProvider, enrich, load
from tests.http_server import Answer, LlmServer

OPENAI, CLAUDE = "openai/test-model", "anthropic/claude-sonnet-4-5"
BOTH = pytest.mark.parametrize("model", [OPENAI, CLAUDE])
READ = ToolSpec(
    name="read",
    description="Read a file",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}},
)
CALL = ("c1", "read", '{"path": "src/app.py"}')


@pytest.fixture(scope="module", autouse=True)
def _litellm() -> None:
    load()


def message(role: str, content: str = "", **fields: Any) -> Message:
    return Message(id="m", created_at="", role=role, content=content, **fields)  # type: ignore[arg-type]


def request(server: LlmServer, model: str = OPENAI, **fields: Any) -> ModelRequest:
    base = server.root if model == CLAUDE else server.url
    info = ModelInfo(name="lab", id=model, api_base=base, api_key="secret-key", vision=True)
    fields.setdefault("messages", (message("user", "hello"),))
    fields.setdefault("idle_timeout_s", 20.0)
    return ModelRequest(model=info, system="You help.", **fields)


async def collect(server: LlmServer, model: str = OPENAI, **fields: Any) -> list[Chunk]:
    provider = LiteLLMProvider(os.environ)
    return [chunk async for chunk in provider.stream(request(server, model, **fields))]


async def outcome(
    answer: Answer, model: str = OPENAI, **fields: Any
) -> tuple[Reply, ProviderError | None, LlmServer]:
    """What came, how it ended, and the server that was asked."""
    chunks: list[Chunk] = []
    error = None
    with LlmServer(answer) as server:
        try:
            async for chunk in LiteLLMProvider(os.environ).stream(request(server, model, **fields)):
                chunks.append(chunk)
        except ProviderError as caught:
            error = caught
    assert server.complaints == []
    return assemble(chunks), error, server


@BOTH
async def test_text_and_usage(model: str) -> None:
    shapes: dict[str, dict[str, Any]] = {
        OPENAI: {
            "prompt_tokens": 100,
            "completion_tokens": 7,
            "total_tokens": 107,
            "prompt_tokens_details": {"cached_tokens": 80},
        },
        CLAUDE: {
            "input_tokens": 15,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 5,
            "output_tokens": 7,
        },
    }
    reply, error, _ = await outcome(Answer(text="Hello, wörld 你好", usage=shapes[model]), model)
    assert error is None
    assert reply.text == "Hello, wörld 你好"
    assert reply.finish == "stop"
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (100, 80)
    assert reply.usage.output_tokens == 7


async def test_a_long_ruler_is_not_taken_for_a_stuck_model() -> None:
    """litellm breaks a stream off after a hundred equal chunks unless it is told not to."""
    ruler = "-" * 7 * 300
    reply, error, _ = await outcome(Answer(text=ruler))
    assert (reply.text, error) == (ruler, None)


async def test_no_usage_and_zeros_are_none() -> None:
    """B24: litellm would invent a count; we say that there is none."""
    zeros = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    for usage in (None, zeros):
        reply, error, _ = await outcome(Answer(text="hi", usage=usage))
        assert (error, reply.usage) == (None, None)


@BOTH
async def test_parallel_calls(model: str) -> None:
    second = ("c2", "read", '{"path": "b"}')
    reply, error, _ = await outcome(Answer(text="ok", calls=(CALL, second)), model, tools=(READ,))
    assert error is None
    assert [(c.id, c.name, c.arguments) for c in reply.calls] == [CALL, second]
    assert reply.finish == "tool_calls"


async def test_calls_of_careless_servers() -> None:
    """Whole calls in one delta, without index or id, or two under one index."""
    function = {"name": "read", "arguments": '{"path": "a"}'}
    without_id = Answer(raw_calls=([{"function": function, "type": "function"}][0],))
    reply, error, _ = await outcome(without_id, tools=(READ,))
    assert error is None
    assert [(c.name, c.arguments) for c in reply.calls] == [("read", '{"path": "a"}')]
    assert reply.calls[0].id
    same_index = tuple(
        {"index": 0, "id": name, "type": "function", "function": function} for name in "ab"
    )
    reply, _, _ = await outcome(Answer(raw_calls=same_index), tools=(READ,))
    assert [c.id for c in reply.calls] == ["a", "b"]


@BOTH
async def test_a_history_with_calls_pictures_and_bad_arguments_is_valid(model: str) -> None:
    history = (
        message("user", "look", images=(Image(media_type="image/png", data="QUJD"),)),
        message("assistant", "", tool_calls=(ToolCall(id="a", name="read", arguments="{bad"),)),
        message("tool", "a file", tool_call_id="a"),
        message("assistant", "done"),
        message("user", "thanks"),
    )
    reply, error, server = await outcome(
        Answer(text="ok"), model, messages=history, tools=(READ,), cache_breakpoints=(2, 3)
    )
    assert (reply.text, error) == ("ok", None)
    sent = json.dumps(server.requests[0].body)
    assert sent.count('"cache_control"') == (3 if model == CLAUDE else 0)


async def test_signed_reasoning_comes_whole_and_goes_back_untouched() -> None:
    answer = Answer(reasoning="first I think about it", signature="SIGN", text="done")
    chunks: list[Chunk] = []
    with LlmServer(answer) as server:
        chunks = await collect(server, CLAUDE)
        blocks = [dict(c.block) for c in chunks if isinstance(c, SignedReasoning)]
        assert blocks == [
            {"type": "thinking", "thinking": "first I think about it", "signature": "SIGN"}
        ]
        again = message("assistant", "done", metadata={"reasoning_blocks": blocks})
        await collect(server, CLAUDE, messages=(message("user", "a"), again, message("user", "b")))
    parts = server.requests[1].body["messages"][1]["content"]
    assert {k: parts[0][k] for k in blocks[0]} == blocks[0]


@BOTH
async def test_nothing_at_all_is_retried_quietly(model: str) -> None:
    """B58, 0 bytes: worth another try; and only one request was made."""
    for answer in (Answer(cut="zero"), Answer(body="")):
        reply, error, server = await outcome(answer, model)
        assert isinstance(error, TransientError)
        assert error.kind == "connection"
        assert reply.text == ""
        assert len(server.requests) == 1


@BOTH
@pytest.mark.parametrize("cut", ["text", "clean_end"])
async def test_a_cut_in_the_text_keeps_the_text(model: str, cut: Any) -> None:
    """B58: once, and marked as broken off."""
    reply, error, server = await outcome(Answer(text="Hello there, " * 5, cut=cut), model)
    assert isinstance(error, StreamBroken)
    assert reply.text.startswith("Hello there")
    assert reply.finish == ""
    assert len(server.requests) == 1


@BOTH
@pytest.mark.parametrize("cut", ["call", "no_end"])
async def test_a_cut_in_or_after_a_call_is_broken_off(model: str, cut: Any) -> None:
    """B58: half a call is left with half its arguments and no end mark."""
    reply, error, _ = await outcome(Answer(calls=(CALL,), cut=cut), model, tools=(READ,))
    assert isinstance(error, StreamBroken)
    assert (reply.calls[0].arguments == CALL[2]) == (cut == "no_end")


@BOTH
async def test_silence_ends_by_the_idle_limit(model: str) -> None:
    """B58: comments do not count as a sign of life, and length is not limited."""
    reply, error, _ = await outcome(Answer(text="Hello", cut="silence"), model, idle_timeout_s=0.6)
    assert isinstance(error, StreamBroken)
    assert "silent" in error.message
    assert reply.text == "Hello"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, '{"error":{"message":"Incorrect API key provided: sk-12345678"}}', "auth"),
        (403, '{"error":{"message":"forbidden"}}', "auth"),
        (404, '{"error":{"message":"The model x does not exist"}}', "not_found"),
        (400, '{"error":{"message":"Invalid schema for function read"}}', "bad_request"),
        (413, "<html>413 Request Entity Too Large</html>", "body_too_large"),
        (429, '{"error":{"message":"You exceeded your current quota"}}', "quota"),
    ],
)
async def test_permanent_errors(status: int, body: str, kind: str) -> None:
    for model in (OPENAI, CLAUDE):
        _, error, server = await outcome(Answer(status=status, body=body), model)
        assert isinstance(error, PermanentError)
        assert error.kind == kind
        assert "sk-12345678" not in error.message
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (408, "timeout"),
        (429, "rate_limit"),
        (500, "server_error"),
        (503, "overloaded"),
        (529, "overloaded"),
    ],
)
async def test_transient_errors_make_one_request_and_carry_retry_after(
    status: int, kind: str
) -> None:
    """B59: retries are ours to show, so litellm makes none."""
    body = '{"type":"error","error":{"type":"api_error","message":"try later"}}'
    if status == 529:
        body = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    for model in (OPENAI, CLAUDE):
        answer = Answer(status=status, body=body, headers={"Retry-After": "17"})
        _, error, server = await outcome(answer, model)
        assert isinstance(error, TransientError)
        assert (error.kind, error.retry_after) == (kind, 17.0)
        assert len(server.requests) == 1


@pytest.mark.parametrize("model", ["zai/glm-4.6", "sambanova/x", "nvidia_nim/x", "azure/x"])
async def test_clients_that_retry_unasked_are_held_back(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B59: nothing is sent twice behind our back; litellm drops max_retries for these."""
    monkeypatch.setenv("AZURE_API_VERSION", "2024-10-21")
    _, error, server = await outcome(Answer(status=500, body="no"), model)
    assert isinstance(error, TransientError)
    assert len(server.requests) == 1


TOO_LONG = "This endpoint's maximum context length is 32768 tokens. However, you requested about "
TOO_LONG += "42832 tokens (42832 of text input)."


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=400, body=json.dumps({"error": {"message": TOO_LONG, "code": 400}})),
        Answer(status=400, body=json.dumps({"error": TOO_LONG})),
        Answer(status=422, body=json.dumps({"message": TOO_LONG})),
        Answer(status=500, body=TOO_LONG),
        Answer(body=json.dumps({"error": {"message": TOO_LONG, "code": 400}})),
        Answer(raw_events=(f"data: {json.dumps({'error': {'message': TOO_LONG}})}\n\n",)),
        Answer(
            raw_events=(f"event: error\ndata: {json.dumps({'error': {'message': TOO_LONG}})}\n\n",)
        ),
    ],
)
async def test_an_overflow_wherever_its_words_stand(answer: Answer) -> None:
    """B56: nested, a bare string, flat, in a 500, on a 200, inside a stream."""
    _, error, _ = await outcome(answer)
    assert isinstance(error, ContextTooLong)
    assert (error.limit, error.requested) == (32768, 42832)


async def test_an_overflow_that_only_the_end_mark_tells() -> None:
    _, error, _ = await outcome(Answer(finish="model_context_window_exceeded"))
    assert isinstance(error, ContextTooLong)


async def test_an_answer_at_once_where_a_stream_was_asked_for() -> None:
    body = {
        "choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]
    }
    reply, error, _ = await outcome(Answer(body=json.dumps(body)))
    assert (reply.text, reply.finish, error) == ("hi", "stop", None)


async def test_an_empty_reply_is_no_error() -> None:
    """The runtime asks once more; that is not the provider's to decide."""
    reply, error, _ = await outcome(Answer())
    assert (reply.text, reply.calls, reply.finish, error) == ("", [], "stop", None)


async def test_nobody_there() -> None:
    with LlmServer() as server:
        pass
    stream = LiteLLMProvider(os.environ).stream(request(server))
    with pytest.raises(TransientError) as caught:
        await anext(stream)
    assert caught.value.kind == "connection"
    assert "api_base" in caught.value.hint


@pytest.mark.parametrize("by", ["cancel", "aclose"])
async def test_leaving_ends_the_request_at_once(by: str) -> None:
    """The server sees its reader go, long before its answer would end."""
    hold = threading.Event()
    with LlmServer(Answer(text="Hello", hold=hold)) as server:
        stream = LiteLLMProvider(os.environ).stream(request(server))
        assert isinstance(await anext(stream), TextChunk)
        if by == "cancel":
            waiting = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0.05)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        else:
            await stream.aclose()  # type: ignore[attr-defined]
        for _ in range(100):
            if server.closed_early:
                break
            await asyncio.sleep(0.05)
        assert server.closed_early == 1


async def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Library chatter never reaches the screen (spec/safety "Providers")."""
    for answer in (
        Answer(text="hi"),
        Answer(status=500, body="no"),
        Answer(text="a b", cut="text"),
    ):
        await outcome(answer)
    with LlmServer() as server, pytest.raises(ProviderError):
        await collect(server, "nosuchprovider/model")
    assert capfd.readouterr() == ("", "")


async def test_requests_carry_what_was_asked() -> None:
    schema = ("state", {"type": "object", "properties": {}, "additionalProperties": False})
    _, error, server = await outcome(
        Answer(text="{}"), response_schema=schema, temperature=0.3, max_output_tokens=50
    )
    assert error is None
    body = server.requests[0].body
    assert body["temperature"] == 0.3
    assert body["max_tokens"] == 50
    assert body["response_format"]["json_schema"]["name"] == "state"
    assert body["stream_options"] == {"include_usage": True}
    assert server.requests[0].headers["authorization"] == "Bearer secret-key"


async def test_tools_can_be_offered_and_forbidden() -> None:
    for model in (OPENAI, CLAUDE):
        _, error, server = await outcome(
            Answer(text="ok"), model, tools=(READ,), tool_choice="none"
        )
        assert error is None
        choice = server.requests[0].body["tool_choice"]
        assert choice == ("none" if model == OPENAI else {"type": "none"})


def test_litellms_map_fills_gaps_only() -> None:
    """B25, B60."""
    known = enrich(ModelInfo(name="s", id="anthropic/claude-sonnet-4-5"))
    assert (known.window, known.window_source) == (200_000, "catalogue")
    assert known.price is not None
    assert known.price.input == pytest.approx(3.0)
    own = ModelInfo(name="s", id="openai/gpt-4.1", window=32768, window_source="config")
    assert enrich(own).window == 32768
    strange = ModelInfo(name="s", id="openai/nobody-knows-it")
    assert enrich(strange) == strange

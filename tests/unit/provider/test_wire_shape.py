"""What goes out: OpenAI's shape, Anthropic's extras, nothing a strict server refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.tooling import ToolSpec
from neocode.provider.base import ModelRequest
from neocode.provider.wire import arguments_of, least_effort, sound_arguments, wire_messages
from tests.http_checks import complaint

PICTURE = Image(media_type="image/png", data="QUJD", width=3, height=2)
SIGNED = {"type": "thinking", "thinking": "t", "signature": "s"}


def message(role: str, content: str = "", **fields: object) -> Message:
    return Message(id="m", created_at="", role=role, content=content, **fields)  # type: ignore[arg-type]


def request(*messages: Message, model: str = "openai/x", **fields: object) -> ModelRequest:
    vision = bool(fields.pop("vision", False))
    info = ModelInfo(name="x", id=model, vision=vision)
    return ModelRequest(model=info, system="sys", messages=messages, **fields)  # type: ignore[arg-type]


HISTORY = (
    message("user", "look"),
    message("assistant", "", tool_calls=(ToolCall(id="a", name="read", arguments='{"p": 1}'),)),
    message("tool", "text", tool_call_id="a", images=(PICTURE,)),
    message("assistant", "done", metadata={"reasoning_blocks": [SIGNED]}),
    message("user", "thanks"),
)


def test_messages_pass_the_strict_check() -> None:
    sent = wire_messages(request(*HISTORY))
    assert complaint({"messages": sent}, anthropic=False) == ""
    assert sent[0] == {"role": "system", "content": "sys"}
    assert "thinking_blocks" not in sent[-2]


def test_pictures_of_a_tool_follow_its_result() -> None:
    sent = wire_messages(request(*HISTORY[:3], vision=True))
    assert sent[-1]["role"] == "user"
    assert sent[-1]["content"][0]["image_url"]["url"] == "data:image/png;base64,QUJD"
    joined = wire_messages(request(*HISTORY[:3], message("user", "and?"), vision=True))
    assert [m["role"] for m in joined].count("user") == 2
    assert joined[-1]["content"][-1] == {"type": "text", "text": "and?"}


def test_a_model_without_eyes_is_told_of_the_picture() -> None:
    (sent,) = wire_messages(request(message("user", "see", images=(PICTURE,))))[1:]
    assert "picture left out" in sent["content"]
    assert "3x2" in sent["content"]


def test_signed_reasoning_goes_back_untouched_to_claude_only() -> None:
    sent = wire_messages(request(*HISTORY, model="anthropic/claude-sonnet-5"))
    assert sent[-2]["thinking_blocks"] == [SIGNED]


def test_claude_gets_marks_at_system_and_breakpoints_but_at_most_four() -> None:
    sent = wire_messages(
        request(*HISTORY, model="anthropic/claude-sonnet-5", cache_breakpoints=(0, 1, 2, 3, 4))
    )
    marked = [i for i, m in enumerate(sent) if '"cache_control"' in json.dumps(m)]
    assert len(marked) == 4
    assert marked[0] == 0
    assert '"cache_control"' not in json.dumps(wire_messages(request(*HISTORY)))


def test_arguments_of_a_plain_request() -> None:
    tool = ToolSpec(name="read", description="d", parameters={"type": "object"})
    made = arguments_of(request(*HISTORY, tools=(tool,), tool_choice="none"), schema_held=True)
    assert made["max_retries"] == 0
    assert "num_retries" not in made
    assert made["stream_options"] == {"include_usage": True}
    assert made["tool_choice"] == "none"
    assert "temperature" not in made
    assert "response_format" not in made


def test_a_schema_is_held_where_it_can_be() -> None:
    schema = ("answer", {"type": "object", "additionalProperties": False})
    asked = request(HISTORY[0], response_schema=schema)
    assert arguments_of(asked, schema_held=False).get("response_format") is None
    made = arguments_of(asked, schema_held=True)["response_format"]
    assert made["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        ("openai/gpt-5-mini", "minimal"),
        ("openai/gpt-5.4", "none"),
        ("openrouter/openai/o3", "low"),
        ("gemini/gemini-2.5-flash", "none"),
        ("anthropic/claude-sonnet-5", None),
        ("openai/local", None),
    ],
)
def test_least_effort(model: str, effort: str | None) -> None:
    assert least_effort(model) == effort


@given(st.text() | st.dictionaries(st.text(), st.integers()).map(json.dumps))
def test_arguments_sent_are_always_an_object(arguments: str) -> None:
    assert isinstance(json.loads(sound_arguments(arguments)), dict)

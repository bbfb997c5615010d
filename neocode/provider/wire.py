"""A ModelRequest in the shape that litellm takes: OpenAI's, with Anthropic's extras. Pure."""

import json
from collections.abc import Sequence
from typing import Any

from neocode.domain.messages import Image, Message, ToolCall
from neocode.provider.base import ModelRequest

MAX_CACHE_MARKS = 4
"""Anthropic takes four; the system prompt has one of them."""
RETRY_UNASKED = ("azure/", "zai/", "sambanova/", "nvidia_nim/")
"""litellm drops max_retries for these, so that their client would retry on its own."""
_CACHE = {"type": "ephemeral"}


def is_claude(model_id: str) -> bool:
    """True for Anthropic's models, whoever serves them."""
    return model_id.startswith("anthropic/") or "claude" in model_id.lower()


def arguments_of(request: ModelRequest, *, schema_held: bool) -> dict[str, Any]:
    """Keyword arguments of litellm.acompletion.

    schema_held: whether this model can be held to response_schema.
    """
    model = request.model
    made: dict[str, Any] = {
        "model": model.id,
        "messages": wire_messages(request),
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_retries": 0,
        "drop_params": True,
        "timeout": request.idle_timeout_s + 30,
    }
    if model.id.startswith(RETRY_UNASKED):
        made["allowed_openai_params"] = ["max_retries"]
    if model.api_base:
        made["api_base"] = model.api_base
    if model.api_key or model.api_base:
        made["api_key"] = model.api_key or "none"
    if request.tools:
        made["tools"] = [
            _tool(spec.name, spec.description, spec.parameters) for spec in request.tools
        ]
        if request.tool_choice == "none":
            made["tool_choice"] = "none"
    if request.max_output_tokens is not None:
        made["max_tokens"] = request.max_output_tokens
    if request.temperature is not None:
        made["temperature"] = request.temperature
    if request.reasoning == "off" and (effort := least_effort(model.id)):
        made["reasoning_effort"] = effort
    if schema_held and request.response_schema is not None:
        made["response_format"] = _response_format(*request.response_schema)
    return made


def least_effort(model_id: str) -> str | None:
    """The least reasoning a model can be told to do; None where it does none unasked."""
    name = model_id.rpartition("/")[2].lower()
    if name.startswith("gemini-2.5-flash"):
        return "none"
    if name.startswith(("gemini-2.5", "gemini-3", "o1", "o3", "o4")):
        return "low"
    if name.startswith("gpt-5."):
        return "none"
    return "minimal" if name.startswith("gpt-5") and "chat" not in name else None


def wire_messages(request: ModelRequest) -> list[dict[str, Any]]:
    """System prompt and messages. Pictures that tools gave follow in a user message."""
    claude = is_claude(request.model.id)
    sent: list[dict[str, Any]] = []
    if request.system:
        sent.append({"role": "system", "content": request.system})
        if claude:
            _mark(sent[-1])
    marked = set(request.cache_breakpoints[-(MAX_CACHE_MARKS - 1) :]) if claude else set()
    waiting: list[Image] = []
    for index, message in enumerate(request.messages):
        if message.role != "tool" and waiting:
            waiting = _give_pictures(sent, waiting, message, request)
            if message.role == "user":
                _finish(sent, index in marked)
                continue
        sent.append(_message(message, request))
        if message.role == "tool":
            waiting.extend(message.images)
        _finish(sent, index in marked)
    if waiting:
        _give_pictures(sent, waiting, None, request)
    return sent


def _finish(sent: list[dict[str, Any]], marked: bool) -> None:
    if marked:
        _mark(sent[-1])


def _give_pictures(
    sent: list[dict[str, Any]],
    pictures: Sequence[Image],
    following: Message | None,
    request: ModelRequest,
) -> list[Image]:
    """Put the pictures of tool results into the user message that follows, or a new one."""
    text = "Pictures from the results above."
    own: tuple[Image, ...] = ()
    if following is not None and following.role == "user":
        text, own = following.content, following.images
    content = _user_content(text, (*pictures, *own), request.model.vision)
    sent.append({"role": "user", "content": content})
    return []


def _message(message: Message, request: ModelRequest) -> dict[str, Any]:
    if message.role == "user":
        content = _user_content(message.content, message.images, request.model.vision)
        return {"role": "user", "content": content}
    if message.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": message.tool_call_id or "",
            "content": message.content,
        }
    made: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.tool_calls:
        made["content"] = message.content or None
        made["tool_calls"] = [_call(call) for call in message.tool_calls]
    blocks = message.metadata.get("reasoning_blocks")
    if blocks and is_claude(request.model.id) and request.reasoning != "off":
        made["thinking_blocks"] = [dict(block) for block in blocks]
    return made


def _user_content(text: str, images: Sequence[Image], vision: bool) -> str | list[dict[str, Any]]:
    if not images:
        return text
    if not vision:
        notes = [f"[picture left out, this model takes none: {_label(image)}]" for image in images]
        return "\n".join((*notes, text) if text else notes)
    parts: list[dict[str, Any]] = [
        {"type": "image_url", "image_url": {"url": f"data:{i.media_type};base64,{i.data}"}}
        for i in images
    ]
    return [*parts, {"type": "text", "text": text}] if text else parts


def _label(image: Image) -> str:
    size = f" {image.width}x{image.height}" if image.width and image.height else ""
    return image.media_type + size


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": sound_arguments(call.arguments)},
    }


def sound_arguments(arguments: str) -> str:
    """The arguments if they are a JSON object; else an object that quotes them.

    Providers that parse a call of the history refuse the whole request otherwise.
    """
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except (ValueError, RecursionError):
        pass
    return json.dumps({"malformed_arguments": arguments}, ensure_ascii=False)


def _tool(name: str, description: str, parameters: Any) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": dict(parameters)}
    return {"type": "function", "function": function}


def _response_format(name: str, schema: Any) -> dict[str, Any]:
    strict = schema.get("additionalProperties") is False
    described = {"name": name, "schema": dict(schema), "strict": strict}
    return {"type": "json_schema", "json_schema": described}


def _mark(message: dict[str, Any]) -> None:
    """Set Anthropic's cache mark at the end of a message."""
    if message["role"] == "tool" or not message.get("content"):
        message["cache_control"] = _CACHE
        return
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    parts[-1] = {**parts[-1], "cache_control": _CACHE}
    message["content"] = parts

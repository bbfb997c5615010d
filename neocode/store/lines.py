"""A message as a line of a transcript, and back (docs/transcript-format.md).

Lines that were written elsewhere are read too: anything in the shape of OpenAI's chat
messages, with or without ids and times.
"""

import json
from collections.abc import Container, Sequence
from dataclasses import asdict
from typing import Any

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Image, Message, Role, ToolCall
from neocode.store.masking import mask, mask_json
from neocode.store.rows import call_to_json

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

FIELDS = (
    *("index", "id", "created_at", "role", "content"),
    *("tool_calls", "tool_call_id", "tool_name", "is_error", "metadata"),
)
"""Every field of a line, in order; those from tool_calls on stand only where they say something."""
RECORD_FIELDS = ("images", "is_compaction_summary", "compacted_at", "compacted_into")
"""Fields of a message that a line keeps in its metadata, under these names."""
OWN = "own"
"""Holds a message's own metadata, should that use one of the names above."""


def line_of(
    message: Message, index: int, values: Sequence[str] = (), keyless: Container[str] = ()
) -> dict[str, Any]:
    """The message as a line's fields, masked. index counts from 0.

    values: keys known from the configuration. keyless: ids of messages that are known to
    hold no key shape, for which only the values are looked for.
    """
    metadata = _packed(message)
    line: dict[str, Any] = {
        "index": index,
        "id": message.id,
        "created_at": message.created_at,
        "role": message.role,
        "content": message.content,
    }
    if message.tool_calls:
        line["tool_calls"] = [call_to_json(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        line["tool_call_id"] = message.tool_call_id
    if message.tool_name is not None:
        line["tool_name"] = message.tool_name
    if message.is_error:
        line["is_error"] = True
    if metadata:
        line["metadata"] = metadata
    is_clean = message.id in keyless and not (values and _holds(message, values))
    return line if is_clean else _masked(line, values)


def _masked(line: dict[str, Any], values: Sequence[str]) -> dict[str, Any]:
    """The line with keys masked wherever text can hold one; pictures are left as they are."""
    masked = {**line, "content": mask(line["content"], values)}
    if "tool_calls" in line:
        masked["tool_calls"] = mask_json(line["tool_calls"], values)
    if "metadata" in line:
        pictures = {key: line["metadata"][key] for key in ("images",) if key in line["metadata"]}
        rest = {key: item for key, item in line["metadata"].items() if key not in pictures}
        masked["metadata"] = {**mask_json(rest, values), **pictures}
    return masked


def encode(line: JsonObject) -> bytes:
    """A line as UTF-8 JSON with its line end."""
    return (_ENCODER.encode(line) + "\n").encode("utf-8", "replace")


def is_keyless(message: Message) -> bool:
    """Masking would change nothing in the message."""
    texts_are = all(mask(text) == text for text in _texts(message))
    return texts_are and (
        not message.metadata or mask_json(message.metadata) == json_form(message.metadata)
    )


def json_form(value: Any) -> Any:
    """The value as JSON would give it back: tuples as lists."""
    if isinstance(value, dict):
        return {key: json_form(item) for key, item in value.items()}
    return [json_form(item) for item in value] if isinstance(value, (list, tuple)) else value


def message_of(line: JsonObject, fallback_id: str, fallback_time: str) -> Message | None:
    """The message of a line, ours or one in OpenAI's shape; None when it has no known role.

    System lines come back with the role "user" and imported_role in their metadata.
    """
    role = _role(line.get("role"))
    if role is None:
        return None
    own, record = _unpacked(line.get("metadata"))
    text, pictures = _content(line.get("content"))
    if line["role"] != role:
        own = {**own, "imported_role": line["role"]}
    return Message(
        id=_text(line.get("id")) or fallback_id,
        created_at=_text(line.get("created_at")) or fallback_time,
        role=role,
        content=text,
        tool_calls=_calls(line) if role == "assistant" else (),
        tool_call_id=_text(line.get("tool_call_id")) if role == "tool" else None,
        tool_name=_text(line.get("tool_name") or line.get("name")) if role == "tool" else None,
        is_error=line.get("is_error") is True,
        images=pictures + record["images"],
        metadata=own,
        is_compaction_summary=record["is_compaction_summary"],
        compacted_at=record["compacted_at"],
        compacted_into=record["compacted_into"],
    )


def _holds(message: Message, values: Sequence[str]) -> bool:
    texts = _texts(message)
    if values and message.metadata:
        texts.append(json.dumps(message.metadata, ensure_ascii=False))
    return any(value in text for value in values for text in texts)


def _texts(message: Message) -> list[str]:
    calls = [call.arguments for call in message.tool_calls]
    return [message.content, *calls]


def _packed(message: Message) -> dict[str, Any]:
    """A line's metadata: the message's own, and what of its record has no field of its line."""
    own = message.metadata
    is_reserved = any(key in own for key in (*RECORD_FIELDS, OWN)) if own else False
    packed: dict[str, Any] = {OWN: own} if is_reserved else dict(own)
    if message.images:
        packed["images"] = [asdict(image) for image in message.images]
    if message.is_compaction_summary:
        packed["is_compaction_summary"] = True
    if message.compacted_at is not None:
        packed["compacted_at"] = message.compacted_at
    if message.compacted_into is not None:
        packed["compacted_into"] = message.compacted_into
    return packed


def _unpacked(metadata: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line's metadata as the message's own, and the fields of its record."""
    given = dict(metadata) if isinstance(metadata, dict) else {}
    images = given.pop("images", [])
    record = {
        "images": tuple(filter(None, map(_image, images if isinstance(images, list) else []))),
        "is_compaction_summary": given.pop("is_compaction_summary", False) is True,
        "compacted_at": _text(given.pop("compacted_at", None)),
        "compacted_into": _text(given.pop("compacted_into", None)),
    }
    own = given.pop(OWN, None)
    return (own if isinstance(own, dict) else given), record


def _image(data: Any) -> Image | None:
    if not isinstance(data, dict) or not isinstance(data.get("data"), str):
        return None
    size = {name: data[name] for name in ("width", "height") if isinstance(data.get(name), int)}
    return Image(media_type=str(data.get("media_type", "image/png")), data=data["data"], **size)


def _role(given: Any) -> Role | None:
    roles: dict[Any, Role] = {
        "user": "user",
        "assistant": "assistant",
        "tool": "tool",
        "function": "tool",
        "system": "user",
        "developer": "user",
    }
    return roles.get(given) if isinstance(given, str) else None


def _content(given: Any) -> tuple[str, tuple[Image, ...]]:
    """Text and pictures of a content that is a string, a list of parts, or nothing."""
    if isinstance(given, str) or given is None:
        return given or "", ()
    if not isinstance(given, list):
        return json.dumps(given, ensure_ascii=False), ()
    texts: list[str] = []
    pictures: list[Image] = []
    for part in given:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif picture := _picture(part):
            pictures.append(picture)
        else:
            kind = part.get("type", "part") if isinstance(part, dict) else "part"
            texts.append(f"[{kind} left out]")
    return "\n".join(texts), tuple(pictures)


def _picture(part: Any) -> Image | None:
    """The picture of an image_url part that holds its data."""
    address = part.get("image_url") if isinstance(part, dict) else None
    url = address.get("url") if isinstance(address, dict) else address
    if not isinstance(url, str) or not url.startswith("data:") or ";base64," not in url:
        return None
    media_type, data = url.removeprefix("data:").split(";base64,", 1)
    return Image(media_type=media_type or "image/png", data=data)


def _calls(line: JsonObject) -> tuple[ToolCall, ...]:
    given = line.get("tool_calls")
    calls = given if isinstance(given, list) else []
    if isinstance(line.get("function_call"), dict):
        calls = [*calls, {"function": line["function_call"]}]
    return tuple(_call(call) for call in calls if isinstance(call, dict))


def _call(given: JsonObject) -> ToolCall:
    """A call in OpenAI's shape or flat; an id may be missing ("")."""
    function = given.get("function")
    inner: JsonObject = function if isinstance(function, dict) else given
    arguments = inner.get("arguments", "{}")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(
        id=_text(given.get("id")) or "", name=_text(inner.get("name")) or "", arguments=arguments
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

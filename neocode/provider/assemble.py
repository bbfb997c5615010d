"""Put a reply together from the chunks of a stream; pure (spec/context 4, B58)."""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from neocode.domain.messages import ToolCall
from neocode.provider.base import (
    CallChunk,
    Chunk,
    FinishChunk,
    ReasoningChunk,
    Reply,
    SignedReasoning,
    TextChunk,
    UsageChunk,
)


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Assembler:
    """Takes chunks in order of arrival; reply() may be asked for at any time."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._reply = Reply()

    def add(self, chunk: Chunk) -> None:
        """Take one chunk."""
        match chunk:
            case TextChunk():
                self._text.append(chunk.text)
            case ReasoningChunk():
                self._reasoning.append(chunk.text)
            case CallChunk():
                self._add_call(chunk)
            case SignedReasoning():
                self._reply.signed.append(chunk.block)
            case UsageChunk():
                self._reply.usage = chunk.usage
            case FinishChunk():
                self._reply.finish = chunk.reason

    def reply(self) -> Reply:
        """What has come so far.

        Calls stand in the order of their index. Each has an id that is unique in the
        reply: one that is missing or met twice is made. Calls without a name are left
        out. Arguments are "{}" when none came.
        """
        done = self._reply
        taken: set[str] = set()
        calls: list[CallChunk] = []
        for index, call in sorted(self._calls.items()):
            if not call.name:
                continue
            call_id = _unique(call.id or f"call_{index}", taken)
            arguments = "".join(call.arguments).strip() or "{}"
            calls.append(CallChunk(len(calls), call_id, call.name, arguments))
        return Reply(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            signed=list(done.signed),
            calls=calls,
            usage=done.usage,
            finish=done.finish,
        )

    def _add_call(self, chunk: CallChunk) -> None:
        call = self._calls.setdefault(chunk.index, _Call())
        call.id = call.id or chunk.id or ""
        call.name = call.name or chunk.name or ""
        if chunk.arguments:
            call.arguments.append(chunk.arguments)


def assemble(chunks: Iterable[Chunk]) -> Reply:
    """The reply that a whole stream makes."""
    assembler = Assembler()
    for chunk in chunks:
        assembler.add(chunk)
    return assembler.reply()


def tool_calls(reply: Reply) -> tuple[ToolCall, ...]:
    """The calls of a reply as they are stored in a message."""
    return tuple(
        ToolCall(id=call.id or "", name=call.name or "", arguments=call.arguments)
        for call in reply.calls
    )


_FENCE = re.compile(r"```(?:json|tool_call|tool_code)?\s*\n?(.*?)\n?\s*```", re.DOTALL)
_TAG = re.compile(r"<(tool_call|tools|function_call)>\s*(.*?)\s*</\1>", re.DOTALL)


def calls_in_text(text: str, offered: Collection[str]) -> tuple[ToolCall, ...]:
    """Calls that a weak model wrote as text: fenced JSON, <tool_call> tags or bare JSON.

    Only when they are the whole message and every one names an offered tool; else
    nothing, and the text is an answer like any other. Ids are call_0, call_1, ...
    """
    stripped = text.strip()
    parts = _whole(_TAG, 2, stripped) or _whole(_FENCE, 1, stripped) or [stripped]
    calls: list[ToolCall] = []
    for part in parts:
        value = _json_object(part)
        found = _call(value, offered, len(calls)) if value is not None else None
        if found is None:
            return ()
        calls.append(found)
    return tuple(calls)


def _whole(pattern: re.Pattern[str], group: int, text: str) -> list[str]:
    """The groups of all matches if nothing but blanks stands between them."""
    if pattern.sub("", text).strip():
        return []
    return [match[group] for match in pattern.finditer(text)]


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _call(value: dict[str, Any], offered: Collection[str], index: int) -> ToolCall | None:
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters", {}))
    if not isinstance(name, str) or name not in offered:
        return None
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=f"call_{index}", name=name, arguments=arguments)


def _unique(wanted: str, taken: set[str]) -> str:
    """wanted, or wanted with a number behind it; remembers what it gave."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name

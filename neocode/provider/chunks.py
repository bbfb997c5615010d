"""Read a stream's chunks, of whatever quality, as the Chunks of base.py. Pure.

Works on plain attribute objects in OpenAI's shape (litellm's), so that it can be tested
without litellm. Servers differ: whole calls in one delta, calls without index or id,
arguments as an object, two calls under one index.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neocode.provider.base import (
    CallChunk,
    Chunk,
    FinishChunk,
    ReasoningChunk,
    SignedReasoning,
    TextChunk,
    UsageChunk,
)
from neocode.provider.usage import read_usage

WINDOW_FULL = "model_context_window_exceeded"


@dataclass(slots=True)
class _Slot:
    """One call while it comes."""

    position: int
    id: str = ""
    name: str = ""

    def is_other(self, call_id: str, name: str) -> bool:
        """True when a delta under the same index belongs to another call."""
        if call_id and self.id:
            return call_id != self.id
        return bool(name and self.name and not call_id and not self.id)


class ChunkReader:
    """Turns one stream's chunks; keeps what has to be known between them.

    received: true once text, reasoning or a call has come. finish: the end mark, "" before.
    native_finish: the provider's own word for it. error: an error object found in a chunk.
    """

    def __init__(self) -> None:
        self.received = False
        self.finish = ""
        self.native_finish = ""
        self.error: Any = None
        self._slots: dict[int, _Slot] = {}
        self._last: _Slot | None = None
        self._count = 0
        self._generated = 0
        self._thinking: list[str] = []

    def read(self, chunk: Any) -> Iterator[Chunk]:
        """The Chunks that one chunk of the stream holds, in order."""
        self.error = self.error or _field(chunk, "error")
        for choice in _field(chunk, "choices") or ():
            delta = _field(choice, "delta") or _field(choice, "message")
            if delta is not None:
                yield from self._delta(delta)
            self._note_finish(choice)
        reported = _mapping(_field(chunk, "usage"))
        if reported:
            self._generated = max(self._generated, reported.get("completion_tokens") or 0)
        usage = read_usage(reported)
        if usage is not None:
            yield UsageChunk(usage)

    @property
    def window_is_full(self) -> bool:
        """True when not a word came because the request left no room for one.

        Some providers say so by their end mark only; others end by "length" having
        generated nothing.
        """
        if self.received:
            return False
        return self.native_finish == WINDOW_FULL or (
            self.finish == "length" and self._generated <= 1
        )

    def end(self) -> Iterator[Chunk]:
        """What is left when the stream has ended."""
        if self.finish:
            yield FinishChunk(self.finish)

    def _delta(self, delta: Any) -> Iterator[Chunk]:
        yield from self._signed(_field(delta, "thinking_blocks"))
        reasoning = _field(delta, "reasoning_content") or _field(delta, "reasoning")
        if isinstance(reasoning, str) and reasoning:
            self.received = True
            yield ReasoningChunk(reasoning)
        text = _field(delta, "content")
        if isinstance(text, str) and text:
            self.received = True
            yield TextChunk(text)
        for call in _field(delta, "tool_calls") or ():
            self.received = True
            yield self._call(call)

    def _signed(self, blocks: Any) -> Iterator[Chunk]:
        """Whole signed blocks: a thinking block is complete with its signature."""
        for block in blocks or ():
            kind = _field(block, "type")
            if kind == "redacted_thinking":
                yield SignedReasoning({"type": kind, "data": _field(block, "data") or ""})
                continue
            self._thinking.append(_field(block, "thinking") or "")
            if signature := _field(block, "signature"):
                whole = "".join(self._thinking)
                self._thinking.clear()
                yield SignedReasoning(
                    {"type": "thinking", "thinking": whole, "signature": signature}
                )

    def _call(self, call: Any) -> CallChunk:
        function = _field(call, "function")
        name, call_id = _field(function, "name") or "", _field(call, "id") or ""
        slot = self._slot(_field(call, "index"), call_id, name)
        new_id, new_name = call_id if not slot.id else "", name if not slot.name else ""
        slot.id, slot.name = slot.id or call_id, slot.name or name
        return CallChunk(
            slot.position,
            id=new_id or None,
            name=new_name or None,
            arguments=_arguments(_field(function, "arguments")),
        )

    def _slot(self, index: Any, call_id: str, name: str) -> _Slot:
        """The call that a delta belongs to; a new one where it opens one."""
        if isinstance(index, int):
            known = self._slots.get(index)
        else:
            known = self._last
            if known is not None and name and not call_id:
                known = None
        if known is not None and not known.is_other(call_id, name):
            return known
        opened = _Slot(position=self._count)
        self._count += 1
        self._last = opened
        if isinstance(index, int):
            self._slots[index] = opened
        return opened

    def _note_finish(self, choice: Any) -> None:
        reason = _field(choice, "finish_reason")
        if not isinstance(reason, str) or not reason:
            return
        self.finish = reason
        if reason == WINDOW_FULL:
            self.finish, self.native_finish = "length", WINDOW_FULL
        extra = _mapping(_field(choice, "provider_specific_fields")) or {}
        native = extra.get("native_finish_reason") or _field(choice, "native_finish_reason")
        self.native_finish = native if isinstance(native, str) and native else self.native_finish
        self.error = self.error or _field(choice, "error") or extra.get("error")


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value is not None else ""


def _field(value: Any, name: str) -> Any:
    """An attribute or a key, None when there is none.

    Pydantic's objects are looked into directly: its __getattr__ is slow for what is not
    there, and this runs some twelve times a chunk.
    """
    if isinstance(value, dict):
        return value.get(name)
    extra = getattr(value, "__pydantic_extra__", None)
    if extra is None:
        return getattr(value, name, None)
    own = value.__dict__
    return own[name] if name in own else extra.get(name)


def _mapping(value: Any) -> Mapping[str, Any] | None:
    if value is None or isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if dump is not None else None

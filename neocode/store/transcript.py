"""Transcripts: every message of a session as it was before a compaction (spec/context 13).

A file is whole or absent, is never written to again, and is read as far as it can be.
"""

import json
import secrets as randomness
import time
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from neocode.config.atomic import replacing
from neocode.domain.clock import new_id
from neocode.domain.messages import Message, ToolCall
from neocode.store.failures import explained
from neocode.store.lines import encode, line_of, message_of

STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptRef:
    """A transcript that was written. id: its file's name without .jsonl. count: messages."""

    id: str
    path: Path
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptContents:
    """What could be read of a file.

    skipped: lines that hold no message (damaged, or no object with a known role).
    system: system prompts at the beginning, which are no messages and are left out.
    hollow: replies with neither text nor calls, left out too.
    """

    messages: tuple[Message, ...]
    skipped: int = 0
    system: int = 0
    hollow: int = 0

    @property
    def notice(self) -> str:
        """Words for the user about what was left out; "" when all is there."""
        parts = [
            (self.skipped, "damaged or foreign line", "damaged or foreign lines", "passed over"),
            (self.system, "system prompt", "system prompts", "left out, being no message"),
            (self.hollow, "empty reply", "empty replies", "left out"),
        ]
        said = [
            f"{count} {one if count == 1 else many} {what}"
            for count, one, many, what in parts
            if count
        ]
        if self.skipped:
            said.append("the file was not changed")
        return "; ".join(said)


def write_transcript(
    folder: Path,
    session_id: str,
    messages: Iterable[Message | bytes],
    *,
    secrets: Sequence[str] = (),
    keyless: Container[str] = (),
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TranscriptRef:
    """Write the messages, streamed and masked, and put the file on disk before returning.

    messages: or lines of SessionStore.lines, which are masked already and much faster.
    secrets: values of configured keys. keyless: see SessionStore.keyless. The folder is
    made 0700, the file 0600. Raises StoreError, and then there is no file.
    """
    name = f"{now().strftime(STAMP)}_{session_id}_{randomness.token_hex(3)}"
    path = folder / f"{name}.jsonl"
    count = 0
    with explained(path), replacing(path) as file:
        for each in messages:
            if isinstance(each, Message):
                each = encode(line_of(each, count, secrets, keyless))
            file.write(each)
            count += 1
    return TranscriptRef(id=name, path=path, count=count)


def read_transcript(path: Path) -> TranscriptContents:
    """Read a transcript, or any JSONL of messages in OpenAI's shape; what is damaged is skipped.

    Missing ids and times are made, ids that occur twice are made anew, results find the
    name of their tool and, without an id, the next open call. The file is not changed.
    Raises StoreError when it cannot be read at all.
    """
    reader = _Reader(time.time())
    with explained(path), path.open("rb") as file:
        for line in file:
            reader.take(line)
    return reader.contents()


class _Reader:
    """Takes line after line; remembers what later lines need."""

    def __init__(self, start: float) -> None:
        self._start = datetime.fromtimestamp(start, UTC)
        self._messages: list[Message] = []
        self._ids: set[str] = set()
        self._tools: dict[str, str] = {}
        self._open: list[str] = []
        self._skipped = self._system = self._hollow = 0

    def take(self, raw: bytes) -> None:
        data = _decoded(raw)
        if data is None:
            self._skipped += bool(raw.strip())
            return
        message = message_of(data, new_id("m"), self._time())
        if message is None:
            self._skipped += 1
        elif not self._messages and "imported_role" in message.metadata:
            self._system += 1
        elif message.is_hollow and "created_at" not in data:
            self._hollow += 1
        else:
            self._keep(message)

    def contents(self) -> TranscriptContents:
        return TranscriptContents(
            messages=tuple(self._messages),
            skipped=self._skipped,
            system=self._system,
            hollow=self._hollow,
        )

    def _keep(self, message: Message) -> None:
        if message.id in self._ids:
            message = replace(message, id=new_id("m"))
        self._ids.add(message.id)
        if message.role == "assistant":
            message = replace(message, tool_calls=tuple(map(_named, message.tool_calls)))
            self._tools |= {call.id: call.name for call in message.tool_calls}
            self._open = [call.id for call in message.tool_calls]
        elif message.role == "tool":
            message = self._answering(message)
        self._messages.append(message)

    def _answering(self, message: Message) -> Message:
        call_id = message.tool_call_id or (self._open[0] if self._open else None)
        if call_id in self._open:
            self._open.remove(call_id)
        name = message.tool_name or (self._tools.get(call_id) if call_id else None)
        return replace(message, tool_call_id=call_id, tool_name=name or None)

    def _time(self) -> str:
        """A time for a line without one: later than that of every line before."""
        moment = self._start + timedelta(microseconds=len(self._messages))
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _named(call: ToolCall) -> ToolCall:
    return call if call.id else replace(call, id=new_id("call"))


def _decoded(raw: bytes) -> dict[str, Any] | None:
    """The object of a line, or None: null bytes, half a record, no UTF-8, a bare list."""
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

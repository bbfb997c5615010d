"""Messages: the records that a session is made of (spec/context 1 and 13)."""

from dataclasses import dataclass, field, replace
from typing import Literal

from neocode.domain.json_types import JsonObject

Role = Literal["user", "assistant", "tool"]

SUMMARY_MARK = "[compact_summary]"
HANDOFF_MARK = "[CONTEXT COMPACTION]"
STATE_KEY = "task_state"
"""A summary's metadata: the TaskState as it was after its compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call that the model asked for.

    arguments: the JSON text exactly as it came; it may be malformed.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture in a message.

    data: base64 of the file's bytes. width, height: pixels, 0 when unknown.
    """

    media_type: str
    data: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One record of a session. The system prompt is not one.

    id: unique in its session, the same for ever (transcripts and recall use it).
    created_at: RFC 3339, UTC.
    tool_call_id, tool_name, is_error: for role "tool" only.
    compacted_at, compacted_into: set on an archived message; the id of its summary.
    metadata: known keys are
        "interrupted": true        a reply broken off, or a result that never came
        "reasoning": str           plain reasoning text, shown but never sent back
        "reasoning_blocks": list   signed provider blocks, sent back untouched or not at all
        "usage": {...}             what the provider reported for this reply
        "model": str               who wrote this reply
        "full_output": str         path of the whole text of a shortened result
        "task_state": {...}        on a summary: the TaskState after its compaction
        "user_words": list[str]    on a summary: archived user messages kept word for word
        anything else a tool declares about its result ("path", "exit_status", ...)
    """

    id: str
    created_at: str
    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool = False
    images: tuple[Image, ...] = ()
    metadata: JsonObject = field(default_factory=dict)
    is_compaction_summary: bool = False
    compacted_at: str | None = None
    compacted_into: str | None = None

    @property
    def is_hollow(self) -> bool:
        """True for a reply with neither text nor calls: never stored, never sent."""
        return self.role == "assistant" and not self.content.strip() and not self.tool_calls

    @property
    def chars(self) -> int:
        """Characters (code points) of content and of call arguments."""
        return len(self.content) + sum(len(call.arguments) for call in self.tool_calls)

    def with_metadata(self, **changes: object) -> "Message":
        """A copy whose metadata has these keys changed."""
        return replace(self, metadata={**self.metadata, **changes})

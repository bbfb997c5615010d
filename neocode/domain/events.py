"""Every runtime event (spec/interface "jsonl events", spec/context 12).

The TUI, the headless output and the tests see the same stream. An event's name in
jsonl is its class name in snake case; its payload is its fields. Events are frozen,
arrive in order, and carry their session's id.
"""

import re
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias

from neocode.domain.messages import Message, ToolCall
from neocode.domain.tooling import Access
from neocode.domain.usage import Usage

TriggerMode = Literal["manual", "auto", "reactive"]
Method = Literal["summary", "prune", "extractive"]
CompactReason = Literal[
    "no_auxiliary_model",
    "provider_error",
    "timeout",
    "invalid_summary",
    "no_gain",
    "transcript_failed",
    "storage_failed",
    "cancelled",
]
StopReason = Literal["done", "cancelled", "max_turns", "max_cost", "error", "refused"]
NoticeLevel = Literal["info", "warning", "error"]
Answer = Literal["once", "session", "always", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events. The bus stamps both fields when it publishes one.

    at: RFC 3339, UTC.
    """

    session_id: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A user's prompt is on disk and its run begins."""

    prompt: str
    message_id: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(Event):
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta(Event):
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallEvent(Event):
    """A whole call has arrived. summary: "read src/app.py", for a one-line row."""

    call: ToolCall
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput(Event):
    """Live output of a running tool; shown, not stored."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultEvent(Event):
    """A call has its result and it is on disk. duration_s: seconds of the tool itself."""

    message: Message
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest(Event):
    """The run waits for the user (without a screen it never does: spec/safety).

    hard: a question that is asked in every mode, default no, without "always".
    rule: what "always" would write, or "" where it is not offered.
    detail: the diff or the whole shell line.
    """

    request_id: str
    call: ToolCall
    access: Access
    reason: str
    detail: str
    hard: bool
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecision(Event):
    """What was decided, and by whom: "user", "mode", a rule, "headless"."""

    request_id: str
    call_id: str
    answer: Answer
    decided_by: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Event):
    """The model asks the user (ask_user). options: may be empty; free text is allowed."""

    request_id: str
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUpdate(Event):
    """The one number that bar, triggers and /context share.

    current: totals of the session. used_tokens: size of the next request.
    estimated: false only when the figure comes whole from the provider.
    """

    input_tokens: int
    output_tokens: int
    total_tokens: int
    api_calls: int
    cached_tokens: int
    used_tokens: int
    max_tokens: int
    percent: float
    threshold_percent: float
    estimated: bool
    cost_usd: float | None
    compactions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Event):
    """A failed call is tried again in wait_s seconds; attempt counts from 1."""

    attempt: int
    max_attempts: int
    wait_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeEvent(Event):
    """Something the user should know; level decides the colour, kind is stable."""

    kind: str
    message: str
    level: NoticeLevel = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactStart(Event):
    """A compaction begins."""

    trigger_mode: TriggerMode
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactDone(Event):
    """A compaction ended well; applied is false when there was nothing to archive.

    before_chars, after_chars: characters of the live messages and the preamble; the
        system prompt and tools are left out. saved_ratio: 0.0 to 1.0 of the characters.
    tokens_before, tokens_after: estimate of the next request.
    reason: why nothing was archived; "" when applied.
    audit: {"kept": n, "recallable": n, "dropped": n, "share": 0.0-1.0, "items": [...]}.
    """

    trigger_mode: TriggerMode
    strategy: str
    applied: bool
    before_chars: int = 0
    after_chars: int = 0
    saved_ratio: float = 0.0
    transcript_id: str | None = None
    transcript_path: str | None = None
    removed_count: int = 0
    summary_message_id: str | None = None
    tokens_before: int = 0
    tokens_after: int = 0
    method: Method = "summary"
    model: str | None = None
    duration_s: float = 0.0
    cost_usd: float | None = None
    audit: dict[str, Any] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactError(Event):
    """A compaction failed; the conversation is unchanged."""

    trigger_mode: TriggerMode
    reason: CompactReason
    message: str
    transcript_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEvent(Event):
    """A message is complete and on disk."""

    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueUpdate(Event):
    """What waits to be sent, in order."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoUpdate(Event):
    """The model's todo list. items: (text, status) with pending, in_progress, done."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChanged(Event):
    """Another session, or a changed history, is in front: reload what is shown."""

    reason: Literal["opened", "undo", "redo", "rewind", "renamed", "task_state", "compacted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """The turn is the user's again. answer: text of the last reply."""

    stop_reason: StopReason
    answer: str
    usage: Usage
    cost_usd: float | None
    tool_calls: int
    compactions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunError(Event):
    """The run could not go on. kind: a stable word, see domain/errors."""

    kind: str
    message: str
    hint: str


RuntimeEvent: TypeAlias = (
    RunStarted
    | TextDelta
    | ReasoningDelta
    | ToolCallEvent
    | ToolOutput
    | ToolResultEvent
    | PermissionRequest
    | PermissionDecision
    | Question
    | TokenUpdate
    | Retry
    | NoticeEvent
    | CompactStart
    | CompactDone
    | CompactError
    | MessageEvent
    | QueueUpdate
    | TodoUpdate
    | SessionChanged
    | RunFinished
    | RunError
)


def event_name(event: Event) -> str:
    """The event's name in jsonl: compact_done for CompactDone, tool_call for ToolCallEvent."""
    bare = type(event).__name__.removesuffix("Event")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", bare).lower()


def event_to_json(event: Event) -> dict[str, Any]:
    """The event as a jsonl line: type, at, session_id, payload (spec/interface)."""
    head: dict[str, Any] = {
        "type": event_name(event),
        "at": event.at,
        "session_id": event.session_id,
    }
    payload = {
        f.name: _plain(getattr(event, f.name))
        for f in fields(event)
        if f.name not in ("at", "session_id")
    }
    if isinstance(event, TokenUpdate):
        payload = _token_update(event)
    return head | payload


def _token_update(event: TokenUpdate) -> dict[str, Any]:
    current = ("input_tokens", "output_tokens", "total_tokens", "api_calls", "cached_tokens")
    context = ("used_tokens", "max_tokens", "percent", "threshold_percent", "estimated")
    return {
        "current": {name: getattr(event, name) for name in current},
        "context": {name: getattr(event, name) for name in context},
        "cost_usd": event.cost_usd,
        "compactions": event.compactions,
    }


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value

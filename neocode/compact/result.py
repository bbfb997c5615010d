"""What a compaction takes and gives: values, and the faces of what it works with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from neocode.config.schema import ContextConfig, Strategy
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import (
    CompactDone,
    CompactError,
    CompactReason,
    RuntimeEvent,
    TriggerMode,
)
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import CompactionRecord, SessionState
from neocode.domain.usage import Usage
from neocode.provider.base import ModelRequest, Provider

RequestForm = Literal["cached_prefix", "flattened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Estimates in tokens. message: of one message with its calls. text: of a text."""

    message: Callable[[Message], int]
    text: Callable[[str], int]


class CompactFailure(NeoCodeError):
    """A compaction cannot be done; the session is unchanged. reason: as compact_error's."""

    def __init__(self, reason: CompactReason, message: str) -> None:
        super().__init__(message)
        self.reason: CompactReason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The next request of a session, estimated.

    tokens: all of it. fixed: system prompt, instructions and tools, that never shrink.
    chars: of the live messages and the preamble. text: the same as text, for the audit.
    """

    tokens: int
    fixed: int
    chars: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """A transcript on disk."""

    id: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactOrder:
    """What is to be done, by whom and how.

    model: the current one. models: all that are configured. context: with the profile's
    overrides already in (choose.effective). focus: the user's words after /compact.
    strategy: overrides context.compact.manual_strategy; manual mode only.
    by_code: no model is asked at all ("extractive").
    prefix: the request that the session would send now; the summary may ride on its cache.
    """

    mode: TriggerMode
    context: ContextConfig
    model: ModelInfo | None
    models: tuple[ModelInfo, ...] = ()
    focus: str = ""
    strategy: Strategy | None = None
    by_code: bool = False
    prefix: ModelRequest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactResult:
    """How it ended; exactly one of done and error is set.

    session: the new one after applied, else the very object that was given.
    usage, cost_usd: of the summary's calls, also of a failed compaction; cost is None
        when a price is not known. With applied they are in the session already.
    """

    session: SessionState
    done: CompactDone | None = None
    error: CompactError | None = None
    record: CompactionRecord | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0

    @property
    def applied(self) -> bool:
        """True when the history was replaced."""
        return self.done is not None and self.done.applied


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a compaction would do (spec/context 11); nothing was written or asked.

    tokens_after: an estimate with a summary of the usual size. cost_usd: of the summary
    call, None when the price is not known. reason: why nothing would happen, or "".
    model: "" when none is asked. next_cost_before, next_cost_after: USD of the next
    request's input without any cache, or None.
    """

    strategy: Strategy
    archived: tuple[Message, ...]
    kept: tuple[Message, ...]
    shortened: int
    tokens_before: int
    tokens_after: int
    model: str
    request_tokens: int
    form: RequestForm
    cost_usd: float | None
    reason: str = ""
    next_cost_before: float | None = None
    next_cost_after: float | None = None


Measure = Callable[[SessionState], Measured]
"""Builds the session's next request and weighs it; pure."""


class CompactStore(Protocol):
    """What the runner needs of the store; called in a thread (SessionStore fits)."""

    def apply_compaction(
        self, session_after: SessionState, record: CompactionRecord, summary: Message | None
    ) -> None:
        """In one transaction: insert the summary, mark what is archived, keep the record.

        summary: None for a prune. Raises StoreError; nothing is changed then.
        """
        ...


WriteTranscript = Callable[[SessionState], TranscriptFile]
"""Writes every message of the session (view "full"); called in a thread.

Raises StoreError or OSError; the file is whole or absent.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactPorts:
    """What the runner works with; wiring joins it.

    measure: builds a session's next request and weighs it. emit: takes compact_start,
    compact_done, compact_error, and retry.
    """

    provider: Provider
    store: CompactStore
    write_transcript: WriteTranscript
    measure: Measure
    counters: Counters
    emit: Callable[[RuntimeEvent], None]

"""A session in memory: the compacted view and the counters, changed by pure transitions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from neocode.domain.messages import Message
from neocode.domain.task_state import TaskState
from neocode.domain.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """One session as the model's side sees it (spec/context 13, view "compacted").

    messages: live messages in order; a compaction's summary stands among them where
        the archive was.
    input_tokens_since_compaction: provider's (or estimated) input tokens, added up over
        calls since the last compaction: the session_input trigger's counter.
    micro_edge: id of the newest message whose block is cleared at reading time, or "".
    micro_rent: paid since the edge last moved for re-reading what could be cleared, in
        tokens at the price of fresh input (spec/context 5, rent or buy).
    weak_compactions: automatic compactions in a row that freed under 10 %.
    usage, cost_usd: totals of the whole session; cost is None once a call had no price.
    model: the configured name of the model that answered last ("" before the first).
    """

    id: str
    cwd: str
    created_at: str
    updated_at: str
    title: str = ""
    model: str = ""
    agent: str = ""
    messages: tuple[Message, ...] = ()
    task_state: TaskState = field(default_factory=TaskState)
    input_tokens_since_compaction: int = 0
    micro_edge: str = ""
    micro_rent: float = 0.0
    compactions: int = 0
    weak_compactions: int = 0
    auto_paused: bool = False
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0

    def append(self, *messages: Message) -> "SessionState":
        """With these at the end."""
        return replace(self, messages=self.messages + messages, updated_at=messages[-1].created_at)

    def with_messages(self, messages: Sequence[Message]) -> "SessionState":
        """With another live history."""
        return replace(self, messages=tuple(messages))

    def count_call(self, usage: Usage, cost: float | None, model: str) -> "SessionState":
        """After one answered model call of a run (compaction calls pass through add_cost)."""
        counted = self.add_cost(usage, cost)
        return replace(
            counted,
            input_tokens_since_compaction=self.input_tokens_since_compaction + usage.input_tokens,
            model=model,
        )

    def add_cost(self, usage: Usage, cost: float | None) -> "SessionState":
        """Totals only: a price that is not known makes the total unknown, never zero."""
        total = None if cost is None or self.cost_usd is None else self.cost_usd + cost
        return replace(self, usage=self.usage + usage, cost_usd=total)

    @property
    def summary(self) -> Message | None:
        """The newest compaction summary among the live messages."""
        return next((m for m in reversed(self.messages) if m.is_compaction_summary), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord:
    """One compaction as stored (spec/context 13).

    archived_ids: the messages it archived, in order. metrics: the compact_done payload.
    undone_at: when it was undone, or None.
    """

    id: str
    session_id: str
    created_at: str
    trigger_mode: str
    strategy: str
    method: str
    model: str
    transcript_id: str
    transcript_path: str
    summary_message_id: str
    archived_ids: tuple[str, ...]
    task_state_before: TaskState
    task_state_after: TaskState
    counters_before: dict[str, object]
    metrics: dict[str, object]
    undone_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A row of the session list; read without loading a message. tokens: input and output."""

    id: str
    title: str
    model: str
    created_at: str
    updated_at: str
    messages: int
    tokens: int
    compactions: int
    cwd: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A stored row of the screen that is no message: compactions, breaks, hints.

    after_message_id: the message it stands behind, "" for the top.
    """

    id: str
    session_id: str
    created_at: str
    after_message_id: str
    kind: str
    payload: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that answers a search.

    message_id: works with SessionStore.record and the recall tool.
    snippet: the passage that fits best, on one line, a few hundred characters.
    tool_name: of a tool's result, else "".
    archived: a compaction took the message out of the compacted view.
    score: higher is better; only the order within one search means anything.
    """

    session_id: str
    message_id: str
    role: str
    snippet: str
    created_at: str
    archived: bool
    score: float
    tool_name: str = ""

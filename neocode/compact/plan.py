"""Which messages are archived and which stay (spec/context 7, "Strategies"). Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neocode.config.schema import Strategy
from neocode.domain.blocks import Block, group
from neocode.domain.events import TriggerMode
from neocode.domain.messages import Message

CountTokens = Callable[[Message], int]
"""Estimated tokens of one message."""

LEAST_ARCHIVE_TOKENS = 50
"""The smallest valid summary is about this large: less is not worth archiving."""
LEAST_TAIL_MESSAGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """What a strategy is told.

    keep_messages: keep_recent keeps whole blocks until this many messages are held.
    protect_first: token_budget's head; counts the system prompt as one.
    tail_tokens: token_budget's tail.
    """

    keep_messages: int = 10
    protect_first: int = 3
    tail_tokens: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be archived and what stays; every message stands in exactly one part.

    archived: in order, without old_summaries; together whole blocks.
    old_summaries: earlier summaries among the live messages, archived too.
    kept_head: stays before the summary.
    carried: the newest user message, when all around it is archived.
    kept_tail: stays after the summary.
    replaced: (message as stored, shortened copy with the same id); the copy stands in a
        kept part (shrink.py).
    reason: why there is nothing to archive; "" when there is.
    """

    strategy: Strategy
    archived: tuple[Message, ...] = ()
    old_summaries: tuple[Message, ...] = ()
    kept_head: tuple[Message, ...] = ()
    carried: tuple[Message, ...] = ()
    kept_tail: tuple[Message, ...] = ()
    replaced: tuple[tuple[Message, Message], ...] = ()
    reason: str = ""

    @property
    def kept(self) -> tuple[Message, ...]:
        """Every message that stays, in order."""
        return self.kept_head + self.carried + self.kept_tail

    @property
    def is_prune(self) -> bool:
        """True when results are shortened and nothing is archived that needs a summary."""
        return bool(self.replaced) and not self.archived

    @property
    def applies(self) -> bool:
        """True when carrying the plan out would change anything."""
        return bool(self.archived or self.replaced)

    @property
    def archived_ids(self) -> tuple[str, ...]:
        """Ids of all records that the compaction archives, earlier summaries included."""
        summaries = self.old_summaries if self.archived else ()
        return tuple(message.id for message in summaries + self.archived)

    def live(self, summary: Message | None) -> tuple[Message, ...]:
        """The history after the compaction; the summary stands where the archive was.

        None (nothing but shortening): earlier summaries stay in its place.
        """
        middle = self.old_summaries if summary is None else (summary,)
        return self.kept_head + middle + self.carried + self.kept_tail


def strategy_for(mode: TriggerMode, wanted: Strategy) -> Strategy:
    """The strategy in force: auto and reactive use keep_recent unless token_budget is set."""
    if mode == "manual" or wanted == "token_budget":
        return wanted
    return "keep_recent"


def plan(
    messages: Sequence[Message],
    strategy: Strategy,
    settings: PlanSettings,
    count: CountTokens,
) -> Plan:
    """Divide the live messages. Blocks are never split; the newest user message stays."""
    blocks = group(messages)
    summaries = {i for i, block in enumerate(blocks) if block.messages[0].is_compaction_summary}
    usable = [i for i in range(len(blocks)) if i not in summaries]
    head: set[int] = set()
    if strategy == "token_budget":
        if len(messages) + 1 <= settings.protect_first:
            return nothing(messages, strategy, "the session is shorter than its protected head")
        head = _head(blocks, usable, settings.protect_first - 1)
        tail = _budget_tail(blocks, usable, settings.tail_tokens, count)
    elif strategy == "full_replace":
        tail = _unanswered(blocks, usable)
    else:
        tail = _recent(blocks, usable, settings.keep_messages)
    made = divide(blocks, strategy, head, tail)
    if not made.archived:
        return nothing(messages, strategy, "everything is recent enough to stay")
    if sum(map(count, made.archived)) < LEAST_ARCHIVE_TOKENS:
        return nothing(messages, strategy, "what could be archived is smaller than a summary")
    return made


def divide(blocks: Sequence[Block], strategy: Strategy, head: set[int], tail: set[int]) -> Plan:
    """The plan that keeps the blocks with these indexes, and the newest user message."""
    summaries: list[Message] = []
    archived: list[Message] = []
    carried: list[Message] = []
    kept_head: list[Message] = []
    kept_tail: list[Message] = []
    user = newest_user(blocks)
    for index, block in enumerate(blocks):
        if block.messages[0].is_compaction_summary:
            summaries.extend(block.messages)
        elif index in head:
            kept_head.extend(block.messages)
        elif index in tail:
            kept_tail.extend(block.messages)
        else:
            (carried if index == user else archived).extend(block.messages)
    return Plan(
        strategy=strategy,
        archived=tuple(archived),
        old_summaries=tuple(summaries),
        kept_head=tuple(kept_head),
        carried=tuple(carried),
        kept_tail=tuple(kept_tail),
    )


def newest_user(blocks: Sequence[Block]) -> int:
    """Index of the block that holds the newest user message; -1 when there is none."""
    return next((i for i in range(len(blocks) - 1, -1, -1) if blocks[i].is_user), -1)


def nothing(messages: Sequence[Message], strategy: Strategy, reason: str) -> Plan:
    """All stays, in its order: what stands before an earlier summary is the head."""
    rest = tuple(m for m in messages if not m.is_compaction_summary)
    at = next((i for i, m in enumerate(messages) if m.is_compaction_summary), 0)
    return Plan(
        strategy=strategy,
        old_summaries=tuple(m for m in messages if m.is_compaction_summary),
        kept_head=rest[:at],
        kept_tail=rest[at:],
        reason=reason,
    )


def _recent(blocks: Sequence[Block], usable: Sequence[int], keep: int) -> set[int]:
    tail: set[int] = set()
    held = 0
    for index in reversed(usable):
        if held >= keep:
            break
        tail.add(index)
        held += len(blocks[index])
    return tail


def _unanswered(blocks: Sequence[Block], usable: Sequence[int]) -> set[int]:
    """What no reply of the model followed yet: trailing prompts, and the last results."""
    tail: set[int] = set()
    for index in reversed(usable):
        first = blocks[index].messages[0]
        if first.role == "assistant":
            if first.tool_calls:
                tail.add(index)
            break
        tail.add(index)
    return tail


def _head(blocks: Sequence[Block], usable: Sequence[int], messages: int) -> set[int]:
    """The first blocks until this many messages are held, and results that lost their call."""
    head: set[int] = set()
    held = 0
    for index in usable:
        is_orphan = blocks[index].messages[0].role == "tool"
        if held >= messages and not (is_orphan and head):
            break
        head.add(index)
        held += len(blocks[index])
    return head


def _budget_tail(
    blocks: Sequence[Block], usable: Sequence[int], tokens: int, count: CountTokens
) -> set[int]:
    tail: set[int] = set()
    held = spent = 0
    for index in reversed(usable):
        cost = sum(map(count, blocks[index].messages))
        if spent + cost > tokens and held >= LEAST_TAIL_MESSAGES:
            break
        tail.add(index)
        held += len(blocks[index])
        spent += cost
    return tail

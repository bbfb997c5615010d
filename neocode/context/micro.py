"""Micro compact: old tool results cleared at reading time, in rare batches (spec/context 5).

Everything clearable at or before a stored edge is cleared; the edge moves when keeping
the text has cost as much as clearing it would: each request pays a little rent for
re-reading it from the provider's cache, a move buys it out by having the rest of the
prompt written anew (rent or buy). Between two moves each request begins with the whole
previous one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from neocode.context.standin import stand_in
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message, ToolCall
from neocode.domain.usage import Price

LEAST_CHARS = 200
LEAST_SHARE = 0.05
EXPECTED_SHARE = 0.5
TAIL_WEIGHT = 1.1
_CACHE_LIMIT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Price of a prompt token, relative to plain input: read from the cache, written anew."""

    cached: float = 0.1
    fresh: float = 1.25


def relative_prices(price: Price | None) -> Prices:
    """A model's prices as ratios; the defaults where they are unknown or zero."""
    if price is None or not price.input:
        return Prices()
    cached = 0.1 if price.cached_input is None else price.cached_input / price.input
    fresh = 1.25 if price.cache_write is None else price.cache_write / price.input
    return Prices(cached=cached, fresh=max(fresh, cached))


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStats:
    """What is known before the edge moves, in tokens.

    freed: what a move would take out of the request. request: its size without the move.
    between: what stays from the first newly cleared result up to the protected blocks.
    tail: protected blocks that were sent before; what was never sent is written anyway.
    rent: SessionState.micro_rent. calls: replies in the live history. pressed: the request
    is so near to the window that room counts for more than money.
    """

    freed: int
    request: int
    between: int
    tail: int
    rent: float
    calls: int
    pressed: bool = False


def should_move(stats: EdgeStats, prices: Prices, min_tokens: int) -> bool:
    """Whether the edge moves: enough is freed at once, and staying has become the dearer way.

    Two conditions. The rent has reached what writing the tail anew costs: that part of a
    move's price is the same whenever it comes, so paying it often is as wrong as waiting
    long (the rest grows with the history and is paid once in any case). And the move is
    expected to pay: sessions go on about half as long as they have.
    """
    if stats.freed <= 0 or stats.freed < max(min_tokens, LEAST_SHARE * stats.request):
        return False
    if stats.pressed:
        return True
    surcharge = prices.fresh - prices.cached
    saved = stats.freed * prices.cached * stats.calls * EXPECTED_SHARE
    pays = saved >= (stats.between + stats.tail) * surcharge
    return pays and stats.rent >= TAIL_WEIGHT * stats.tail * surcharge


def next_rent(stats: EdgeStats, prices: Prices) -> float:
    """The rent after one more request in which the edge stayed."""
    return stats.rent + stats.freed * prices.cached


@dataclass(slots=True)
class Survey:
    """What the edge leaves and what a move would do.

    messages: the projection with the edge where it is. moved: with the edge moved to
    new_edge, or the same list when there is nothing more to clear. cleared, newly: ids.
    freed_before: tokens that the present edge frees. first: index of the first message
    that a move would change; protected: of the oldest of the newest blocks.
    """

    messages: list[Message]
    moved: list[Message]
    cleared: list[str] = field(default_factory=list)
    newly: list[str] = field(default_factory=list)
    freed_before: int = 0
    freed: int = 0
    first: int = 0
    protected: int = 0
    new_edge: str = ""


class Projector:
    """Projects histories; remembers the stand-ins it made. Results do not depend on that."""

    def __init__(
        self, counter: TokenCounter, *, keep_blocks: int, preserving: Collection[str] = ()
    ) -> None:
        self._counter = counter
        self._keep = keep_blocks
        self._preserving = frozenset(preserving)
        self._made: dict[int, tuple[Message, Message | None]] = {}

    def survey(self, messages: Sequence[Message], edge: str, model_id: str) -> Survey:
        """Project a paired list (validate.pair_up). edge: a message id, "" for none."""
        kept = list(messages)
        result = Survey(kept, kept)
        protected = self._protected_from(messages)
        result.protected = protected
        edge_index = _edge_index(messages, edge)
        calls: dict[str, ToolCall] = {}
        moved: list[Message] | None = None
        for index in range(protected):
            message = messages[index]
            if message.tool_calls:
                calls = {call.id: call for call in message.tool_calls}
            if message.role != "tool":
                continue
            short = self._short(message, calls)
            if short is None:
                continue
            freed = self._freed(message, short, model_id)
            if index <= edge_index:
                kept[index] = short
                result.cleared.append(message.id)
                result.freed_before += freed
                continue
            if moved is None:
                moved, result.first = list(kept), index
            moved[index] = short
            result.newly.append(message.id)
            result.freed += freed
            result.new_edge = message.id
        if moved is not None:
            result.moved = moved
        return result

    def _protected_from(self, messages: Sequence[Message]) -> int:
        """Index of the oldest of the newest tool blocks that stay whole."""
        blocks = 0
        for index in range(len(messages) - 1, -1, -1):
            if messages[index].tool_calls:
                blocks += 1
                if blocks == self._keep:
                    return index
        return 0

    def _short(self, message: Message, calls: dict[str, ToolCall]) -> Message | None:
        """The stand-in, or None when this result is never cleared."""
        known = self._made.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        if len(self._made) > _CACHE_LIMIT:
            self._made.clear()
        short = self._make(message, calls.get(message.tool_call_id or ""))
        self._made[id(message)] = (message, short)
        return short

    def _make(self, message: Message, call: ToolCall | None) -> Message | None:
        name = (call.name if call else None) or message.tool_name or ""
        if message.is_error or message.images or len(message.content) < LEAST_CHARS:
            return None
        if name in self._preserving or message.tool_name in self._preserving:
            return None
        short = stand_in(message, call)
        return short if len(short.content) < len(message.content) else None

    def _freed(self, message: Message, short: Message, model_id: str) -> int:
        count = self._counter.count_message
        return max(0, count(message, model_id) - count(short, model_id))


def _edge_index(messages: Sequence[Message], edge: str) -> int:
    """Where the edge stands; -1 when there is none or its message is not live any more.

    Looked for in the whole list: after an undo, or with a larger number of protected
    blocks, it may lie among those; they stay whole.
    """
    if not edge:
        return -1
    return next((i for i, m in enumerate(messages) if m.id == edge), -1)

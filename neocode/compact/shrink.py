"""Making the kept part smaller: shortened tool results, then fewer blocks (spec/context 7.8).

A shortened result keeps its id and its place: the store keeps the copy beside the record
as it was written and shows the copy while the compaction holds. So undo is exact, and
recall finds the whole text by the same id.
"""

from collections.abc import Sequence
from dataclasses import replace

from neocode.compact.cut import head_and_tail
from neocode.compact.plan import CountTokens, Plan, divide, newest_user
from neocode.domain.blocks import group
from neocode.domain.messages import Message

SHORTENED = "shortened_from_chars"
"""Metadata of a shortened result: how long it was, in characters."""
CAPS = (16_000, 6_000, 2_000)
"""Characters that a large tool result keeps, tried in order."""
LAST_CAP = 600
CLEARABLE_CHARS = 200
"""Results up to this long are never cleared (W)."""

Pairs = Sequence[tuple[Message, Message]]


def fit(plan: Plan, room: int, count: CountTokens) -> Plan:
    """The plan, changed until its kept part fits into room tokens, or cannot shrink more.

    The newest user message stays whole, the newest block stays.
    """
    for cap in CAPS:
        if _tokens(plan, count) <= room:
            return plan
        plan = cap_results(plan, cap)
    plan = _fewer_blocks(plan, room, count)
    return plan if _tokens(plan, count) <= room else cap_results(plan, LAST_CAP)


def cap_results(plan: Plan, cap: int) -> Plan:
    """Cut each kept tool result over cap characters to head and tail."""
    cut = [
        (message, shortened(message, cap))
        for message in plan.kept
        if message.role == "tool" and len(message.content) > cap
    ]
    return substitute(plan, [(message, copy) for message, copy in cut if copy is not message])


def clear_old_results(
    messages: Sequence[Message],
    tail_tokens: int,
    count: CountTokens,
    preserve: frozenset[str] = frozenset(),
) -> list[tuple[Message, Message]]:
    """token_budget's phase 1: stand-ins for results that lie before the tail budget.

    Only results over 200 characters; tools named in preserve keep theirs. In order.
    """
    spent, cleared = 0, []
    for message in reversed(messages):
        spent += count(message)
        is_clearable = message.role == "tool" and len(message.content) > CLEARABLE_CHARS
        if spent > tail_tokens and is_clearable and message.tool_name not in preserve:
            cleared.append((message, _cleared(message)))
    return cleared[::-1]


def substitute(plan: Plan, pairs: Pairs) -> Plan:
    """Put copies in the place of kept messages; pairs of other messages are ignored.

    A copy that is shortened once more still belongs to its stored original.
    """
    kept = {message.id for message in plan.kept}
    copies = {message.id: copy for message, copy in pairs if message.id in kept}
    originals = {original.id: original for original, _ in plan.replaced}
    old = tuple(pair for pair in plan.replaced if pair[0].id not in copies)
    new = tuple(
        (originals.get(message.id, message), copies[message.id])
        for message, _ in pairs
        if message.id in copies
    )

    def swap(part: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(copies.get(message.id, message) for message in part)

    return replace(
        plan,
        kept_head=swap(plan.kept_head),
        carried=swap(plan.carried),
        kept_tail=swap(plan.kept_tail),
        replaced=old + new,
    )


def _fewer_blocks(plan: Plan, room: int, count: CountTokens) -> Plan:
    """Archive the oldest kept blocks: of the tail first, then of the head from its end."""
    blocks = group(_in_order(plan))
    user = newest_user(blocks)
    head_ids, tail_ids = _ids(plan.kept_head), _ids(plan.kept_tail)
    head = {i for i, block in enumerate(blocks) if block.messages[0].id in head_ids}
    tail = {i for i, block in enumerate(blocks) if block.messages[0].id in tail_ids}
    newest = max(tail or head, default=-1)
    spare = [i for i in (*sorted(tail), *sorted(head, reverse=True)) if i not in (user, newest)]
    size = _tokens(plan, count)
    for index in spare:
        if size <= room:
            break
        size -= sum(map(count, blocks[index].messages))
        head.discard(index)
        tail.discard(index)
    made = divide(blocks, plan.strategy, head, tail)
    originals = {original.id: original for original, _ in plan.replaced}
    archived = tuple(originals.get(message.id, message) for message in made.archived)
    still = _ids(made.kept)
    pairs = tuple(pair for pair in plan.replaced if pair[0].id in still)
    reason = "" if archived else plan.reason
    return replace(made, archived=archived, replaced=pairs, reason=reason)


def _in_order(plan: Plan) -> list[Message]:
    """All parts as one list; the carried prompt is newer than any other prompt in it."""
    parts = (plan.old_summaries, plan.kept_head, plan.archived, plan.carried, plan.kept_tail)
    return [message for part in parts for message in part]


def shortened(message: Message, cap: int) -> Message:
    """The result cut to about cap characters of head and tail; itself when short enough."""
    note = f"{{n:,}} characters left out; the whole result: recall {message.id}"
    text = head_and_tail(message.content, cap * 2 // 3, cap // 3, note)
    return message if text == message.content else _copy(message, text)


def _cleared(message: Message) -> Message:
    first = " ".join(message.content[:400].split())[:60]
    text = (
        f"[old tool output cleared to save room: {message.tool_name or 'tool'}, "
        f"{len(message.content):,} characters, began: {first}; recall {message.id}]"
    )
    return _copy(message, text)


def _copy(message: Message, text: str) -> Message:
    chars = message.metadata.get(SHORTENED, len(message.content))
    return replace(message, content=text, images=()).with_metadata(**{SHORTENED: chars})


def _tokens(plan: Plan, count: CountTokens) -> int:
    return sum(map(count, plan.kept))


def _ids(messages: Sequence[Message]) -> set[str]:
    return {message.id for message in messages}

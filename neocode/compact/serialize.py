"""Archived messages as plain, marked text for a summary request (spec/context 7.5). Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neocode.compact.cut import head_and_tail
from neocode.domain.blocks import Block
from neocode.domain.messages import Message

CountText = Callable[[str], int]
"""Estimated tokens of a text."""

_SAMPLE_CHARS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of each message is shown: characters of head and tail.

    text: what user and assistant wrote. result: a tool's result. call: a call's arguments.
    """

    text: tuple[int, int]
    result: tuple[int, int]
    call: tuple[int, int]


JSON_LIMITS = (
    Limits(text=(4000, 1500), result=(1500, 500), call=(600, 200)),
    Limits(text=(2000, 800), result=(600, 200), call=(300, 100)),
    Limits(text=(1000, 300), result=(200, 80), call=(150, 50)),
    Limits(text=(400, 120), result=(80, 40), call=(80, 40)),
)
"""Each level is smaller than the one before."""
HANDOFF_LIMITS = (Limits(text=(4000, 1500), result=(4000, 1500), call=(4000, 1500)), *JSON_LIMITS)
"""W: head 4,000 and tail 1,500 characters of everything first."""


def serialize(block: Block, limits: Limits) -> str:
    """A block as "[ROLE] content" paragraphs; reasoning and images are left out."""
    return "\n\n".join(part for message in block.messages for part in _parts(message, limits))


def _parts(message: Message, limits: Limits) -> list[str]:
    if message.role == "tool":
        label = f"TOOL {message.tool_name or ''}".strip() + (" ERROR" if message.is_error else "")
        return [f"[{label}] {_cut(message.content, limits.result)}"]
    parts = []
    content = message.content.strip()
    if content or not message.tool_calls:
        broken = " (broken off)" if message.metadata.get("interrupted") else ""
        parts.append(f"[{message.role.upper()}{broken}] {_cut(content, limits.text)}")
    if message.images:
        parts[-1] += f" [{len(message.images)} image(s)]"
    for call in message.tool_calls:
        parts.append(f"[ASSISTANT CALLS {call.name}] {_cut(call.arguments, limits.call)}")
    return parts


def _cut(text: str, limit: tuple[int, int]) -> str:
    return head_and_tail(text, *limit)


def mark(name: str, material: str) -> str:
    """Material between tags that it cannot close itself."""
    safe = material.replace(f"</{name}", f"< /{name}").replace(f"<{name}", f"< {name}")
    return f"<{name}>\n{safe}\n</{name}>"


def tokens_per_char(text: str, count: CountText) -> float:
    """A cautious rate for a long text, from samples of its start, middle and end."""
    if not text:
        return 1.0
    middle = max(0, len(text) // 2 - _SAMPLE_CHARS // 2)
    samples = (text[:_SAMPLE_CHARS], text[middle : middle + _SAMPLE_CHARS], text[-_SAMPLE_CHARS:])
    return max(count(sample) / len(sample) for sample in samples)


def take(
    blocks: Sequence[Block], levels: Sequence[Limits], budget: int, pieces: int, count: CountText
) -> tuple[str, int]:
    """The next piece: its text in at most budget tokens, and how many blocks it covers.

    The first level is chosen with which all blocks need at most that many pieces; with
    none of them, the middle of the conversation is left out and the text says so.
    budget: tokens, at least 1. At least one block is covered.
    """
    texts: list[str] = []
    for limits in levels:
        texts = [serialize(block, limits) for block in blocks]
        rate = max(tokens_per_char("\n\n".join(texts), count), 0.05)
        room = max(1, int(budget / rate))
        if sum(len(text) + 2 for text in texts) <= room * pieces:
            break
    else:
        texts = _thin(texts, room * pieces)
    return _fill(texts, room)


def _fill(texts: Sequence[str], room: int) -> tuple[str, int]:
    used, size = 0, 0
    for text in texts:
        if used and size + len(text) + 2 > room:
            break
        used += 1
        size += len(text) + 2
    piece = "\n\n".join(text for text in texts[:used] if text)
    if len(piece) > room:
        piece = head_and_tail(piece, room * 3 // 5, room * 2 // 5)[:room]
    return piece, used


def _thin(texts: Sequence[str], room: int) -> list[str]:
    """Keep the start and the newest part; a left-out block becomes an empty text."""
    head, tail = room // 4, room * 5 // 8
    kept = [""] * len(texts)
    front = _spend(range(len(texts)), texts, head)
    back = _spend(range(len(texts) - 1, front - 1, -1), texts, tail)
    for index in (*range(front), *range(len(texts) - back, len(texts))):
        kept[index] = texts[index]
    left_out = len(texts) - back - front
    if left_out > 0:
        kept[front] = f"[… {left_out} steps left out for want of room …]"
    return kept


def _spend(order: range, texts: Sequence[str], room: int) -> int:
    """How many texts of this order fit into room characters."""
    size = 0
    for used, index in enumerate(order):
        size += len(texts[index]) + 2
        if size > room:
            return used
    return len(order)

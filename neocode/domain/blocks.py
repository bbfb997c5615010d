"""Blocks: the atomic units that are kept or archived whole (spec/context 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from neocode.domain.messages import Message


@dataclass(frozen=True, slots=True)
class Block:
    """An assistant message with every result that answers it, or one other message.

    start, stop: half-open range of indexes into the list that was grouped.
    """

    messages: tuple[Message, ...]
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def has_tool_calls(self) -> bool:
        """True when the block opens with a reply that calls tools."""
        return bool(self.messages[0].tool_calls)

    @property
    def is_user(self) -> bool:
        """True for a message that the user wrote; a compaction's summary is not one."""
        first = self.messages[0]
        return first.role == "user" and not first.is_compaction_summary


def group(messages: Sequence[Message]) -> list[Block]:
    """Cut a list into blocks, in order and without gaps.

    A result that answers no open call (an orphan) is a block of its own.
    """
    blocks: list[Block] = []
    index = 0
    while index < len(messages):
        stop = index + 1
        wanted = {call.id for call in messages[index].tool_calls}
        while stop < len(messages) and messages[stop].role == "tool":
            if messages[stop].tool_call_id not in wanted:
                break
            stop += 1
        blocks.append(Block(tuple(messages[index:stop]), index, stop))
        index = stop
    return blocks

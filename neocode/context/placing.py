"""Where things stand in a request: the summary's place, the preamble, the cache marks."""

from collections.abc import Sequence

from neocode.context.preamble import Preamble
from neocode.domain.messages import Message
from neocode.domain.session import SessionState

PREAMBLE_ID = "context_notes"


def live_messages(
    messages: Sequence[Message],
) -> tuple[Sequence[Message], frozenset[str], Message | None]:
    """Live messages without summaries; ids before the newest summary; that summary.

    Without a summary the messages come back as they are, and nothing stands before it.
    """
    if not any(m.is_compaction_summary or m.compacted_at for m in messages):
        return messages, frozenset(), None
    live = [m for m in messages if not m.compacted_at]
    places = [index for index, m in enumerate(live) if m.is_compaction_summary]
    if not places:
        return live, frozenset(), None
    before = frozenset(m.id for m in live[: places[-1]])
    return [m for m in live if not m.is_compaction_summary], before, live[places[-1]]


def insert_preamble(
    messages: list[Message], before: frozenset[str], preamble: Preamble, session: SessionState
) -> tuple[list[Message], int]:
    """The preamble as a user message where the archive was, else first; and its index.

    before: ids that stand before the summary. A block is never parted. Without a
    preamble the list comes back with index -1.
    """
    text = preamble.text
    if not text:
        return messages, -1
    place = 0
    if before:
        place = next(
            (i for i, m in enumerate(messages) if m.role != "tool" and m.id not in before),
            len(messages),
        )
    note = Message(id=PREAMBLE_ID, created_at=session.created_at, role="user", content=text)
    return [*messages[:place], note, *messages[place:]], place


def index_of(messages: Sequence[Message], message_id: str) -> int:
    """Index of the message, searched from the end; -1 when it is not there."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].id == message_id:
            return index
    return -1


def archivable(messages: Sequence[Message]) -> bool:
    """True when something stands besides the newest user message and the newest block."""
    start = len(messages) - 1
    while start > 0 and messages[start].role == "tool":
        start -= 1
    users = [i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "user"][:1]
    return start - sum(1 for index in users if index < start) > 0


def breakpoints(sent: Sequence[Message], preamble_place: int) -> tuple[int, ...]:
    """Indexes after which a cache mark pays: the preamble, the last request's end, the end.

    With the system prompt's own mark that makes four, the most that Anthropic takes. The
    end of the last request matters when many parallel calls stand between it and the end.
    """
    if not sent:
        return ()
    marks = {len(sent) - 1}
    reply = next((i for i in range(len(sent) - 1, -1, -1) if sent[i].role == "assistant"), 0)
    if reply > 0:
        marks.add(reply - 1)
    if preamble_place >= 0:
        marks.add(_preamble_index(sent, preamble_place))
    return tuple(sorted(marks))


def _preamble_index(sent: Sequence[Message], place: int) -> int:
    """Where the preamble came to stand after joining: its own message, or its neighbour."""
    for index in range(min(place + 1, len(sent) - 1), -1, -1):
        if sent[index].id == PREAMBLE_ID:
            return index
    return min(place, len(sent) - 1)

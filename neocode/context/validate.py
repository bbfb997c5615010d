"""Whatever the history, a list that the strictest provider takes (spec/context 4).

Two steps, both pure. pair_up: every call has exactly one result and every result its call.
alternate: user and assistant take turns and the user begins. Between them the builder
projects and puts the preamble in. Messages that are right already pass as they are, the
same objects; signed reasoning in metadata is never touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from neocode.domain.messages import Message, ToolCall

INTERRUPTED = (
    "[interrupted: there is no result for this call. It may have run in part; "
    "check before repeating it.]"
)
NO_OUTPUT = "(no output)"
SILENCE = "[no message from the user here; go on]"
OPENING = "[the conversation begins here]"

RepairKind = Literal[
    "missing_result",
    "orphan_result",
    "second_result",
    "moved_result",
    "renamed_call",
    "hollow_reply",
    "empty_message",
    "unknown_role",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One thing that was mended.

    message_id: the message that was wrong; for missing_result the reply whose call had no
    result. stub: for missing_result the message that now stands in its place, to be
    stored directly behind that reply's other results.
    """

    kind: RepairKind
    message_id: str
    stub: Message | None = None


_SPOKEN = ("user", "assistant")


def repair(messages: Sequence[Message]) -> tuple[list[Message], list[Repair]]:
    """Both steps at once, for lists that are not projected."""
    paired, repairs = pair_up(messages)
    return alternate(paired), repairs


def pair_up(messages: Sequence[Message]) -> tuple[list[Message], list[Repair]]:
    """Calls and results joined; hollow, empty and unknown messages left out.

    Results stand directly behind their reply, in the order of its calls, from wherever
    they came later in the list; the first of several holds. Call ids become unique in
    order of appearance, so that a longer history renames nothing that was sent before.
    """
    if _is_paired(messages):
        return list(messages), []
    pairing = _Pairing()
    for message in messages:
        pairing.take(message)
    return pairing.finish()


def alternate(messages: Sequence[Message]) -> list[Message]:
    """The user begins, user neighbours are joined, a note parts assistant neighbours.

    A list that ends with an assistant message gets the note as its last: several
    providers refuse it otherwise. The same note stands there when the reply to it comes,
    so that the longer list begins with the shorter one.
    """
    done: list[Message] = []
    for message in messages:
        last = done[-1] if done else None
        if message.role == "user" and last is not None and last.role == "user":
            done[-1] = _joined(last, message)
            continue
        if message.role == "assistant" and (last is None or last.role == "assistant"):
            done.append(_note(message if last is None else last, last is None))
        done.append(message)
    if done and done[-1].role == "assistant":
        done.append(_note(done[-1], False))
    return done


def _is_paired(messages: Sequence[Message]) -> bool:
    """True when pair_up would change nothing; the common case, and a quick one."""
    seen: set[str] = set()
    wanted: list[str] = []
    for message in messages:
        role: str = message.role  # histories from elsewhere may hold any word
        if role == "tool":
            if not wanted or message.tool_call_id != wanted.pop():
                return False
            if not message.content or message.content.isspace():
                return False
            continue
        if wanted or not (message.content or message.tool_calls) or role not in _SPOKEN:
            return False
        if message.content.isspace():
            return False
        if not message.tool_calls:
            continue
        if role != "assistant":
            return False
        for call in message.tool_calls:
            if not call.id or call.id in seen:
                return False
            seen.add(call.id)
        wanted = [call.id for call in reversed(message.tool_calls)]
    return not wanted


class _Open:
    """A reply whose calls wait for results; slots are in the order of its calls."""

    def __init__(self, message: Message, original: Sequence[ToolCall]) -> None:
        self.message = message
        self.asked = [call.id for call in original]
        self.results: list[Message | None] = [None] * len(original)

    def place(self, result: Message) -> bool:
        """Put a result in its slot; false when every slot of that id has one already."""
        for index, call_id in enumerate(self.asked):
            if call_id == result.tool_call_id and self.results[index] is None:
                self.results[index] = self._fitted(result, index)
                return True
        return False

    def _fitted(self, result: Message, index: int) -> Message:
        call_id = self.message.tool_calls[index].id
        content = result.content
        if not content.strip():
            content = "" if result.images else NO_OUTPUT
        if result.tool_call_id == call_id and content == result.content:
            return result
        return replace(result, tool_call_id=call_id, content=content)


class _Pairing:
    """The work of pair_up, one message at a time."""

    def __init__(self) -> None:
        self.items: list[Message | _Open] = []
        self.repairs: list[Repair] = []
        self.used: set[str] = set()
        self.waiting: dict[str, list[_Open]] = {}

    def take(self, message: Message) -> None:
        role: str = message.role
        if role == "tool":
            self._result(message)
        elif role == "assistant":
            self._reply(message)
        elif role == "user":
            self._said(message)
        else:
            self._unknown(message, role)

    def finish(self) -> tuple[list[Message], list[Repair]]:
        done: list[Message] = []
        for item in self.items:
            if isinstance(item, Message):
                done.append(item)
                continue
            done.append(item.message)
            for index, result in enumerate(item.results):
                done.append(result or self._stub(item.message, index))
        return done, self.repairs

    def _note(self, kind: RepairKind, message: Message) -> None:
        self.repairs.append(Repair(kind=kind, message_id=message.id))

    def _result(self, message: Message) -> None:
        """Give it to the newest reply that waits for a result of this id."""
        waiting = self.waiting.get(message.tool_call_id or "")
        if waiting is None:
            self._note("orphan_result", message)
            return
        while waiting:
            reply = waiting[-1]
            if reply.place(message):
                if reply is not self.items[-1]:
                    self._note("moved_result", message)
                return
            waiting.pop()
        self._note("second_result", message)

    def _reply(self, message: Message) -> None:
        if not message.tool_calls:
            if message.is_hollow:
                self._note("hollow_reply", message)
            else:
                self.items.append(message)
            return
        calls = tuple(self._unique(call) for call in message.tool_calls)
        content = message.content if message.content.strip() else ""
        fitted = message
        if calls != message.tool_calls:
            self._note("renamed_call", message)
            fitted = replace(message, tool_calls=calls)
        if content != fitted.content:
            fitted = replace(fitted, content=content)
        reply = _Open(fitted, message.tool_calls)
        self.items.append(reply)
        for call_id in dict.fromkeys(reply.asked):
            self.waiting.setdefault(call_id, []).append(reply)

    def _said(self, message: Message) -> None:
        if not message.content.strip() and not message.images:
            self._note("empty_message", message)
            return
        self.items.append(replace(message, tool_calls=()) if message.tool_calls else message)

    def _unknown(self, message: Message, role: str) -> None:
        """Instructions of other programs' histories become the user's; the rest is dropped."""
        self._note("unknown_role", message)
        if role in ("system", "developer") and message.content.strip():
            self.items.append(replace(message, role="user", tool_calls=()))

    def _unique(self, call: ToolCall) -> ToolCall:
        base = call.id or "call"
        fresh, number = call.id or "call_1", 1
        while fresh in self.used:
            number += 1
            fresh = f"{base}_{number}"
        self.used.add(fresh)
        return call if fresh == call.id else replace(call, id=fresh)

    def _stub(self, reply: Message, index: int) -> Message:
        call = reply.tool_calls[index]
        stub = Message(
            id=f"{reply.id}_r{index}",
            created_at=reply.created_at,
            role="tool",
            content=INTERRUPTED,
            tool_call_id=call.id,
            tool_name=call.name,
            is_error=True,
            metadata={"interrupted": True},
        )
        self.repairs.append(Repair(kind="missing_result", message_id=reply.id, stub=stub))
        return stub


def _joined(first: Message, second: Message) -> Message:
    """Two user messages as one, word for word, with their pictures."""
    content = "\n\n".join(part for part in (first.content, second.content) if part)
    return replace(first, content=content, images=first.images + second.images)


def _note(beside: Message, opening: bool) -> Message:
    return Message(
        id=f"{beside.id}_note",
        created_at=beside.created_at,
        role="user",
        content=OPENING if opening else SILENCE,
    )

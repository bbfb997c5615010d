"""Judges an outgoing list of messages as the strictest provider would.

Independent of the code it judges: it shares no rule with neocode.context.validate.
"""

from collections.abc import Sequence

from neocode.domain.messages import Message


class InvalidRequest(AssertionError):
    """The provider would answer 400; the text says why and where."""


def check(messages: Sequence[Message]) -> None:
    """Raise InvalidRequest unless every provider takes the list.

    It is not empty, begins and ends on the user's side, user and assistant take turns
    (results belong to the turn of their calls), every call has exactly one result, in
    the calls' order and directly behind them, ids are unique, nothing is empty.
    """
    if not messages:
        raise InvalidRequest("there are no messages")
    if messages[0].role != "user":
        raise InvalidRequest(f"the first message is {messages[0].role}")
    if messages[-1].role == "assistant":
        raise InvalidRequest("the last message is the assistant's: a prefill")
    seen: set[str] = set()
    index = 0
    speaker = "assistant"
    while index < len(messages):
        message = messages[index]
        if message.role not in ("user", "assistant"):
            raise InvalidRequest(f"message {index}: a {message.role} message out of place")
        if message.role == speaker:
            raise InvalidRequest(f"message {index}: two {speaker} messages in a row")
        speaker = message.role
        _filled(message, index)
        index = _results(messages, index, seen)
        if message.tool_calls:
            # results stand on the user's side, but text of the user may follow them
            speaker = "tool"


def is_valid(messages: Sequence[Message]) -> bool:
    """check as a predicate."""
    try:
        check(messages)
    except InvalidRequest:
        return False
    return True


def _filled(message: Message, index: int) -> None:
    if message.role == "user":
        if message.tool_calls:
            raise InvalidRequest(f"message {index}: the user calls tools")
        if not message.content.strip() and not message.images:
            raise InvalidRequest(f"message {index}: empty user message")
        return
    if not message.content.strip() and not message.tool_calls:
        raise InvalidRequest(f"message {index}: empty assistant message")
    if message.content and not message.content.strip():
        raise InvalidRequest(f"message {index}: blank text beside calls")


def _results(messages: Sequence[Message], index: int, seen: set[str]) -> int:
    """Check the results behind a message; return the index after them."""
    after = index + 1
    for call in messages[index].tool_calls:
        if not call.id or call.id in seen:
            raise InvalidRequest(f"message {index}: call id {call.id!r} is not unique")
        seen.add(call.id)
        if after >= len(messages) or messages[after].role != "tool":
            raise InvalidRequest(f"message {index}: call {call.id} has no result")
        result = messages[after]
        if result.tool_call_id != call.id:
            raise InvalidRequest(f"message {after}: result of another call than {call.id}")
        if not result.content.strip() and not result.images:
            raise InvalidRequest(f"message {after}: empty result")
        after += 1
    return after

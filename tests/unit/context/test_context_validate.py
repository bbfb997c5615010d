"""Repairs one by one (spec/context 4; B19-B21), and the checker that judges them."""

from dataclasses import replace
from typing import Any

import pytest

from neocode.context.validate import (
    INTERRUPTED,
    NO_OUTPUT,
    OPENING,
    SILENCE,
    alternate,
    pair_up,
    repair,
)
from neocode.domain.messages import Image, Message
from tests.checker import InvalidRequest, check, is_valid
from tests.histories import assistant, call, result, user

SYSTEM: Any = "system"
U, V = user("u", "one"), user("v", "two")


def _kinds(*messages: Message) -> list[str]:
    return [r.kind for r in pair_up(messages)[1]]


def _sent(*messages: Message) -> list[Message]:
    sent, _ = repair(messages)
    check(sent)
    return sent


def test_a_missing_one_of_parallel_results_gets_a_stub_in_call_order() -> None:
    """B20."""
    sent = _sent(
        U,
        assistant("a", "", call("c1"), call("c2"), call("c3")),
        result("t3", "c3", "three"),
        result("t1", "c1", "one"),
    )
    assert [m.id for m in sent] == ["u", "a", "t1", "a_r1", "t3"]
    assert sent[3].content == INTERRUPTED
    assert sent[3].is_error
    assert sent[3].metadata == {"interrupted": True}


def test_a_result_that_came_late_goes_back_to_its_call() -> None:
    late = result("t1", "c1", "after the restart")
    messages = (U, assistant("a", "", call("c1")), V, assistant("b", "ok"), late)
    assert [m.id for m in _sent(*messages)][:3] == ["u", "a", "t1"]
    assert _kinds(*messages) == ["moved_result"]


def test_orphans_and_second_results_are_left_out() -> None:
    """B19, B21."""
    messages = (
        result("t0", "c9", "orphan"),
        U,
        assistant("a", "", call("c1")),
        result("t1", "c1", "first"),
        result("t2", "c1", "second"),
    )
    assert [m.id for m in _sent(*messages)] == ["u", "a", "t1"]
    assert _kinds(*messages) == ["orphan_result", "second_result"]


def test_call_ids_used_twice_become_unique_with_their_results() -> None:
    """Small servers number their calls anew in every reply."""
    messages = [U]
    for n in range(3):
        messages += [assistant(f"a{n}", "", call("call_0")), result(f"t{n}", "call_0", str(n))]
    sent = _sent(*messages)
    assert [m.content for m in sent if m.role == "tool"] == ["0", "1", "2"]
    ids = [c.id for m in sent for c in m.tool_calls]
    assert ids == ["call_0", "call_0_2", "call_0_3"]
    assert repair(messages[:3])[0] == sent[:3]


def test_equal_ids_in_one_reply_and_empty_ones() -> None:
    sent = _sent(
        U,
        assistant("a", "", call(""), call(""), call("x"), call("x")),
        result("t1", "", "1"),
        result("t2", "", "2"),
        result("t3", "x", "3"),
        result("t4", "x", "4"),
    )
    assert [m.content for m in sent[2:]] == ["1", "2", "3", "4"]


def test_hollow_empty_and_unknown_messages() -> None:
    odd: Any = "weather"
    messages = (
        replace(user("s", "be brief"), role=SYSTEM),
        assistant("h", "  \n"),
        user("e", " "),
        replace(user("w", "sunny"), role=odd),
        U,
    )
    assert [m.content for m in _sent(*messages)] == ["be brief\n\none"]
    assert _kinds(*messages) == ["unknown_role", "hollow_reply", "empty_message", "unknown_role"]


def test_an_empty_result_says_so() -> None:
    sent = _sent(U, assistant("a", " ", call("c")), result("t", "c", "\n"))
    assert sent[2].content == NO_OUTPUT
    assert sent[1].content == ""


def test_assistant_first_gets_an_opening() -> None:
    sent = _sent(assistant("a", "hello"), U)
    assert [m.content for m in sent] == [OPENING, "hello", "one"]


def test_user_neighbours_are_joined_with_their_pictures() -> None:
    image = Image(media_type="image/png", data="AA")
    sent = _sent(U, user("p", "", images=(image,)), V)
    assert len(sent) == 1
    assert sent[0].content == "one\n\ntwo"
    assert sent[0].images == (image,)


def test_assistant_neighbours_are_parted_by_the_note_that_ended_the_request_before() -> None:
    first = _sent(U, assistant("a", "part"))
    assert first[-1].content == SILENCE
    assert _sent(U, assistant("a", "part"), assistant("b", "rest"))[: len(first)] == first


def test_what_is_right_passes_as_the_same_objects() -> None:
    messages = [U, assistant("a", "x", call("c")), result("t", "c", "y"), V]
    sent = _sent(*messages)
    assert all(a is b for a, b in zip(sent, messages, strict=True))
    assert alternate([]) == []


@pytest.mark.parametrize(
    "bad",
    [
        [],
        [assistant("a", "x"), U],
        [U, V],
        [U, assistant("a", "x")],
        [U, assistant("a", "x"), assistant("b", "y"), V],
        [U, assistant("a", ""), V],
        [U, assistant("a", "", call("c")), V],
        [U, assistant("a", "", call("c")), result("t", "d", "x")],
        [U, assistant("a", "", call("c")), result("t", "c", "x"), result("t2", "c", "x")],
        [U, assistant("a", "", call("c"), call("c")), result("t", "c", "x"), result("s", "c", "x")],
        [U, assistant("a", "", call("c")), result("t", "c", "")],
        [U, result("t", "c", "x")],
        [user("e", " ")],
        [replace(U, tool_calls=(call("c"),)), result("t", "c", "x")],
        [U, assistant("a", " ", call("c")), result("t", "c", "x")],
        [replace(U, role=SYSTEM)],
    ],
)
def test_the_checker_refuses_what_some_provider_refuses(bad: list[Message]) -> None:
    with pytest.raises(InvalidRequest):
        check(bad)


def test_the_checker_takes_what_all_take() -> None:
    block = [assistant("a", "", call("c"), call("d")), result("t", "c", "x"), result("s", "d", "y")]
    assert is_valid([U, *block])
    assert is_valid([U, *block, V])
    assert is_valid([U, *block, assistant("b", "", call("e")), result("r", "e", "z")])

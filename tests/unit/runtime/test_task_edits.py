"""The user's edits of the TaskState: what holds whatever they are."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.compact.ledger import Ledger
from neocode.compact.merge import Sources, merge
from neocode.domain.errors import NeoCodeError
from neocode.domain.task_state import (
    LIST_FIELDS,
    MAX_FIELD_CHARS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    TEXT_FIELDS,
    TaskState,
)
from neocode.runtime import tasks

texts = st.one_of(
    st.sampled_from(["no tabs", "tabs", "none", "1", "2", " use tabs ", "别碰它"]),
    st.text(max_size=30),
    st.integers(390, 410).map(lambda size: "x" * size),
)
edits = st.lists(
    st.one_of(
        st.tuples(st.just("pin"), st.just(""), texts),
        st.tuples(st.just("unpin"), st.just(""), texts),
        st.tuples(st.just("set"), st.sampled_from(tasks.FIELDS), texts),
        st.tuples(st.just("add"), st.sampled_from(tasks.FIELDS), texts),
        st.tuples(st.just("drop"), st.sampled_from(tasks.FIELDS), st.integers(0, 3)),
    ),
    max_size=60,
)


def apply(state: TaskState, verb: str, field: str, value: object) -> TaskState:
    match verb:
        case "pin":
            return tasks.pin(state, str(value))
        case "unpin":
            return tasks.unpin(state, str(value))
        case "set":
            return tasks.set_text(state, field, str(value))
        case "add":
            return tasks.add_item(state, field, str(value))
        case _:
            return tasks.drop_item(state, field, int(str(value)))


@given(edits)
def test_limits_hold_and_pins_stand_among_the_constraints(
    made: list[tuple[str, str, object]],
) -> None:
    state = TaskState()
    for verb, field, value in made:
        with contextlib.suppress(NeoCodeError):
            state = apply(state, verb, field, value)
    assert set(state.pinned) <= set(state.user_constraints)
    assert len(set(state.pinned)) == len(state.pinned)
    for name in TEXT_FIELDS:
        assert len(getattr(state, name)) <= MAX_FIELD_CHARS
    for name in LIST_FIELDS:
        assert len(getattr(state, name)) <= MAX_ITEMS
        assert all(0 < len(item) <= MAX_ITEM_CHARS for item in getattr(state, name))
    assert tasks.check(state) == state
    assert tasks.describe(state)


@given(st.lists(texts, max_size=6), texts, texts)
def test_a_pinned_rule_comes_through_any_merge_unchanged(
    rules: list[str], goal: str, claimed: str
) -> None:
    """Whatever the summariser says of it, in its words or against it."""
    state = TaskState(goal="a goal", progress=("a step",))
    for rule in rules:
        with contextlib.suppress(NeoCodeError):
            state = tasks.pin(state, rule)
    model = TaskState(
        goal=goal or "g",
        progress=("p",),
        user_constraints=(claimed, *(f"{rule} and more" for rule in state.pinned)),
        decisions=tuple(f"withdrawn: {rule}" for rule in state.pinned),
    )
    made = merge(model, state, Ledger(), Sources(user_text=goal), "now")
    assert made.pinned == state.pinned
    assert set(state.pinned) <= set(made.user_constraints)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5, unique=True))
def test_unpin_is_the_reverse_of_pin(rules: list[str]) -> None:
    state = TaskState(user_constraints=("stays",))
    for rule in rules:
        state = tasks.pin(state, rule)
    assert [tasks.unpin(state, str(n)).pinned for n in range(1, len(rules) + 1)] == [
        tuple(r for r in rules if r != rule) for rule in rules
    ]
    for rule in rules:
        state = tasks.unpin(state, rule)
    assert (state.pinned, state.user_constraints) == ((), ("stays",))


def test_refusals_say_what_to_do() -> None:
    state = tasks.pin(tasks.pin(TaskState(), "use tabs"), "use relative imports")
    for which, words in {
        "use": "More than one",
        "spaces": "No pinned rule",
        "3": "no pinned rule 3",
        "": "No pinned rule",
    }.items():
        with pytest.raises(NeoCodeError, match=words) as refusal:
            tasks.unpin(state, which)
        assert "1. use tabs; 2. use relative imports" in refusal.value.hint
    with pytest.raises(NeoCodeError, match="pinned") as refusal:
        tasks.drop_item(state, "user-constraints", 2)
    assert "/unpin 2" in refusal.value.hint
    full = TaskState(user_constraints=tuple(f"rule {n}" for n in range(MAX_ITEMS)))
    with pytest.raises(NeoCodeError, match="33 items"):
        tasks.pin(full, "one more")
    assert tasks.pin(full, "rule 7").pinned == ("rule 7",)

"""The user's own edits of the TaskState, within the limits of spec/context 10. Pure.

Each function gives the state after the edit, or raises NeoCodeError with words.
"""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from neocode.domain.errors import NeoCodeError
from neocode.domain.task_state import (
    LIST_FIELDS,
    MAX_FIELD_CHARS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    TEXT_FIELDS,
    TaskState,
)

FIELDS = TEXT_FIELDS + LIST_FIELDS
RULES = "user_constraints"


def pin(state: TaskState, text: str) -> TaskState:
    """With a rule that every request and every compaction carries word for word."""
    rule = text.strip()
    if not rule:
        raise NeoCodeError("There is no rule to pin.", hint="/pin TEXT pins one.")
    if rule in state.pinned:
        number = state.pinned.index(rule) + 1
        raise NeoCodeError(f"This rule is pinned already, as number {number}.")
    pinned = (*state.pinned, rule)
    rest = tuple(item for item in state.user_constraints if item not in pinned)
    return check(replace(state, pinned=pinned, user_constraints=pinned + rest))


def unpin(state: TaskState, which: str) -> TaskState:
    """Without a pinned rule, named by its number from 1, its text, or a part of it."""
    rule = _pinned(state, which.strip())
    return replace(
        state,
        pinned=tuple(item for item in state.pinned if item != rule),
        user_constraints=tuple(item for item in state.user_constraints if item != rule),
    )


def set_text(state: TaskState, field: str, text: str) -> TaskState:
    """With another goal or next step; "" empties it."""
    name = field_named(field)
    if name in LIST_FIELDS:
        raise NeoCodeError(
            f"{name} is a list.",
            hint=f"/task add {name} TEXT puts an item into it, /task drop {name} N takes one out.",
        )
    return check(_with(state, name, text.strip()))


def add_item(state: TaskState, field: str, text: str) -> TaskState:
    """With one more item in a list: last, or first in key_artifacts (newest first)."""
    name, item = _list_named(field), text.strip()
    items: tuple[str, ...] = getattr(state, name)
    if not item:
        raise NeoCodeError("There is no text to add.", hint=f"/task add {name} TEXT")
    if item in items:
        raise NeoCodeError(f"{name} holds this already, as number {items.index(item) + 1}.")
    more = (item, *items) if name == "key_artifacts" else (*items, item)
    return check(_with(state, name, more))


def replace_item(state: TaskState, field: str, number: int, text: str) -> TaskState:
    """With other words for a list's item of this number, from 1; a pin goes with it."""
    name, item = _list_named(field), text.strip()
    items: tuple[str, ...] = getattr(state, name)
    if not 1 <= number <= len(items):
        raise NeoCodeError(f"{name} has no item {number} any more.", hint="/task shows them.")
    old = items[number - 1]
    if not item:
        return drop_item(state, name, number)
    if item != old and item in items:
        raise NeoCodeError(f"{name} holds this already, as number {items.index(item) + 1}.")
    changed = _with(state, name, (*items[: number - 1], item, *items[number:]))
    if name == RULES:
        pinned = tuple(item if rule == old else rule for rule in state.pinned)
        changed = replace(changed, pinned=pinned)
    return check(changed)


def drop_item(state: TaskState, field: str, number: int) -> TaskState:
    """Without a list's item of this number, from 1."""
    name = _list_named(field)
    items: tuple[str, ...] = getattr(state, name)
    if not 1 <= number <= len(items):
        holds = f"has {len(items)} items" if items else "is empty"
        raise NeoCodeError(f"{name} has no item {number}: it {holds}.", hint="/task shows them.")
    item = items[number - 1]
    if name == RULES and item in state.pinned:
        raise NeoCodeError(
            "This rule is pinned.", hint=f"/unpin {state.pinned.index(item) + 1} takes it away."
        )
    return _with(state, name, items[: number - 1] + items[number:])


def check(state: TaskState) -> TaskState:
    """The state as it may be stored, every pinned rule in user_constraints.

    Raises NeoCodeError for what is over a limit; nothing is cut by itself.
    """
    rules = state.user_constraints
    missing = tuple(rule for rule in state.pinned if rule not in rules)
    state = replace(state, user_constraints=missing + rules)
    for name in TEXT_FIELDS:
        _short_enough(name, getattr(state, name), MAX_FIELD_CHARS)
    for name in LIST_FIELDS:
        items = getattr(state, name)
        for item in items:
            _short_enough(f"An item of {name}", item, MAX_ITEM_CHARS)
        if len(items) > MAX_ITEMS:
            raise NeoCodeError(
                f"{name} would have {len(items)} items; {MAX_ITEMS} are the most.",
                hint=f"Take one out first: /task drop {name} N, or /unpin N for a pinned rule.",
            )
    return state


def field_named(text: str) -> str:
    """The field that a word means, whatever its case, "-" for "_"; raises NeoCodeError."""
    name = text.strip().lower().replace("-", "_")
    if name in FIELDS:
        return name
    near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    raise NeoCodeError(
        f"The task state has no field {text!r}.{guess}", hint=f"Fields: {', '.join(FIELDS)}."
    )


def describe(state: TaskState) -> str:
    """The state as plain lines, items numbered as /task drop and /unpin take them."""
    lines: list[str] = []
    if state.pinned:
        lines += ["pinned (until /unpin):", *_numbered(state.pinned)]
    for name in FIELDS:
        value = getattr(state, name)
        if isinstance(value, str):
            lines += [f"{name}: {value}"] if value else []
        elif value:
            lines += [f"{name}:", *_numbered(value)]
    if not lines:
        return (
            "The task state is empty. A compaction fills it; /pin TEXT and "
            "/task set goal TEXT do too."
        )
    changed = f"\nlast updated {state.last_updated_at}" if state.last_updated_at else ""
    return "\n".join(lines) + changed


def _numbered(items: Sequence[str]) -> list[str]:
    return [f"  {number}. {item}" for number, item in enumerate(items, 1)]


def _pinned(state: TaskState, which: str) -> str:
    if which in state.pinned:
        return which
    if not state.pinned:
        raise NeoCodeError("No rule is pinned.", hint="/pin TEXT pins one.")
    listed = "; ".join(f"{n}. {rule}" for n, rule in enumerate(state.pinned, 1))
    if which.isdecimal():
        if 1 <= int(which) <= len(state.pinned):
            return state.pinned[int(which) - 1]
        raise NeoCodeError(f"There is no pinned rule {which}.", hint=f"Pinned: {listed}")
    found = [rule for rule in state.pinned if which and which.lower() in rule.lower()]
    if len(found) == 1:
        return found[0]
    what = "More than one pinned rule has these words." if found else "No pinned rule says this."
    raise NeoCodeError(what, hint=f"/unpin NUMBER. Pinned: {listed}")


def _list_named(field: str) -> str:
    name = field_named(field)
    if name in TEXT_FIELDS:
        raise NeoCodeError(f"{name} is one text.", hint=f"/task set {name} TEXT replaces it.")
    return name


def _with(state: TaskState, name: str, value: object) -> TaskState:
    changes: dict[str, Any] = {name: value}
    return replace(state, **changes)


def _short_enough(what: str, text: str, most: int) -> None:
    if len(text) > most:
        raise NeoCodeError(
            f"{what} has {len(text):,} characters; {most:,} are the most.",
            hint="Shorten it. A long rule belongs into the project's AGENTS.md.",
        )

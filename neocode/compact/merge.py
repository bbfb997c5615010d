"""The TaskState after a compaction: what the model says and what code knows (spec/context 10).

Pure. Constraints and decisions do not vanish because a model forgot them; text from
files and tools does not become the user's wish; nothing is replaced by less.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from neocode.compact.cut import shorten
from neocode.compact.ledger import Ledger, artifacts
from neocode.compact.parse import InvalidSummary, is_none_word
from neocode.domain.task_state import (
    LIST_FIELDS,
    MAX_FIELD_CHARS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    TEXT_FIELDS,
    TaskState,
)

_WORD = re.compile(r"[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7a3]|[\w./#-]+")
_WITHDRAWN = re.compile(
    r"^\s*(?:withdrawn|no longer(?: valid| applies)?|dropped|superseded|取消|不再适用|撤回|已废弃)"
    r"\s*[:：]\s*(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NEGATIONS = frozenset(("not", "never", "no", "don", "without", "always", "only", "不", "别", "勿"))
_SAME = 0.8
"""Share of common words from which two items say the same."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where wishes may come from: user_text, what the user typed; tool_texts, results."""

    user_text: str = ""
    tool_texts: tuple[str, ...] = ()

    @cached_property
    def user_words(self) -> frozenset[str]:
        """The words that the user typed."""
        return frozenset(_words(self.user_text))

    @cached_property
    def tool_runs(self) -> str:
        """All results as runs of words; made once, since an archive may be megabytes."""
        return "\n".join(map(_flat, self.tool_texts))


def merge(
    model: TaskState, earlier: TaskState, ledger: Ledger, sources: Sources, now: str
) -> TaskState:
    """The new state, within the limits and stamped with now.

    Raises InvalidSummary when a rich earlier state would give way to a hollow one.
    """
    refuse_emptier(model, earlier)
    said = (*model.decisions, *model.user_constraints, *model.progress)
    withdrawn = [found.group(1) for item in said if (found := _WITHDRAWN.match(item))]
    wishes = [w for w in model.user_constraints if is_users(w, sources)]
    constraints = _keep(earlier.user_constraints, wishes, withdrawn)
    goal = model.goal if is_users(model.goal, sources) else ""
    merged = TaskState(
        goal=goal or earlier.goal,
        progress=_without_marks(model.progress) or earlier.progress,
        open_items=model.open_items,
        next_step=model.next_step,
        blockers=model.blockers,
        key_artifacts=_artifacts(model, earlier, ledger),
        decisions=_keep(earlier.decisions, model.decisions, withdrawn),
        user_constraints=_with_pinned(constraints, earlier.pinned),
        last_updated_at=now,
        pinned=earlier.pinned,
    )
    return limit(merged)


def refuse_emptier(model: TaskState, earlier: TaskState) -> None:
    """Raises InvalidSummary when the model lost all that only it can tell."""
    names = ("goal", "next_step", "progress", "open_items", "blockers")
    had = sum(bool(getattr(earlier, name)) for name in names)
    has = sum(bool(getattr(model, name)) for name in names)
    if had >= 2 and not has:
        raise InvalidSummary(
            "task_state has neither goal, progress, open_items nor next_step, "
            "but the current one has; it must be the complete state"
        )


def is_users(item: str, sources: Sources) -> bool:
    """False for a wish that stands in a tool's result and not in what the user typed."""
    words = set(_words(item))
    if len(words) < 4 or not sources.tool_texts:
        return True
    if len(words & sources.user_words) >= len(words) * 0.5:
        return True
    run = _flat(item)
    probe = run[: max(24, len(run) * 2 // 3)]
    return probe not in sources.tool_runs


def limit(state: TaskState) -> TaskState:
    """2,000 characters a text, 32 items a list, 400 characters an item.

    Too much progress: the oldest is joined. Other lists lose their oldest items, but
    pinned rules stay word for word, whatever their number and length.
    """
    texts = {name: shorten(getattr(state, name), MAX_FIELD_CHARS) for name in TEXT_FIELDS}
    lists = {name: _bounded(name, getattr(state, name), state.pinned) for name in LIST_FIELDS}
    return replace(state, **texts, **lists)  # type: ignore[arg-type]


def _bounded(name: str, items: Sequence[str], pinned: tuple[str, ...]) -> tuple[str, ...]:
    said = (item for item in items if item in pinned or not is_none_word(item))
    unique = list(dict.fromkeys(said))
    short = [item if item in pinned else shorten(item, MAX_ITEM_CHARS) for item in unique]
    over = len(short) - MAX_ITEMS
    if over <= 0:
        return tuple(short)
    if name == "progress":
        joined = "; ".join(short[: over + 1])
        if len(joined) > MAX_ITEM_CHARS:
            joined = _joined(short[: over + 1])
        return (joined, *short[over + 1 :])
    if name == "key_artifacts":
        return tuple(short[:MAX_ITEMS])
    loose = [item for item in short if item not in pinned][: max(0, over)]
    return tuple(item for item in short if item not in loose)


def _joined(items: Sequence[str]) -> str:
    """All items in one of 400 characters, each shortened to an equal share."""
    share = max(6, MAX_ITEM_CHARS // len(items) - 2)
    return shorten("; ".join(shorten(item, share) for item in items), MAX_ITEM_CHARS)


def _keep(earlier: Sequence[str], new: Sequence[str], withdrawn: Sequence[str]) -> tuple[str, ...]:
    """Earlier items in their old words and place, then the new ones that say more."""
    kept = [item for item in earlier if not any(_is_same(item, w) for w in withdrawn)]
    fresh = _without_marks(new)
    for index, item in enumerate(kept):
        longer = next((f for f in fresh if item in f and f != item), None)
        kept[index] = longer or item
    added = [item for item in fresh if not any(_is_same(item, old) for old in kept)]
    return tuple(dict.fromkeys(kept + added))


def _without_marks(items: Sequence[str]) -> tuple[str, ...]:
    return tuple(item for item in items if not _WITHDRAWN.match(item))


def _with_pinned(constraints: tuple[str, ...], pinned: tuple[str, ...]) -> tuple[str, ...]:
    rest = tuple(item for item in constraints if item not in pinned)
    return pinned + rest


def _artifacts(model: TaskState, earlier: TaskState, ledger: Ledger) -> tuple[str, ...]:
    """Changed files first; the model's own words about a file stand in for the bare count."""
    said = list(dict.fromkeys(model.key_artifacts + earlier.key_artifacts))
    room = MAX_ITEMS - min(len(model.key_artifacts), MAX_ITEMS // 3)
    made: list[str] = []
    for line in artifacts(ledger, room):
        path = line.partition(" (")[0]
        about = next((item for item in said if _names(item, path)), None)
        if about is None or line.startswith("read: "):
            made.append(line)
        elif about not in made:
            said.remove(about)
            made.append(about)
    rest = [item for item in said if not item.startswith("read: ") and not _counted(item, made)]
    return tuple(dict.fromkeys(made + rest))


def _names(item: str, path: str) -> bool:
    """True when an artifact is about this path, whole or from the project's folder on."""
    if path in item:
        return not item.startswith("read: ")
    tail = "/".join(path.split("/")[-3:])
    return path.count("/") > 2 and tail in item and not item.startswith("read: ")


def _counted(item: str, made: Sequence[str]) -> bool:
    """True for an old count of a file that stands in the list with a newer one."""
    path, paren, _ = item.partition(" (")
    return bool(paren) and any(line.startswith(path + " (") for line in made)


def _is_same(one: str, other: str) -> bool:
    if one.strip() == other.strip():
        return True
    a, b = set(_words(one)), set(_words(other))
    if not a or not b or any(_turns(word) for word in a ^ b):
        return False
    return len(a & b) >= _SAME * max(len(a), len(b))


def _turns(word: str) -> bool:
    """True for a word that makes another rule of the same sentence: a value, a negation."""
    return word in _NEGATIONS or any(char.isdigit() for char in word)


def _words(text: str) -> list[str]:
    return [word.lower().strip(".-") for word in _WORD.findall(text)]


def _flat(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower())

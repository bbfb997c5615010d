"""The user's own words, kept word for word beside the summary (spec/context 10). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from neocode.context.estimate import estimate_chars
from neocode.context.user_words import CUT_AT, cut_middle, select_words
from neocode.domain.messages import Message

WORDS_KEY = "user_words"
ANSWERS_KEY = "run_answers"
REMARK_CHARS = 600
LEAST_CHARS = 60
"""Shorter texts of the assistant ("Done.") hold no facts."""


@dataclass(frozen=True, slots=True)
class Kept:
    """words: archived user messages; answers: last answers of runs. Both oldest first."""

    words: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def keep_words(
    archived: Sequence[Message], earlier: Message | None, budget: int, for_answers: int = 0
) -> Kept:
    """The first user message and then the newest, each cut in the middle at 1,500 characters.

    earlier: the summary that is replaced; what it carried comes first. What the user's
    words leave of the budget (tokens) goes to the last answers of runs, newest first,
    and then to what the assistant said on the way, cut to 600 characters. for_answers:
    tokens that only these two may take besides.
    """
    said = [m.content.strip() for m in archived if m.role == "user" and not m.is_compaction_summary]
    words = list(
        dict.fromkeys([*_carried(earlier, WORDS_KEY), *map(cut_middle, filter(None, said))])
    )
    chosen = select_words(words, budget)
    left = budget - sum(map(estimate_chars, chosen)) + for_answers
    told = [(text, True) for text in _carried(earlier, ANSWERS_KEY)] + _told(archived)
    return Kept(tuple(chosen), tuple(_choose(told, left)))


def run_answers(messages: Sequence[Message]) -> list[str]:
    """The last text of the assistant before each user message, and at the end."""
    return [text for text, is_last in _told(messages, None) if is_last]


def _told(messages: Sequence[Message], cut: int | None = CUT_AT) -> list[tuple[str, bool]]:
    """Texts of the assistant in order, and whether each is the last of its run."""
    told: list[tuple[str, bool]] = []
    is_last = True
    for message in reversed(messages):
        text = message.content.strip()
        if message.role == "user":
            is_last = True
        elif message.role == "assistant" and text:
            limit = cut if cut is None or is_last else REMARK_CHARS
            told.append((cut_middle(text, limit) if limit else text, is_last))
            is_last = False
    return told[::-1]


def _choose(told: Sequence[tuple[str, bool]], budget: int) -> list[str]:
    """The newest answers that fit into budget tokens, then the newest remarks; in order."""
    chosen: set[int] = set()
    for wanted in (True, False):
        for index in range(len(told) - 1, -1, -1):
            text, is_last = told[index]
            if is_last is not wanted or len(text) < LEAST_CHARS:
                continue
            budget -= estimate_chars(text)
            if budget < 0:
                break
            chosen.add(index)
    return list(dict.fromkeys(told[index][0] for index in sorted(chosen)))


def _carried(summary: Message | None, key: str) -> list[str]:
    value = summary.metadata.get(key, ()) if summary else ()
    return [text for text in value if isinstance(text, str)]

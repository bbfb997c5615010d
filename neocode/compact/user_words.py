"""The user's own words, kept word for word beside the summary (spec/context 10). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from neocode.context.estimate import estimate_chars
from neocode.context.user_words import cut_middle, select_words
from neocode.domain.messages import Message

WORDS_KEY = "user_words"
ANSWERS_KEY = "run_answers"


@dataclass(frozen=True, slots=True)
class Kept:
    """words: archived user messages; answers: last answers of runs. Both oldest first."""

    words: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def keep_words(archived: Sequence[Message], earlier: Message | None, budget: int) -> Kept:
    """The first user message and then the newest, each cut in the middle at 1,500 characters.

    earlier: the summary that is replaced; what it carried comes first. What the user's
    words leave of the budget (tokens) goes to the last answers of runs, newest first.
    """
    said = [m.content.strip() for m in archived if m.role == "user" and not m.is_compaction_summary]
    words = _unique(_carried(earlier, WORDS_KEY), said)
    chosen = select_words(words, budget)
    left = budget - sum(map(estimate_chars, chosen))
    answers = _unique(_carried(earlier, ANSWERS_KEY), run_answers(archived))
    return Kept(tuple(chosen), tuple(_newest(answers, left)))


def run_answers(messages: Sequence[Message]) -> list[str]:
    """The last text of the assistant before each user message, and at the end."""
    answers: list[str] = []
    newest = ""
    for message in messages:
        if message.role == "user" and newest:
            answers.append(newest)
            newest = ""
        elif message.role == "assistant" and message.content.strip():
            newest = message.content.strip()
    return [*answers, newest] if newest else answers


def _carried(summary: Message | None, key: str) -> list[str]:
    value = summary.metadata.get(key, ()) if summary else ()
    return [text for text in value if isinstance(text, str)]


def _unique(carried: Sequence[str], new: Sequence[str]) -> list[str]:
    cut = [cut_middle(text) for text in new if text]
    return list(dict.fromkeys([*carried, *cut]))


def _newest(texts: Sequence[str], budget: int) -> list[str]:
    """The newest texts that fit into budget tokens, oldest first."""
    chosen: list[str] = []
    for text in reversed(texts):
        budget -= estimate_chars(text)
        if budget < 0:
            break
        chosen.append(text)
    return chosen[::-1]

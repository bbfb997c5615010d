"""The user's own archived messages, the cheapest memory there is (spec/context 10)."""

from collections.abc import Sequence

from neocode.context.estimate import estimate_chars

CUT_AT = 1500
_MARK = "\n[… {} characters left out …]\n"


def select_words(words: Sequence[str], limit_tokens: int) -> list[str]:
    """The first message, then the newest ones that fit; in their order of time.

    Each is cut in the middle at 1,500 characters. Counted by characters alone, so that
    the choice does not change when a tokenizer becomes ready. Choosing again from what
    was chosen gives the same.
    """
    order = [0, *range(len(words) - 1, 0, -1)] if words else []
    left = limit_tokens
    chosen: dict[int, str] = {}
    for index in order:
        text = cut_middle(words[index])
        cost = estimate_chars(text)
        if text.strip() and cost <= left:
            chosen[index] = text
            left -= cost
    return [chosen[index] for index in sorted(chosen)]


def cut_middle(text: str, limit: int = CUT_AT) -> str:
    """A text of at most limit characters: head, a note on how much is missing, and tail."""
    if len(text) <= limit:
        return text
    mark = _MARK.format(len(text))
    room = limit - len(mark)
    head, tail = room - room // 3, room // 3
    mark = _MARK.format(len(text) - head - tail)
    return text[:head] + mark + text[len(text) - tail :]

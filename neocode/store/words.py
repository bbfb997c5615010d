"""Words of the search index: lower-cased words, and pairs of CJK characters.

Chinese and Japanese are written without spaces, so a run of such characters is indexed
as its overlapping pairs and its last character: a word of two characters is one token,
and a single character is found as the beginning of one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_CJK_RANGES = (
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),  # hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x3134F),
)
_CJK = "".join(f"{chr(low)}-{chr(high)}" for low, high in _CJK_RANGES)
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "ly", "s", "e")
_LITTLE_WORDS = (
    "a an the this that these those it its is are was were be been being am do does did done "
    "has have had having will would shall should can could may might must not no nor and or "
    "but if then than so as of in on at to from by for with into onto over under about up out "
    "off between after before while when where which who whom whose what why how there here "
    "i you he she we they me him her us them my your his our their each any all some such"
)
_LITTLE = frozenset(_LITTLE_WORDS.split())
"""English words that questions are made of: they say how to ask, not what for."""
_LITTLE_WEIGHT = 0.1
MAX_WORD_CHARS = 48
_MIN_STEM = 4


@dataclass(frozen=True, slots=True)
class Term:
    """One word to look for. weight: 0 to 1, how much a find counts.

    is_prefix: longer words that begin so count too.
    """

    text: str
    is_prefix: bool
    weight: float = 1.0


@cache
def _run() -> re.Pattern[str]:
    """A run of CJK characters, or a word. Made at first use: it takes 10 ms at start."""
    return re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")


def _is_cjk(run: str) -> bool:
    first = ord(run[0])
    return first >= 0x3040 and any(low <= first <= high for low, high in _CJK_RANGES)


def words(text: str) -> Iterator[str]:
    """Every token of the text, in order, repeated as it comes."""
    for run in _run().findall(text.lower()):
        if _is_cjk(run):
            yield from (run[i : i + 2] for i in range(len(run)))
        else:
            yield run[:MAX_WORD_CHARS]


def index_text(*texts: str) -> str:
    """What the index is given for a message: each token once, in a stable order."""
    return " ".join(dict.fromkeys(word for text in texts for word in words(text)))


def session_word(session_id: str) -> str:
    """A token that marks every message of one session; no text yields it."""
    return "session" + "".join(c for c in session_id.lower() if c.isalnum()) + "noissess"


def query_terms(text: str) -> tuple[Term, ...]:
    """What to look for: each token, and for English words what is left without its ending."""
    found: dict[str, Term] = {}
    for run in _run().findall(text.lower()):
        if _is_cjk(run):
            pairs = [run[i : i + 2] for i in range(max(1, len(run) - 1))]
            found |= {pair: Term(pair, is_prefix=len(pair) == 1) for pair in pairs}
            continue
        word = run[:MAX_WORD_CHARS]
        if word in _LITTLE:
            found[word] = Term(word, is_prefix=False, weight=_LITTLE_WEIGHT)
            continue
        found[word] = Term(word, is_prefix=False)
        if stem := _stem(word):
            found[stem + "*"] = Term(stem, is_prefix=True, weight=0.5)
    return tuple(found.values())


def _stem(word: str) -> str:
    """The word without an English ending, or itself when it is long; "" when too short."""
    if not word.isascii() or not word.isalpha():
        return ""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            return word.removesuffix(suffix)
    return word if len(word) > _MIN_STEM else ""

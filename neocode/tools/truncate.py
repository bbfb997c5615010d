"""Shorten results to a number of tokens: head, note, tail (spec/context 4, B30).

Tokens are estimated here, on the high side, without a tokenizer: a limit on what enters
the history must hold before one is loaded. Pure.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

from neocode.domain.tooling import ToolOutcome

_PIECE = re.compile(
    r" ?[A-Za-z]?[a-z]+| ?[A-Z]+|[0-9]{1,3}|[ \t]+|\s+|[!-/:-@\[-`{-~]+|[^\x00-\x7f]+|."
)
_MAX_CHARS_A_TOKEN = 16
_HEAD_SHARE = 0.6
_NOTE_TOKENS = 60
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f", "\u20e3"}


def estimate_tokens(text: str) -> int:
    """Tokens of text, rather a few too many: words and punctuation by piece, CJK by character."""
    return int(sum(_cost(piece[0]) for piece in _PIECE.finditer(text)) + 0.999)


def shorten(text: str, tokens: int, *, where: str = "") -> str:
    """The text itself when it fits, else head + note + tail within tokens.

    where: path of the whole text, named in the note. Never cuts inside a character, and
    at a line's end where one is near.
    """
    if len(text) <= tokens * _MAX_CHARS_A_TOKEN and estimate_tokens(text) <= tokens:
        return text
    return join_ends(text, text, len(text), tokens, where=where)


def join_ends(head: str, tail: str, total_chars: int, tokens: int, *, where: str = "") -> str:
    """Head and tail of a text too long to be held, with the note between them.

    head, tail: its beginning and its end; more than fits is cut off. total_chars: size of
    the whole text in characters.
    """
    room = max(tokens - _NOTE_TOKENS - estimate_tokens(where), 2)
    first = _to_line_end(head[: _prefix(head, int(room * _HEAD_SHARE))])
    last = _from_line_start(tail[len(tail) - _suffix(tail, int(room * (1 - _HEAD_SHARE))) :])
    left_out = total_chars - len(first) - len(last)
    place = f" The whole text: {where}" if where else ""
    note = f"[... {left_out:,} of {total_chars:,} characters left out here.{place} ...]"
    return f"{first.rstrip(chr(10))}\n{note}\n{last}"


def head_only(text: str, tokens: int) -> str:
    """The beginning of text that fits, whole characters, without a note."""
    return text[: _prefix(text, tokens)]


def allot(sizes: Sequence[int], limit: int) -> list[int]:
    """Share limit among results that want sizes: small ones whole, large ones alike.

    The sum never exceeds limit, none gets more than it wants, and what a small one
    leaves goes to the others.
    """
    given = [0] * len(sizes)
    left = max(limit, 0)
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for position, index in enumerate(order):
        given[index] = min(sizes[index], left // (len(order) - position))
        left -= given[index]
    return given


def share(
    outcomes: Sequence[ToolOutcome], limit: int, save: Callable[[str], str]
) -> list[ToolOutcome]:
    """Results of one reply within limit tokens together, in their order (B30).

    save: keeps a whole text that is about to be cut and returns its path; not called for
    a result that has its "full_output" already.
    """
    sizes = [estimate_tokens(outcome.content) for outcome in outcomes]
    if sum(sizes) <= limit:
        return list(outcomes)
    return [
        outcome if room >= size else _cut(outcome, room, save)
        for outcome, size, room in zip(outcomes, sizes, allot(sizes, limit), strict=True)
    ]


def _cut(outcome: ToolOutcome, room: int, save: Callable[[str], str]) -> ToolOutcome:
    where = str(outcome.metadata.get("full_output") or save(outcome.content))
    content = shorten(outcome.content, room, where=where)
    return replace(outcome, content=content, metadata={**outcome.metadata, "full_output": where})


def _cost(piece: str) -> float:
    if not piece.isascii():
        return len(piece.encode("utf-8", "replace")) * 0.45
    if piece.isupper():
        return 1 + (len(piece) - 1) // 2
    if piece.isalpha() or piece[1:].isalpha():
        return 1 + (len(piece) - 1) // 7
    if piece.isspace():
        return 1 + len(piece) // 32
    return 1 + (len(piece) - 1) // 3


def _prefix(text: str, tokens: int) -> int:
    """Characters of the longest beginning within tokens, on a character's edge."""
    spent, end = 0.0, 0
    for piece in _PIECE.finditer(text, 0, tokens * _MAX_CHARS_A_TOKEN):
        cost = _cost(piece[0])
        if spent + cost > tokens:
            end += int(len(piece[0]) * (tokens - spent) / cost) if tokens > spent else 0
            break
        spent += cost
        end = piece.end()
    return _edge(text, min(end, len(text)))


def _suffix(text: str, tokens: int) -> int:
    """Characters of the longest end within tokens, on a character's edge."""
    window = text[max(0, len(text) - tokens * _MAX_CHARS_A_TOKEN) :]
    spent, size = 0.0, 0
    for piece in reversed(_PIECE.findall(window)):
        cost = _cost(piece)
        if spent + cost > tokens:
            size += int(len(piece) * (tokens - spent) / cost) if tokens > spent else 0
            break
        spent += cost
        size += len(piece)
    start = len(text) - size
    while start < len(text) and not _is_edge(text, start):
        start += 1
    return len(text) - start


def _is_edge(text: str, index: int) -> bool:
    """True where a cut splits no letter from its accents and no joined emoji."""
    if not 0 < index < len(text):
        return True
    return (
        not unicodedata.combining(text[index])
        and text[index] not in _JOINERS
        and text[index - 1] != "\u200d"
    )


def _edge(text: str, index: int) -> int:
    while not _is_edge(text, index):
        index -= 1
    return index


def _to_line_end(text: str) -> str:
    cut = text.rfind("\n")
    return text[: cut + 1] if cut > len(text) * 0.7 else text


def _from_line_start(text: str) -> str:
    cut = text.find("\n")
    return text[cut + 1 :] if 0 <= cut < len(text) * 0.3 else text

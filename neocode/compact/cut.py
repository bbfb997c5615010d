"""Cutting text without splitting what a reader sees as one character."""

import unicodedata

_JOINER = "\u200d"


def _is_glued(text: str, index: int) -> bool:
    """True when the character at index belongs to the one before it."""
    char, before = text[index], text[index - 1]
    if before == _JOINER or char == _JOINER:
        return True
    if unicodedata.category(char) in ("Mn", "Mc", "Me"):
        return True
    code = ord(char)
    if 0x1F3FB <= code <= 0x1F3FF or 0xDC00 <= code <= 0xDFFF:
        return True
    return _is_flag(char) and _flags_before(text, index) % 2 == 1


def _is_flag(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def _flags_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_flag(text[start - 1]):
        start -= 1
    return index - start


def boundary_before(text: str, index: int) -> int:
    """The greatest place at most index where text may be cut."""
    index = max(0, min(index, len(text)))
    while 0 < index < len(text) and _is_glued(text, index):
        index -= 1
    return index


def boundary_after(text: str, index: int) -> int:
    """The least place at least index where text may be cut."""
    index = max(0, min(index, len(text)))
    while 0 < index < len(text) and _is_glued(text, index):
        index += 1
    return index


def shorten(text: str, limit: int) -> str:
    """text in at most limit characters, ending in "…" when something was left out.

    A limit under 1 gives "".
    """
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    return text[: boundary_before(text, limit - 1)].rstrip() + "…"


def head_and_tail(text: str, head: int, tail: int, note: str = "{n:,} characters left out") -> str:
    """The first head and the last tail characters, and between them what was left out.

    note: {n} is the number of characters; the text comes back whole when the cut would
        save nothing.
    """
    left, right = boundary_before(text, head), boundary_after(text, len(text) - tail)
    if right <= left:
        return text
    middle = f"\n[… {note.format(n=right - left)} …]\n"
    if len(middle) >= right - left:
        return text
    return text[:left] + middle + text[right:]

"""Tokens from characters alone, for as long as there is no tokenizer (spec/context 3)."""

import re

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = b"0123456789"
_SPACE = b" \t\r\n\v\f"
_SYMBOLS = bytes(set(range(128)) - set(_LETTERS) - set(_DIGITS) - set(_SPACE))

# CJK ideographs, kana, hangul, full-width forms, and what is past the basic plane (emoji too)
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]")
_SPACE_RUN = re.compile(rb"[ \t]{2,}|[\r\n]+")

# Tokens a character of each class, measured on recorded sessions (o200k) and rounded up:
# a little too much is safer than too little.
_LETTER = 1 / 4.2
_DIGIT = 1 / 1.9
_SYMBOL = 1 / 1.6
_SINGLE_SPACE = 1 / 6
_RUN = 0.7
_BLANK = 1 / 100
_WIDE_CHAR = 1.1
_OTHER_CHAR = 1 / 2.5


def estimate_chars(text: str) -> int:
    """Tokens of a text, from its characters by class; at least 1 for any text but "".

    About 4 characters a token for Latin text, 1.1 tokens a character for CJK; digits and
    symbols are dearer than letters, a run of blanks costs little however long it is.
    Depends on nothing but the text.
    """
    if not text:
        return 0
    raw = text.encode("utf-8", "surrogatepass")
    runs = _SPACE_RUN.findall(raw)
    in_runs = sum(map(len, runs))
    tokens = (
        _count(raw, _LETTERS) * _LETTER
        + _count(raw, _DIGITS) * _DIGIT
        + _count(raw, _SYMBOLS) * _SYMBOL
        + (_count(raw, _SPACE) - in_runs) * _SINGLE_SPACE
        + len(runs) * _RUN
        + in_runs * _BLANK
    )
    if not text.isascii():
        wide = len(_WIDE.findall(text))
        other = len(text) - _count(raw, bytes(range(128))) - wide
        tokens += wide * _WIDE_CHAR + other * _OTHER_CHAR
    return max(1, round(tokens))


def _count(raw: bytes, wanted: bytes) -> int:
    return len(raw) - len(raw.translate(None, wanted))

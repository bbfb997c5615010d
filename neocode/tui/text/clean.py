"""Text from outside, made fit for a screen."""

import re

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?=[^\n])")
_PASTE_MARKS = re.compile(r"\x1b?\[20[01]~")
TAB = 4


def clean(text: str) -> str:
    """Only what can be shown: escape sequences, control and direction characters are gone.

    Line ends become \\n, tabs become spaces; of a line that was drawn over with a bare
    carriage return the last state stays.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text).replace("\r", "")
    if "\t" in text:
        text = text.expandtabs(TAB)
    return _CONTROLS.sub("", text)


def one_line(text: str, limit: int = 400) -> str:
    """Cleaned, white space joined to single blanks, cut to limit characters with "…"."""
    joined = " ".join(clean(text[: limit * 8]).split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def pasted(text: str) -> str:
    """A paste as it is put into the prompt: \\n ends, no stray paste marks (B38).

    Tabs stay; other control characters are dropped.
    """
    text = _PASTE_MARKS.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", _ESCAPES.sub("", text))

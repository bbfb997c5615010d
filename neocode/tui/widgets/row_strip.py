"""A laid-out row as segments: styles, selection, found words, links, what a click does."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from neocode.tui.text.lines import Laid
from neocode.tui.themes import Styles

_SAFE = re.compile(r"(?:https?://|mailto:)[\x21-\x7e]+")


class Mark(NamedTuple):
    """Characters start to end of a logical line in another style; later marks win."""

    start: int
    end: int
    style: str


def is_safe(href: str) -> bool:
    """Whether an address may be handed to the terminal or a browser: web and mail only."""
    return _SAFE.fullmatch(href) is not None


@lru_cache(maxsize=512)
def _link(href: str) -> Style:
    """One style an address, so that a terminal takes its wrapped pieces for one link (OSC 8)."""
    return Style(link=href)


def found_marks(text: str, needle: str, style: str) -> list[Mark]:
    """Every place of the words in a line, whatever their case."""
    low, words = text.lower(), needle.lower()
    if not words or len(low) != len(text):
        return []
    marks, at = [], low.find(words)
    while at >= 0:
        marks.append(Mark(at, at + len(words), style))
        at = low.find(words, at + len(words))
    return marks


def body(
    row: Laid, logical: int, styles: Styles, look: str, marks: Sequence[Mark]
) -> list[Segment]:
    """The segments of a row behind its prefix. logical: number of its line in the view."""
    out: list[Segment] = []
    at = row.start
    for span in row.spans:
        extra = Style()
        if span.action.startswith("link:") and is_safe(href := span.action[5:]):
            extra = _link(href)
        for text, style in pieces(span.text, at, marks):
            words = f"{span.style}{look} {style}".strip()
            meta: dict[str, object] = {"offset": (at, logical)}
            if span.action:
                meta["act"] = span.action
            out.append(Segment(text, styles.get(words, row.fill) + extra + Style.from_meta(meta)))
            at += len(text)
    return out


def pieces(text: str, at: int, marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """Text that begins at character `at`, cut where marks begin and end: (text, style)."""
    stop = at + len(text)
    near = [m for m in marks if m.start < stop and m.end > at]
    if not near:
        return [(text, "")]
    edges = sorted({at, stop, *(e for m in near for e in (m.start, m.end) if at < e < stop)})
    out = []
    for begin, end in pairwise(edges):
        style = next((m.style for m in reversed(near) if m.start <= begin < m.end), "")
        out.append((text[begin - at : end - at], style))
    return out

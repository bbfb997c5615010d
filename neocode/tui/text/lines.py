"""Spans, lines and how they are laid out in cells."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from rich.cells import cell_len, split_graphemes

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60"
)
_PIECES = re.compile(rf"[ ]+|[{_WIDE}]|[^ {_WIDE}]+")


class Span(NamedTuple):
    """Text in one style.

    style: words of themes.STYLES separated by blanks ("muted b").
    action: what a click on it does ("fold", "view:m_1"), or "".
    """

    text: str
    style: str = ""
    action: str = ""


class Laid(NamedTuple):
    """One row of cells.

    prefix: shown before the text, never selected. line, start: index of the logical line
    in its block and of the first character in it. fill: style of the rest of the row.
    """

    prefix: tuple[Span, ...]
    spans: tuple[Span, ...]
    line: int
    start: int
    fill: str = ""


@dataclass(slots=True)
class Layout:
    """A block laid out for one width; texts: its logical lines, for copying."""

    width: int
    rows: list[Laid]
    texts: list[str]


class Block(Protocol):
    """Something that can be laid out; the layout is kept while the width is the same."""

    def layout(self, width: int) -> Layout:
        """Rows of at most width cells."""
        ...


@dataclass(slots=True, eq=False)
class Line:
    """A logical line, wrapped when it is wider than the screen.

    first, rest: prefixes of the first row and of the rows that follow it.
    fold: False cuts nothing and breaks anywhere, as code wants it.
    """

    spans: tuple[Span, ...] = ()
    first: tuple[Span, ...] = ()
    rest: tuple[Span, ...] = ()
    fill: str = ""
    words: bool = True
    _layout: Layout | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The characters, without prefixes."""
        return "".join(span.text for span in self.spans)

    def layout(self, width: int) -> Layout:
        """Rows of at most width cells, prefix included; at least one row."""
        if self._layout is None or self._layout.width != width:
            self._layout = Layout(width, self._rows(width), [self.text])
        return self._layout

    def _rows(self, width: int) -> list[Laid]:
        room = max(4, width - cells(self.first))
        text = self.text
        if cell_len(text) <= room:
            return [Laid(self.first, self.spans, 0, 0, self.fill)]
        rows: list[Laid] = []
        for start, end in breaks(text, room, words=self.words):
            prefix = self.first if not rows else self.rest
            shown = end if not self.words else start + len(text[start:end].rstrip(" "))
            rows.append(Laid(prefix, tuple(cut(self.spans, start, shown)), 0, start, self.fill))
        return rows


def line(*spans: Span | str, **more: str | bool) -> Line:
    """A line from spans and plain strings; fill and words as in Line."""
    made = tuple(s if isinstance(s, Span) else Span(s) for s in spans)
    return Line(made, **more)  # type: ignore[arg-type]


def lines(text: str, style: str = "", indent: tuple[Span, ...] = (), fill: str = "") -> list[Line]:
    """One line per line of text, all in one style and with one prefix."""
    return [Line((Span(part, style),), indent, indent, fill) for part in text.split("\n")]


def cells(spans: Iterable[Span]) -> int:
    """Width in cells."""
    return sum(cell_len(span.text) for span in spans)


def cut(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """The characters start to end, with their styles."""
    at = 0
    for span in spans:
        stop = at + len(span.text)
        if stop > start and at < end:
            yield span._replace(text=span.text[max(0, start - at) : end - at])
        at = stop


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """What a reader calls characters: (start, end, cells) of each; together the whole text.

    A flag is one, which rich takes for its two letters.
    """
    out: list[tuple[int, int, int]] = []
    for start, end, wide in split_graphemes(text)[0]:
        flag = end - start == 1 and _is_flag_half(text[start])
        if flag and out and out[-1][1] - out[-1][0] == 1 and _is_flag_half(text[out[-1][0]]):
            out[-1] = (out[-1][0], end, out[-1][2] + wide)
        else:
            out.append((start, end, wide))
    return out


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def breaks(text: str, width: int, *, words: bool = True) -> list[tuple[int, int]]:
    """Where to break: (start, end) of each row, together the whole text.

    A row holds at most width cells (width >= 2), trailing blanks not counted; characters
    are never split. words: break at blanks and between wide characters where possible.
    """
    rows: list[tuple[int, int]] = []
    start = at = used = 0
    pieces = _PIECES.finditer(text) if words else iter((re.fullmatch(r"(?s).*", text),))
    for piece in pieces:
        if piece is None or not piece.group():
            continue
        size = cell_len(piece.group())
        if words and piece.group()[0] == " " and used:
            used, at = used + size, piece.end()
            continue
        if used + size > width and used:
            rows.append((start, at))
            start, used = at, 0
        if size > width:
            for begin, end, wide in graphemes(piece.group()):
                if used + wide > width and used:
                    rows.append((start, piece.start() + begin))
                    start, used = piece.start() + begin, 0
                used += wide
                at = piece.start() + end
        else:
            used, at = used + size, piece.end()
    rows.append((start, len(text)))
    return rows


def crop(text: str, width: int) -> str:
    """At most width cells, with "…" where something was cut."""
    if cell_len(text) <= width:
        return text
    used, kept = 0, 0
    for _, end, wide in graphemes(text):
        if used + wide > width - 1:
            break
        used, kept = used + wide, end
    while kept and cell_len(text[:kept]) > width - 1:  # joiners without what they join
        kept -= 1
    return text[:kept] + "…" if width > 0 else ""

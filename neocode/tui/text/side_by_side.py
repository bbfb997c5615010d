"""A unified diff in two columns where there is room for them: before at the left, after right."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from neocode.tui.text.clean import clean
from neocode.tui.text.diff import diff_lines
from neocode.tui.text.lines import Block, Laid, Layout, Line, Span, cells

LEAST_WIDTH = 120
"""Columns of the screen from which on a diff stands in two columns."""
_MARGIN = 6
"""Columns that the screen takes at the sides of a row before it gets here."""
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NUMBER = 5


@dataclass(slots=True)
class Pair:
    """One row: (line number, text) at both sides; None where there is nothing.

    changed: the sides differ. Both None: lines are left out here.
    """

    old: tuple[int, str] | None = None
    new: tuple[int, str] | None = None
    changed: bool = False


def pairs_of(diff: str) -> list[Pair]:
    """Rows of a unified diff; removed lines stand beside those that were added for them."""
    out: list[Pair] = []
    gone: list[tuple[int, str]] = []
    come: list[tuple[int, str]] = []
    old = new = 0

    def flush() -> None:
        for index in range(max(len(gone), len(come))):
            left = gone[index] if index < len(gone) else None
            right = come[index] if index < len(come) else None
            out.append(Pair(left, right, changed=True))
        gone.clear()
        come.clear()

    for row in clean(diff).rstrip("\n").split("\n"):
        hunk = _HUNK.match(row)
        if hunk:
            flush()
            if out:
                out.append(Pair())
            old, new = int(hunk[1]), int(hunk[2])
        elif not (old or new) or row.startswith("\\"):
            continue
        elif row.startswith("-"):
            gone.append((old, row[1:]))
            old += 1
        elif row.startswith("+"):
            come.append((new, row[1:]))
            new += 1
        else:
            flush()
            out.append(Pair((old, row[1:]), (new, row[1:])))
            old, new = old + 1, new + 1
    flush()
    return out


@dataclass(slots=True, eq=False)
class Diff:
    """A diff as a block: two columns from 120 columns on, else one below the other.

    most: at most so many lines, the rest counted in a last one; 0: all. What is copied from
    two columns is the text after the change.
    """

    source: str
    indent: tuple[Span, ...] = ()
    most: int = 0
    _layout: Layout | None = field(default=None, repr=False)

    def layout(self, width: int) -> Layout:
        """Rows of at most width cells."""
        if self._layout is None or self._layout.width != width:
            wide = width >= LEAST_WIDTH - _MARGIN and "\n@@ -" in f"\n{self.source}"
            self._layout = self._columns(width) if wide else self._lines(width)
        return self._layout

    def _lines(self, width: int) -> Layout:
        return joined(diff_lines(self.source, self.indent, self.most), width)

    def _columns(self, width: int) -> Layout:
        pairs = pairs_of(self.source)
        rest = len(pairs) - self.most if self.most else 0
        half = (width - cells(self.indent) - 3) // 2
        rows: list[Laid] = []
        texts: list[str] = []
        for pair in pairs[: self.most] if rest > 0 else pairs:
            laid, text = self._pair(pair, half)
            rows += [row._replace(line=len(texts)) for row in laid]
            texts.append(text)
        if rest > 0:
            last = Line((Span(f"… {rest} more lines", "muted"),), self.indent, self.indent)
            rows += [row._replace(line=len(texts)) for row in last.layout(width).rows]
            texts.append(last.text)
        return Layout(width, rows, texts)

    def _pair(self, pair: Pair, half: int) -> tuple[list[Laid], str]:
        if pair.old is None and pair.new is None:
            return [Laid((*self.indent, Span("     ⋯", "dim")), (), 0, 0)], ""
        left = _side(pair.old, "-" if pair.changed else " ", half)
        right = _side(pair.new, "+" if pair.changed else " ", half)
        rows = []
        for index in range(max(len(left), len(right))):
            before, _ = _cell(left, index, half)
            after, body = _cell(right, index, half)
            head = (*self.indent, *before, Span(" │ ", "dim"), *after[:body])
            start = (
                right[index].start if index < len(right) else len(pair.new[1] if pair.new else "")
            )
            rows.append(Laid(head, tuple(after[body:]), 0, start))
        return rows, pair.new[1] if pair.new else ""


def joined(blocks: Sequence[Block], width: int) -> Layout:
    """Several blocks as one."""
    rows: list[Laid] = []
    texts: list[str] = []
    for block in blocks:
        layout = block.layout(width)
        rows += [row._replace(line=row.line + len(texts)) for row in layout.rows]
        texts += layout.texts
    return Layout(width, rows, texts)


def _side(cell: tuple[int, str] | None, sign: str, half: int) -> list[Laid]:
    """The rows of one side, number and sign in their prefixes."""
    if cell is None:
        return []
    style = {"+": "add", "-": "del"}.get(sign, "")
    number, text = cell
    first = (Span(f"{number:>{_NUMBER - 1}} ", f"muted {style}".strip()), Span(f"{sign} ", style))
    rest = (Span(" " * (_NUMBER + 2), style),)
    line = Line((Span(text, style or "code"),), first, rest, style, words=False)
    return line.layout(half).rows


def _cell(rows: Sequence[Laid], index: int, half: int) -> tuple[list[Span], int]:
    """Spans of one row of a side, filled up to its width; and how many of them are prefix."""
    if index >= len(rows):
        return [Span(" " * half)], 1
    row = rows[index]
    spans = [*row.prefix, *row.spans]
    gap = half - cells(spans)
    if gap > 0:
        spans.append(Span(" " * gap, row.fill))
    return spans, len(row.prefix)

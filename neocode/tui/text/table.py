"""A Markdown table laid out to the width there is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from neocode.tui.text.lines import Laid, Layout, Line, Span, cells

_GAP = Span("  ")
Cell = tuple[Span, ...]


@dataclass(slots=True, eq=False)
class Table:
    """Rows of cells; the first row is the heading. align: "left", "right", "center"."""

    rows: list[list[Cell]]
    align: list[str]
    indent: tuple[Span, ...] = ()
    _layout: Layout | None = field(default=None, repr=False)

    def layout(self, width: int) -> Layout:
        """Columns at their natural width, or the wide ones narrowed until it fits."""
        if self._layout is None or self._layout.width != width:
            self._layout = self._make(width)
        return self._layout

    def _make(self, width: int) -> Layout:
        widths = column_widths(
            [[cells(cell) for cell in row] for row in self.rows],
            width - cells(self.indent) - 2 * (len(self.align) - 1),
        )
        laid: list[Laid] = []
        for number, row in enumerate(self.rows):
            laid += self._row(row, widths, "b" if not number else "")
            if not number:
                rule = tuple(part for w in widths for part in (Span("─" * w, "dim"), _GAP))[:-1]
                laid.append(Laid(self.indent, rule, 0, 0))
        rows = [row._replace(line=index) for index, row in enumerate(laid)]
        return Layout(width, rows, ["".join(s.text for s in r.spans).rstrip() for r in rows])

    def _row(self, row: Sequence[Cell], widths: list[int], style: str) -> list[Laid]:
        wrapped = [Line(cell).layout(width).rows for cell, width in zip(row, widths, strict=False)]
        laid = []
        for index in range(max(map(len, wrapped), default=0)):
            spans: list[Span] = []
            for column, part in enumerate(wrapped):
                text = part[index].spans if index < len(part) else ()
                styled = tuple(s._replace(style=f"{s.style} {style}".strip()) for s in text)
                spans += _aligned(styled, widths[column], self.align[column])
                spans.append(_GAP)
            laid.append(Laid(self.indent, tuple(spans[:-1]), 0, 0))
        return laid


def _aligned(spans: tuple[Span, ...], width: int, align: str) -> list[Span]:
    gap = max(0, width - cells(spans))
    left = gap if align == "right" else gap // 2 if align == "center" else 0
    return [Span(" " * left), *spans, Span(" " * (gap - left))]


def column_widths(natural: Sequence[Sequence[int]], room: int) -> list[int]:
    """Widths of the columns: natural when they fit, else the widest give way; at least 4."""
    count = max(map(len, natural), default=0)
    widths = [max((row[i] for row in natural if i < len(row)), default=0) for i in range(count)]
    while sum(widths) > room:
        widest = max(range(count), key=widths.__getitem__)
        others = sorted(widths)[-2] if count > 1 else 0
        spare = sum(widths) - room
        if widths[widest] <= 4:
            break
        widths[widest] -= max(1, min(spare, widths[widest] - max(others, 4)))
    return widths

"""A unified diff as coloured lines with line numbers."""

import re

from neocode.tui.text.clean import clean
from neocode.tui.text.lines import Line, Span

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def diff_lines(diff: str, indent: tuple[Span, ...] = (), most: int = 0) -> list[Line]:
    """Lines of a unified diff; file headers are left out.

    Added and removed lines carry + and -, so colour is never the only sign.
    most: at most this many lines, the rest counted in a last one; 0: all.
    """
    out: list[Line] = []
    old = new = 0
    for row in clean(diff).rstrip("\n").split("\n"):
        if row.startswith(("--- ", "+++ ", "diff --git", "index ")) and not (old or new):
            continue
        hunk = _HUNK.match(row)
        if hunk:
            if out:
                out.append(Line((Span("⋯", "dim"),), (*indent, Span("     "))))
            old, new = int(hunk[1]), int(hunk[2])
            continue
        out.append(_line(row, old, new, indent))
        old += row[:1] != "+"
        new += row[:1] != "-"
    if most and len(out) > most:
        rest = len(out) - most
        out[most:] = [Line((Span(f"… {rest} more lines", "muted"),), indent, indent)]
    return out


def _line(row: str, old: int, new: int, indent: tuple[Span, ...]) -> Line:
    sign, text = row[:1] or " ", row[1:]
    style, number = {"+": ("add", new), "-": ("del", old)}.get(sign, ("", new))
    if sign == "\\":
        return Line((Span(row, "muted"),), indent, indent)
    shown = f"{number:>4} " if old or new else ""
    first = (*indent, Span(shown, f"muted {style}".strip()), Span(f"{sign} ", style))
    rest = (*indent, Span(" " * len(shown) + "  ", style))
    return Line((Span(text, style or "code"),), first, rest, style, words=False)


def counts(diff: str) -> tuple[int, int]:
    """Lines added and removed."""
    rows = [r for r in diff.split("\n") if not r.startswith(("+++ ", "--- "))]
    return sum(r.startswith("+") for r in rows), sum(r.startswith("-") for r in rows)

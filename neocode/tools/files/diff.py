"""Short unified diffs that stay fast on large files. Pure."""

import difflib
from dataclasses import dataclass

_CONTEXT = 3
_COMPARED_LINES = 4000


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff. added, removed: lines; text is "" when nothing differs."""

    text: str
    added: int
    removed: int


def unified(old: str, new: str, name: str) -> Diff:
    """The difference of two texts with LF line ends, with three lines around each change.

    Over 4,000 differing lines the changed middle is shown as one replacement.
    """
    before, after = _lines(old), _lines(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    first = max(0, head - _CONTEXT)
    end = max(0, tail - _CONTEXT)
    old_part, new_part = before[first : len(before) - end], after[first : len(after) - end]
    groups = _groups(old_part, new_part, head - first, tail - end)
    out: list[str] = []
    added = removed = 0
    for group in groups:
        out.append(_hunk_header(group, first))
        for tag, low, high, new_low, new_high in group:
            if tag == "equal":
                out.extend(_marked(" ", old_part[low:high]))
                continue
            out.extend(_marked("-", old_part[low:high]))
            out.extend(_marked("+", new_part[new_low:new_high]))
            removed += high - low
            added += new_high - new_low
    text = "".join([f"--- a/{name}\n", f"+++ b/{name}\n", *out]) if out else ""
    return Diff(text, added, removed)


_Op = tuple[str, int, int, int, int]


def _groups(old: list[str], new: list[str], head: int, tail: int) -> list[list[_Op]]:
    if old == new:
        return []
    if max(len(old), len(new)) <= _COMPARED_LINES:
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > 500)
        return [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]
    low, high = len(old) - tail, len(new) - tail
    return [
        [
            ("equal", 0, head, 0, head),
            ("replace", head, low, head, high),
            ("equal", low, len(old), high, len(new)),
        ]
    ]


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _hunk_header(group: list[_Op], first: int) -> str:
    old = _span(group[0][1] + first, group[-1][2] + first)
    new = _span(group[0][3] + first, group[-1][4] + first)
    return f"@@ -{old} +{new} @@\n"


def _span(start: int, stop: int) -> str:
    size = stop - start
    begin = start + 1 if size else start
    return str(begin) if size == 1 else f"{begin},{size}"


def _marked(mark: str, lines: list[str]) -> list[str]:
    return [
        f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
        for line in lines
    ]


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]

"""Which names match a few typed letters, best first."""

from collections.abc import Iterable
from heapq import nlargest


def score(query: str, name: str, base: int) -> float:
    """How well lower-case query fits lower-case name, 0.0 when it does not.

    base: where the last part of the name begins (the file's own name).
    """
    if not query:
        return 1.0
    at = name.find(query, base)
    if at >= 0:
        exact = 60.0 if at == base else 40.0
        return exact + 30.0 * len(query) / (len(name) - base) - len(name) / 1000
    at = name.find(query)
    if at >= 0:
        return 25.0 + (5.0 if at == 0 else 0.0) - len(name) / 1000
    return _subsequence(query, name, base)


def _subsequence(query: str, name: str, base: int) -> float:
    at, gaps = -1, 0
    for letter in query:
        found = name.find(letter, at + 1)
        if found < 0:
            return 0.0
        gaps += found - at - 1 if at >= 0 else 0
        at = found
    return max(0.1, 15.0 - gaps / 4) + (2.0 if at >= base else 0.0) - len(name) / 1000


def best(query: str, names: Iterable[str], most: int = 8) -> list[str]:
    """The names that match, best first; ties in the order given."""
    lowered = query.lower()
    scored = []
    for order, name in enumerate(names):
        low = name.lower()
        points = score(lowered, low, low.rstrip("/").rfind("/") + 1)
        if points > 0:
            scored.append((points, -order, name))
    return [name for _, _, name in nlargest(most, scored)]

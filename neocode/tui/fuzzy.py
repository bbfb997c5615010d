"""Which names match a few typed letters, best first."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

_ENOUGH = 2_000
"""After so many finds of one kind the rest is not looked at."""


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


class Names:
    """Many paths, ready to be searched while somebody types (50,000 of them within 50 ms).

    They are kept as one string, so that most of the search is done by C code.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self._text = "\n" + "\n".join(name.lower().replace("\n", " ") for name in names) + "\n"
        self._starts: list[int] = []
        at = 1
        for name in self.names:
            self._starts.append(at)
            at = self._text.index("\n", at) + 1 if name else at + 1
        self._letters = [_mask(name.lower()) for name in self.names]

    def best(self, query: str, most: int = 8) -> list[str]:
        """Paths that match, best first.

        First those whose own name begins with the letters, then those that hold them in one
        piece, then those that hold them in their order; shorter ones first.
        """
        letters = query.lower().replace("\n", " ")
        if not letters:
            return self.names[:most]
        found = self._ranked(letters, self._beginning(letters), most)
        if len(found) < most:
            found += self._ranked(letters, self._holding(letters), most, found)
        if len(found) < most and len(letters) > 1:
            found += self._ranked(letters, self._in_order(letters), most, found)
        return [self.names[index] for index in found[:most]]

    def _ranked(
        self, letters: str, indexes: Iterable[int], most: int, but: Sequence[int] = ()
    ) -> list[int]:
        taken, scored = set(but), []
        for index in indexes:
            if index not in taken:
                low = self.names[index].lower()
                points = score(letters, low, low.rstrip("/").rfind("/") + 1)
                scored.append((points, -index))
        return [-order for _, order in nlargest(most - len(but), scored)]

    def _index(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _beginning(self, letters: str) -> Iterator[int]:
        """Paths whose last part begins with the letters."""
        text, count = self._text, 0
        for head in ("\n", "/"):
            at = text.find(head + letters)
            while at >= 0 and count < _ENOUGH:
                end = text.find("\n", at + 1)
                slash = text.find("/", at + 1 + len(letters), end)
                if slash < 0 or slash == end - 1:
                    count += 1
                    yield self._index(at + 1)
                    at = end - 1
                at = text.find(head + letters, at + 1)

    def _holding(self, letters: str) -> Iterator[int]:
        """Paths that hold the letters in one piece."""
        text, count = self._text, 0
        at = text.find(letters)
        while at >= 0 and count < _ENOUGH:
            count += 1
            yield self._index(at)
            at = text.find(letters, text.find("\n", at))

    def _in_order(self, letters: str) -> Iterator[int]:
        """Paths that hold the letters one after another."""
        parts = [f"[^{re.escape(letter)}\n]*+{re.escape(letter)}" for letter in letters]
        matches, text, count = re.compile("".join(parts)).match, self._text, 0
        wanted, starts = _mask(letters), self._starts
        for index in [i for i, mask in enumerate(self._letters) if mask & wanted == wanted]:
            if matches(text, starts[index]) is not None:
                count += 1
                yield index
                if count >= _ENOUGH:
                    return


def _mask(text: str) -> int:
    """One bit for each kind of letter in a text; many share a bit outside of ASCII."""
    mask = 0
    for letter in set(text):
        mask |= 1 << (ord(letter) % 97)
    return mask

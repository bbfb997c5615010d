"""Reading a command's options and operands, the way GNU tools do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neocode.permissions.shell.words import Word, after


@dataclass(frozen=True, slots=True)
class Options:
    """flags: "r", "recursive", without dashes; values: (flag, its value), in order.

    unsure: a word that is not known may have brought further options.
    """

    flags: frozenset[str]
    values: tuple[tuple[str, Word], ...]
    operands: tuple[Word, ...]
    unsure: bool = False

    def has(self, short: str, long: str = "") -> bool:
        """True for one of the short letters, or the long name, abbreviated or not."""
        if any(letter in self.flags for letter in short):
            return True
        return bool(long) and any(len(flag) > 1 and long.startswith(flag) for flag in self.flags)

    def value(self, *names: str) -> Word | None:
        """The last value of an option, long names abbreviated or not."""
        found = None
        for flag, word in self.values:
            if any(flag == name or (len(flag) > 1 and name.startswith(flag)) for name in names):
                found = word
        return found


def read_options(words: Sequence[Word], valued: Iterable[str] = ()) -> Options:
    """Sort the words behind a command's name.

    valued: options that take a value; letters, and long names without dashes.
    """
    takes = frozenset(valued)
    flags: set[str] = set()
    values: list[tuple[str, Word]] = []
    operands: list[Word] = []
    unsure = False
    todo = list(reversed(words))
    while todo:
        word = todo.pop()
        if word.literal and word.text == "--":
            operands += reversed(todo)
            break
        if not word.text.startswith("-") or word.text == "-":
            operands.append(word)
            unsure = unsure or not word.known
            continue
        found = _long(word) if word.text.startswith("--") else _short(word, takes)
        unsure = unsure or not word.known or (word.wild and "=" not in word.text)
        for name, value in found:
            flags.add(name)
            if value is not None:
                values.append((name, value))
            elif name in takes and todo:
                values.append((name, todo.pop()))
    return Options(frozenset(flags), tuple(values), tuple(operands), unsure)


def _long(word: Word) -> list[tuple[str, Word | None]]:
    name, equals, _ = word.text[2:].partition("=")
    return [(name, after(word, len(name) + 3) if equals else None)]


def _short(word: Word, takes: frozenset[str]) -> list[tuple[str, Word | None]]:
    found: list[tuple[str, Word | None]] = []
    for index, letter in enumerate(word.text[1:], 1):
        if letter in takes and index + 1 < len(word.text):
            return [*found, (letter, after(word, index + 1))]
        found.append((letter, None))
    return found

"""Paths in the arguments of commands that no table knows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from neocode.permissions.paths import Ground, Place, is_below
from neocode.permissions.shell.line import State
from neocode.permissions.shell.resolve import target
from neocode.permissions.shell.words import Word, after

_PROGRAM_FOLDERS = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin")


def mentioned(words: Sequence[Word], state: State, ground: Ground) -> list[Place]:
    """Places that the arguments name, in order; those inside only when they exist.

    An argument outside counts when it exists, or starts like a path (/, ~, ..); an
    absolute one only when its first folder exists: "/api/v1" is not taken for a path.
    """
    found: list[Place] = []
    for word in words:
        for candidate in _candidates(word):
            leads = _leads(candidate)
            for place in target(candidate, state, ground).places:
                there = place.exists or (leads and not place.readable and plausible(place))
                if there and not place.stream:
                    found.append(place)
    return found


def _candidates(word: Word) -> Iterator[Word]:
    """The word itself, what is attached to a short option, what follows an "="."""
    text = word.text
    if not text.startswith("-"):
        yield word
    elif "=" not in text and len(text) > 3:
        yield after(word, 2)
    if "=" in text:
        yield after(word, text.index("=") + 1)


def _leads(word: Word) -> bool:
    """True when it starts like a path that may lead out."""
    first = word.pieces[0] if word.pieces else None
    if first is None or "://" in word.text:
        return False
    if first.kind in ("tilde", "var") or word.text.startswith("~"):
        return True
    text = first.text
    climbs = text.startswith("../") or text == ".." or "/../" in text or text.endswith("/..")
    return first.kind == "text" and (text.startswith("/") or climbs)


def plausible(place: Place) -> bool:
    """True when the path's first folder exists, so that it is hardly a pattern or an address."""
    top = "/" + place.given.strip("/").split("/")[0]
    try:
        return len(place.given) == 1 or Path(top).is_dir()
    except (OSError, ValueError):
        return False


def program_place(word: Word, state: State, ground: Ground) -> Place | None:
    """Where a command named by path lies, None when it is a bare name or a system program."""
    if "/" not in word.text:
        return None
    for place in target(word, state, ground).places:
        folder = place.given.rsplit("/", 1)[0]
        if folder not in _PROGRAM_FOLDERS and not is_below(place.given, ground.root):
            return place
    return None

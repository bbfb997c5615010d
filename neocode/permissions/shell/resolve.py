"""From words to the texts and places they may stand for."""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from neocode.permissions.paths import Ground, Place, locate
from neocode.permissions.shell.line import State
from neocode.permissions.shell.words import Piece, Word, make_word

_MAX_TEXTS = 64
_MAX_MATCHES = 400


@dataclass(frozen=True, slots=True)
class Target:
    """What a word points to. places: every place it may be; sure: there are no others."""

    source: str
    places: tuple[Place, ...]
    sure: bool


def texts(word: Word, state: State, ground: Ground) -> list[tuple[str, bool]] | None:
    """Every text the word may become, with whether it is a glob; None: not known."""
    choices = [_choices(piece, state, ground) for piece in word.pieces]
    options: list[list[tuple[str, bool]]] = []
    for choice in choices:
        if choice is None:
            return None
        options.append(choice)
    found: list[tuple[str, bool]] = []
    for combination in product(*options):
        if len(found) >= _MAX_TEXTS:
            return None
        text = "".join(piece for piece, _ in combination)
        found.append((text, any(wild for _, wild in combination)))
    return found


def settle(word: Word, state: State, ground: Ground) -> Word:
    """Mark the variables whose values are known and cannot be taken for options."""
    if not any(piece.kind == "var" for piece in word.pieces):
        return word
    pieces = list(word.pieces)
    for index, piece in enumerate(pieces):
        if piece.kind != "var":
            continue
        values = texts(make_word([piece]), state, ground)
        harmless = values is not None and all(text[:1] not in ("", "-") for text, _ in values)
        pieces[index] = replace(piece, settled=harmless)
    return make_word(pieces)


def _choices(piece: Piece, state: State, ground: Ground) -> list[tuple[str, bool]] | None:
    match piece.kind:
        case "text":
            return [(piece.text, False)]
        case "wild":
            return [(piece.text, True)]
        case "tilde":
            return None if "HOME" in state.variables else [(ground.home, False)]
        case "var":
            return _variable(piece, state, ground)
        case _:
            return None


def _variable(piece: Piece, state: State, ground: Ground) -> list[tuple[str, bool]] | None:
    values: list[tuple[str, bool]] = []
    if piece.text in state.variables:
        for word in state.variables[piece.text]:
            if any(inner.kind == "var" for inner in word.pieces):
                return None
            found = texts(word, state, ground)
            if found is None:
                return None
            values += found
    elif piece.text == "HOME":
        values = [(ground.home, False)]
    elif piece.text == "PWD" and "" not in state.folders:
        values = [(folder, False) for folder in sorted(state.folders)]
    else:
        return None
    splits = not piece.quoted and any(set(text) & set(" \t\n*?[") for text, _ in values)
    loop_globs = all(wild for _, wild in values) and not any(" " in text for text, _ in values)
    if splits and not (values and loop_globs):
        return None
    return values


def target(word: Word, state: State, ground: Ground, *, follow: bool = True) -> Target:
    """The places a word may be, as a path, from each folder the shell may stand in.

    follow: a link as the last name is followed.
    """
    found = texts(word, state, ground)
    if found is None:
        return Target(word.text, (), sure=False)
    places: list[Place] = []
    sure = True
    for text, wild in found:
        for folder in sorted(state.folders):
            if not folder and not text.startswith("/"):
                sure = False
                continue
            paths, complete = _glob(text, folder or "/") if wild else ([text], True)
            sure = sure and complete
            here = folder or "/"
            places += [locate(_literal(path), ground, here, follow=follow) for path in paths]
    return Target(word.text, tuple(places), sure and all(place.sure for place in places))


def _literal(path: str) -> str:
    """A quoted or produced ~ is a name, not the home."""
    return "./" + path if path.startswith("~") else path


def _glob(pattern: str, folder: str) -> tuple[list[str], bool]:
    """What a glob finds now, or itself when that is nothing; and whether that is all.

    ".." is never found by a glob, but may stand in the pattern, so it is kept as text.
    """
    names = pattern.split("/")
    first = next(index for index, name in enumerate(names) if set(name) & set("*?["))
    head = "/".join(names[:first]) or ("/" if pattern.startswith("/") else ".")
    if ".." in names[first:]:
        return [head], False
    found: list[str] = []
    rest = "/".join(names[first:])
    try:
        for path in (Path(folder) / head).glob(rest.replace("**", "*")):
            shown = zip(path.parts[::-1], reversed(names[first:]), strict=False)
            if any(name[0] == "." and part[:1] != "." for name, part in shown):
                continue
            found.append(str(path))
            if len(found) > _MAX_MATCHES:
                return [head, *found], False
    except (OSError, ValueError, NotImplementedError, IndexError):
        return [head], False
    return found or [pattern], True

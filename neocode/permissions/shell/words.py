"""Words of a shell line: what is known of the text that a command will get."""

from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["text", "wild", "var", "opaque", "tilde"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word.

    kind: text, known exactly; wild, an unquoted glob; var, a variable (text is its name);
        opaque, what cannot be known before it runs (text is its source); tilde, a ~ that
        the shell replaces (text is what follows it: "" for the own home).
    quoted: it stood in quotes, so it stays one word.
    settled: for a variable, its possible values are known and none can be an option.
    """

    kind: PieceKind
    text: str
    quoted: bool = False
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """One word. text: known parts as they are, unknown ones as in the source."""

    pieces: tuple[Piece, ...]
    text: str
    literal: bool

    @property
    def known(self) -> bool:
        """True when nothing but globs, ~ and settled variables keeps it from being literal."""
        return all(
            piece.kind in ("text", "wild", "tilde") or piece.settled for piece in self.pieces
        )

    @property
    def wild(self) -> bool:
        """True when the shell replaces it by the names of files."""
        return any(piece.kind == "wild" for piece in self.pieces)


_SIGIL = {"var": "$", "tilde": "~"}


def make_word(pieces: list[Piece]) -> Word:
    """A word of these pieces; neighbours of one kind are joined."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.kind == piece.kind == "text" and last.quoted == piece.quoted:
            joined[-1] = Piece("text", last.text + piece.text, piece.quoted)
        else:
            joined.append(piece)
    text = "".join(_SIGIL.get(piece.kind, "") + piece.text for piece in joined)
    return Word(tuple(joined), text, all(piece.kind == "text" for piece in joined))


def literal(text: str) -> Word:
    """A word whose text is known exactly."""
    return Word((Piece("text", text, True),) if text else (), text, True)


def unknown(source: str) -> Word:
    """A word of which nothing is known."""
    return Word((Piece("opaque", source),), source, False)


def after(word: Word, prefix: int) -> Word:
    """The word without its first characters of known text: "of=x" and 3 give "x".

    Returns an unknown word when that many characters are not known text.
    """
    pieces = list(word.pieces)
    left = prefix
    while left and pieces:
        first = pieces[0]
        if first.kind != "text":
            return unknown(word.text[prefix:])
        taken = min(left, len(first.text))
        left -= taken
        rest = first.text[taken:]
        pieces[:1] = [Piece("text", rest, first.quoted)] if rest else []
    if pieces and pieces[0].kind == "text" and not pieces[0].quoted:
        text = pieces[0].text
        if text == "~" or text.startswith("~/"):
            pieces[:1] = [Piece("tilde", ""), Piece("text", text[1:])]
    return make_word(pieces)

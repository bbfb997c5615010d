"""From tree-sitter nodes to words: quotes, escapes, braces and ~ as bash reads them."""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from neocode.permissions.shell.words import Piece, Word, make_word, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

WORD_TYPES = frozenset(
    {"word", "number", "string", "raw_string", "ansi_c_string", "translated_string"}
    | {"concatenation", "simple_expansion", "expansion", "command_substitution"}
    | {"process_substitution", "arithmetic_expansion", "brace_expression", "variable_name"}
    | {"extglob_pattern", "regex", "test_operator", "special_variable_name"}
)
EXPANSIONS = frozenset(
    {"simple_expansion", "expansion", "command_substitution", "process_substitution"}
    | {"arithmetic_expansion"}
)
_HIDDEN = re.compile(rb"(?<!\\)(?:\\\\)*(`|\$[({\[])")
_BARE_META = re.compile(rb"(?<!\\)(?:\\\\)*[;&|<>()`\n]")
_PLAIN_VAR = re.compile(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ANSI_PLAIN = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "e": "\x1b"}
_MAX_BRACES = 64


class Misread(Exception):
    """The parser's tree and the text do not agree, so that the line cannot be trusted."""


def read_words(node: "Node") -> list[Word]:
    """The words an argument becomes: one, or several where braces multiply it.

    Raises Misread.
    """
    pieces = _tilde(_pieces(node))
    return [make_word(found) for found in _braces(pieces)] or [unknown(text_of(node))]


def text_of(node: "Node") -> str:
    """The node's source."""
    return (node.text or b"").decode("utf-8", "replace")


def leftover(node: "Node") -> list[tuple["Node | None", bytes]]:
    """The node cut at its expansions: (expansion or None, its source), in order."""
    raw = node.text or b""
    cuts: list[tuple[Node | None, bytes]] = []
    position = 0
    for child in node.children:
        if child.type not in EXPANSIONS:
            continue
        begin, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
        cuts += [(None, raw[position:begin]), (child, raw[begin:end])]
        position = end
    return [*cuts, (None, raw[position:])]


def check_hidden(raw: bytes) -> None:
    """Raises Misread for a substitution that the parser took for text."""
    if _HIDDEN.search(raw):
        raise Misread("a substitution hides in text")


def _pieces(node: "Node") -> list[Piece]:
    match node.type:
        case "concatenation":
            return _concatenation(node)
        case "string":
            return _string(node)
        case "translated_string":
            return [piece for child in node.named_children for piece in _pieces(child)]
        case "raw_string":
            return [Piece("text", text_of(node)[1:-1], True)]
        case "ansi_c_string":
            return [_ansi(text_of(node)[2:-1])]
        case "simple_expansion" | "expansion":
            return [_variable(text_of(node), quoted=False)]
        case kind if kind in EXPANSIONS or kind in ("brace_expression", "extglob_pattern"):
            return [Piece("opaque", text_of(node))]
        case _:
            return _bare(node)


def _concatenation(node: "Node") -> list[Piece]:
    raw = node.text or b""
    found: list[Piece] = []
    position = 0
    for child in node.children:
        begin = child.start_byte - node.start_byte
        if raw[position:begin].replace(b"\\\n", b""):
            raise Misread("a word has a gap")
        found += _pieces(child)
        position = child.end_byte - node.start_byte
    return found


def _string(node: "Node") -> list[Piece]:
    """Double quotes: only \\$ \\` \\" \\\\ and backslash-newline are escapes."""
    found: list[Piece] = [Piece("text", "", True)]
    cuts = leftover(node)
    for index, (child, raw) in enumerate(cuts):
        if child is not None:
            source = raw.decode("utf-8", "replace")
            is_var = child.type in ("simple_expansion", "expansion")
            found.append(
                _variable(source, quoted=True) if is_var else Piece("opaque", source, True)
            )
            continue
        check_hidden(raw)
        text = raw.decode("utf-8", "replace")
        text = text[1:] if index == 0 else text
        text = text[:-1] if index == len(cuts) - 1 else text
        found.append(Piece("text", re.sub(r'\\(\n|[$`"\\])', _unescape, text), True))
    return found


def _unescape(match: re.Match[str]) -> str:
    return "" if match.group(1) == "\n" else match.group(1)


def _ansi(body: str) -> Piece:
    known = True

    def decode(match: re.Match[str]) -> str:
        nonlocal known
        code = match.group(1)
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        known = known and code in _ANSI_PLAIN
        return _ANSI_PLAIN.get(code, code)

    text = _ANSI.sub(decode, body)
    known = known and all(0 < ord(char) < 0x80 for char in text)
    return Piece("text", text, True) if known else Piece("opaque", f"$'{body}'", True)


def _variable(source: str, *, quoted: bool) -> Piece:
    plain = _PLAIN_VAR.fullmatch(source)
    if plain:
        return Piece("var", plain.group(1) or plain.group(2), quoted)
    return Piece("opaque", source, quoted)


def _bare(node: "Node") -> list[Piece]:
    """Unquoted text: backslashes quote, * ? and [ ] are globs."""
    raw = node.text or b""
    check_hidden(raw)
    if node.type == "word" and _BARE_META.search(raw.replace(b"\\\n", b"")):
        raise Misread("an operator hides in a word")
    text = raw.decode("utf-8", "replace")
    found: list[Piece] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char == "\\" and index + 1 < len(text):
            index += 1
            if text[index] != "\n":
                found.append(Piece("text", text[index], True))
        elif char in "*?" or (char == "[" and "]" in text[index + 2 :]):
            found.append(Piece("wild", char))
        else:
            found.append(Piece("text", char))
        index += 1
    return list(make_word(found).pieces)


def _tilde(pieces: list[Piece]) -> list[Piece]:
    """A leading, unquoted ~ is the home folder; ~user and ~+ are not known."""
    pieces = list(make_word(pieces).pieces)
    first = pieces[0] if pieces else None
    if not first or first.kind != "text" or first.quoted or not first.text.startswith("~"):
        return pieces
    if first.text.startswith("~/") or (first.text == "~" and len(pieces) == 1):
        return [Piece("tilde", ""), Piece("text", first.text[1:]), *pieces[1:]]
    return [Piece("opaque", first.text), *pieces[1:]]


def _braces(pieces: list[Piece]) -> list[list[Piece]]:
    """Expand {a,b}; a range {1..9} or too many words make the word unknown (no list)."""
    chars = [
        (char, piece) if piece.kind == "text" and not piece.quoted else ("", piece)
        for piece in pieces
        for char in (piece.text if piece.kind == "text" and not piece.quoted else [""])
    ]
    found = _expand([(char, piece) for char, piece in chars])
    if found is None or len(found) > _MAX_BRACES:
        return []
    return [[Piece("text", char) if char else piece for char, piece in word] for word in found]


_Chars = list[tuple[str, Piece]]


def _expand(chars: _Chars, depth: int = 0) -> list[_Chars] | None:
    opening = _first_braces(chars)
    if opening is None:
        return [chars]
    begin, commas, end = opening
    inside = "".join(char for char, _ in chars[begin + 1 : end])
    if not commas and ".." not in inside:
        rest = _expand(chars[end:], depth + 1)
        return None if rest is None else [chars[:end] + tail for tail in rest]
    if not commas or depth > 3:
        return None
    words: list[_Chars] = []
    edges = [begin, *commas, end]
    for left, right in pairwise(edges):
        branch = _expand(chars[:begin] + chars[left + 1 : right] + chars[end + 1 :], depth + 1)
        if branch is None or len(words) > _MAX_BRACES:
            return None
        words += branch
    return words


def _first_braces(chars: _Chars) -> tuple[int, list[int], int] | None:
    """The first "{" that is closed: its index, its own commas, the index of its "}"."""
    for begin, (char, _) in enumerate(chars):
        if char != "{":
            continue
        level = 0
        commas: list[int] = []
        for index in range(begin, len(chars)):
            here = chars[index][0]
            level += (here == "{") - (here == "}")
            if here == "," and level == 1:
                commas.append(index)
            if level == 0:
                return begin, commas, index
    return None

"""How a command changes what is known: cd and its kin, and the variables."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from neocode.permissions.paths import Ground, locate
from neocode.permissions.shell.line import Part, State, merge
from neocode.permissions.shell.read_words import Misread, read_words, text_of
from neocode.permissions.shell.resolve import texts
from neocode.permissions.shell.words import Word, literal, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_MOVERS = frozenset({"cd", "pushd", "popd", "chdir"})
_SETTERS = frozenset(
    {"read", "printf", "mapfile", "readarray", "getopts", "let", "unset", "export"}
    | {"set", "shopt", "trap", "declare", "local", "typeset", "readonly"}
)
_ANYTHING = frozenset({"eval", "source", ".", "alias", "exec", "dirs", "enable"})
_PREFIXES = frozenset({"command", "builtin"})


def after_command(part: Part, ground: Ground) -> tuple[State, State]:
    """What is known when the command went well, and in any case."""
    state = _after_expansions(part)
    words = part.words
    while len(words) > 1 and words[0].literal and words[0].text in _PREFIXES:
        words = words[1:]
    if not words:
        return state, state
    name = words[0].text if words[0].literal else ""
    if not name or name in _ANYTHING:
        lost = state.forgotten().moved(state.folders | {""})
        return lost, lost
    if name in _SETTERS:
        return state.forgotten(), state.forgotten()
    if name not in _MOVERS:
        return state, state
    moved = state.moved(_moved(name, words[1:], state, ground))
    return moved, merge(moved, state)


def _after_expansions(part: Part) -> State:
    """${X:=...} and $((X++)) assign while they expand."""
    for word in part.words:
        for piece in word.pieces:
            if piece.kind == "opaque" and ("=" in piece.text or "++" in piece.text):
                return part.state.forgotten()
    return part.state


def _moved(name: str, words: tuple[Word, ...], state: State, ground: Ground) -> frozenset[str]:
    operands = [word for word in words if word.text not in ("-L", "-P", "-e", "--", "-@")]
    if name in ("popd", "pushd") and (name == "popd" or not operands):
        return frozenset({""})
    if len(operands) > 1 or (operands and operands[0].text[:1] in ("-", "+")):
        return frozenset({""})
    if not operands:
        return frozenset({"" if "HOME" in state.variables else ground.home})
    found = texts(operands[0], state, ground)
    if found is None or any(wild for _, wild in found):
        return frozenset({""})
    folders: set[str] = set()
    for text, _ in found:
        for folder in state.folders:
            if not folder and not text.startswith("/"):
                folders.add("")
                continue
            joined = str(Path(folder or "/") / text)
            folders.add(os.path.normpath(joined))
            if ".." in text:
                folders.add(locate(joined, ground).real)
    return frozenset(folders)


def assign(state: State, name: str, value: Word) -> State:
    """After NAME=VALUE; a value that is not known, or appended to, forgets the variable."""
    bare = name.rstrip("+")
    plain = bare == name and bare.isidentifier() and value.known and not value.wild
    known = state.assigned(bare.split("[")[0], (value,) if plain else None)
    if bare == "PWD":
        return known.moved(known.folders | {""})
    return known


def read_assignment(node: "Node") -> tuple[str, Word]:
    """Name and value; the name ends in "+" for an appending assignment. Raises Misread."""
    source = text_of(node)
    name = source.split("=", 1)[0]
    value = node.child_by_field_name("value")
    if value is None:
        return name, literal("")
    if value.type == "array":
        return name, unknown(text_of(value))
    words = read_words(value)
    if len(words) != 1:
        raise Misread("an assignment is not understood")
    return name, words[0]

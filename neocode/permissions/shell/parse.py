"""A shell line, parsed by tree-sitter-bash, as its simple commands (spec/safety).

Everything that would run is a Part: chains, groups, loops, functions, substitutions,
here-documents. What the parser is not sure about, or reads differently from bash, becomes
a problem of the line, and a line with problems is never passed without a question.
"""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from neocode.permissions.paths import Ground
from neocode.permissions.shell.line import Line, State
from neocode.permissions.shell.walker import Overlong, Walker

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CHARS = 100_000
_GAP = re.compile(rb"(?:(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*)?")


@cache
def _parser() -> "Parser":
    """The parser, built on first use: the import costs about 20 ms."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(line: str, ground: Ground, state: State | None = None) -> Line:
    """Parse a line that starts in state (the project's folder when left out).

    Never raises: what cannot be read is in problems, and parts may be incomplete then.
    """
    problems = _odd_characters(line)
    if len(line) > MAX_CHARS:
        return Line(parts=(), problems=(f"it is longer than {MAX_CHARS} characters",))
    source = line.encode("utf-8", "replace")
    root = _parser().parse(source).root_node
    problems += _doubts(root, source)
    walker = Walker(ground)
    try:
        walker.sequence(root.children, state or State(frozenset({ground.root})))
    except (Overlong, RecursionError):
        walker.problems.append("it is too deeply nested")
    return Line(
        parts=tuple(walker.parts),
        problems=tuple(dict.fromkeys(problems + walker.problems)),
        bombs=tuple(walker.bombs),
    )


def _odd_characters(line: str) -> list[str]:
    """Characters that hide, or look like what they are not."""
    found: list[str] = []
    for char in sorted(set(line)):
        kind = unicodedata.category(char)
        if (kind in ("Cc", "Cf", "Cs", "Zl", "Zp") or (kind == "Zs" and char != " ")) and (
            char not in "\n\t"
        ):
            name = unicodedata.name(char, "control character")
            found.append(f"it contains U+{ord(char):04X} ({name.lower()})")
    return found


def _doubts(root: "Node", source: bytes) -> list[str]:
    """Where tree and text do not agree: errors, and text that belongs to no token."""
    found = ["it cannot be parsed as a shell line"] if root.has_error else []
    position = 0
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            break
        if node.type in ("raw_string", "heredoc_body") or not cursor.goto_first_child():
            start = max(position, node.start_byte)
            dash = node.type in ("<<", "<<-", "<<<") and source[position:start].strip() == b"-"
            if not dash and not _GAP.fullmatch(source, position, start):
                found.append("a part of it belongs to no command")
                break
            position = max(position, node.end_byte)
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    if not _GAP.fullmatch(source, position):
                        found.append("a part of it belongs to no command")
                    return found
    return found

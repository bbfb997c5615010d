"""Here-documents: their text, and whether parser and bash agree on where they end."""

import re
from typing import TYPE_CHECKING

from neocode.permissions.shell.read_words import Misread, check_hidden, leftover, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_START = re.compile(r"""(?P<quote>['"\\]?)(?P<word>[A-Za-z0-9_.-]+)(?P=quote)|\\(?P<bare>\w+)""")


def read_heredoc(node: "Node") -> str | None:
    """The document's text, None when it holds expansions and is not known.

    Raises Misread for an unusual end word, or an end that bash would place elsewhere.
    """
    start = next((text_of(c) for c in node.children if c.type == "heredoc_start"), "")
    ends = [text_of(c).strip() for c in node.children if c.type == "heredoc_end"]
    bodies = [c for c in node.children if c.type == "heredoc_body"]
    match = _START.fullmatch(start)
    if not match or len(ends) != 1 or len(bodies) > 1:
        raise Misread("a here-document is not understood")
    word = match.group("word") or match.group("bare")
    if ends[0] != word:
        raise Misread("the end of a here-document is not clear")
    if not bodies:
        return ""
    body = text_of(bodies[0])
    if not re.search(r"\n\t*$" if node.children[0].type == "<<-" else r"\n$", body):
        raise Misread("the end of a here-document is not clear")
    if any(line.strip("\t ") == word for line in body.split("\n")):
        raise Misread("a here-document may end early")
    if match.group("quote") or match.group("bare"):
        return body
    return _expanding(bodies[0], body)


def _expanding(node: "Node", body: str) -> str | None:
    cuts = leftover(node)
    for child, raw in cuts:
        if child is None:
            check_hidden(raw)
    return body if len(cuts) == 1 and "\\" not in body and "$" not in body else None

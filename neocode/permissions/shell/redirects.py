"""Redirections: their operators, targets and the text they put on standard input."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neocode.permissions.shell.heredoc import read_heredoc
from neocode.permissions.shell.line import Redirect
from neocode.permissions.shell.read_words import WORD_TYPES, Misread, read_words
from neocode.permissions.shell.words import Word

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")


def read_redirects(nodes: Sequence["Node"]) -> tuple[tuple[Redirect, ...], str | None]:
    """Redirections and the text they put on standard input, None without one.

    Raises Misread.
    """
    found: list[Redirect] = []
    stdin: str | None = None
    for node in nodes:
        if node.type == "heredoc_redirect":
            stdin = read_heredoc(node)
            found.append(Redirect("<<", None))
            behind = [c for c in node.named_children if c.type in REDIRECTS]
            found += read_redirects(behind)[0]
        elif node.type == "herestring_redirect":
            words = [w for child in node.named_children for w in read_words(child)]
            stdin = words[0].text if len(words) == 1 and words[0].literal else None
            found.append(Redirect("<<", None))
        else:
            found.append(_file_redirect(node))
    return tuple(found), stdin


def words_behind(redirects: Sequence["Node"]) -> list[Word]:
    """Arguments that stand behind <<EOF on its line."""
    return [
        word
        for redirect in redirects
        if redirect.type == "heredoc_redirect"
        for child in redirect.named_children
        if child.type in WORD_TYPES
        for word in read_words(child)
    ]


def lost_dash(node: "Node") -> bool:
    """True for "python - <<EOF": the parser leaves out a lone dash before <<."""
    raw = node.text or b""
    position = node.start_byte
    for child in node.children:
        gap = raw[position - node.start_byte : child.start_byte - node.start_byte]
        if gap.strip() == b"-":
            return True
        position = child.end_byte
    return False


def _file_redirect(node: "Node") -> Redirect:
    """Its operator and target; a copied descriptor (2>&1, >&-) has no target."""
    operator = next((c.type for c in node.children if not c.is_named), "")
    words = [w for c in node.named_children if c.type in WORD_TYPES for w in read_words(c)]
    if len(words) != 1:
        if operator in (">&-", "<&-"):
            return Redirect(operator, None)
        raise Misread("a redirection is not understood")
    target = words[0]
    if operator in (">&", "<&") and target.literal and target.text.rstrip("-").isdigit():
        return Redirect(operator, None)
    return Redirect(operator, target)

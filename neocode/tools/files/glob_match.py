"""Glob patterns against paths: *, **, ?, [..], {a,b}. Pure."""

import re

from neocode.tools.base import ToolError


def matcher(pattern: str) -> "re.Pattern[str]":
    """A pattern to fullmatch paths with "/" relative to the searched folder.

    Without "/" the pattern meets the last part at any depth, else the whole path; "**/"
    is any number of folders. Raises ToolError for a pattern that is broken.
    """
    plain = pattern.removeprefix("./")
    body = _translated(plain.lstrip("/"))
    if "/" not in plain.rstrip("/"):
        body = f"(?:.*/)?{body}"
    try:
        return re.compile(body, re.DOTALL)
    except re.error as error:
        raise ToolError(f"{pattern!r} is no usable glob pattern: {error}.") from error


def _translated(pattern: str) -> str:
    out: list[str] = []
    position, depth = 0, 0
    while position < len(pattern):
        rest = pattern[position:]
        char = rest[0]
        piece, size = re.escape(char), 1
        if rest.startswith("**/"):
            piece, size = "(?:[^/]+/)*", 3
        elif rest.startswith("**"):
            piece, size = ".*", 2
        elif char == "*":
            piece = "[^/]*"
        elif char == "?":
            piece = "[^/]"
        elif char == "[" and (found := re.match(r"\[([!^]?)(\]?[^\]]*)\]", rest)):
            members = re.sub(r"([\\\[&~|])", r"\\\1", found[2]).replace("--", r"\-")
            piece, size = f"(?!/)[{'^' if found[1] else ''}{members}]", len(found[0])
        elif char == "{" and "}" in rest:
            piece, depth = "(?:", depth + 1
        elif char == "}" and depth:
            piece, depth = ")", depth - 1
        elif char == "," and depth:
            piece = "|"
        elif char == "\\" and len(rest) > 1:
            piece, size = re.escape(rest[1]), 2
        out.append(piece)
        position += size
    return "".join(out) + ")" * depth

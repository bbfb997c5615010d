"""Syntax colours; pygments is imported with the first piece of code shown."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from neocode.tui.text.lines import Line, Span

MOST_CHARS = 60_000
"""Longer pieces of code are shown without colours: the lexer would hold up the screen."""

_BY_TOKEN = (
    ("Token.Comment", "c.comment"),
    ("Token.Keyword", "c.keyword"),
    ("Token.Operator.Word", "c.keyword"),
    ("Token.Literal.String", "c.string"),
    ("Token.Literal.Number", "c.number"),
    ("Token.Name.Function", "c.name"),
    ("Token.Name.Class", "c.name"),
    ("Token.Name.Decorator", "c.name"),
    ("Token.Name.Builtin", "c.builtin"),
    ("Token.Name.Tag", "c.keyword"),
    ("Token.Name.Attribute", "c.name"),
)


@lru_cache(maxsize=256)
def _style(token: Any) -> str:
    name = str(token)
    return next((style for prefix, style in _BY_TOKEN if name.startswith(prefix)), "code")


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    """The lexer of a language by one of its names, or None."""
    not_found: type[Exception] = import_module("pygments.util").ClassNotFound
    try:
        find = import_module("pygments.lexers").get_lexer_by_name
        return find(language, stripnl=False, ensurenl=False)
    except not_found:
        return None


def coloured(code: str, language: str) -> list[tuple[Span, ...]]:
    """The spans of each line of code; plain where the language is not known."""
    lexer = _lexer(language.lower()) if language and len(code) <= MOST_CHARS else None
    if lexer is None:
        return [(Span(text, "code"),) for text in code.split("\n")]
    rows: list[list[Span]] = [[]]
    for token, text in lexer.get_tokens(code):
        for index, part in enumerate(text.split("\n")):
            if index:
                rows.append([])
            if part:
                rows[-1].append(Span(part, _style(token)))
    wanted = code.count("\n") + 1
    return [tuple(row) for row in (rows + [[]] * wanted)[:wanted]]


def code_lines(code: str, language: str, indent: tuple[Span, ...] = ()) -> list[Line]:
    """A block of code; long lines break anywhere and copy as one."""
    return [Line(s, indent, indent, "codeblock", words=False) for s in coloured(code, language)]

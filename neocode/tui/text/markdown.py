"""Markdown to blocks, piece by piece as it streams; what is done is never parsed again."""

from typing import TYPE_CHECKING

from neocode.tui.text.clean import clean
from neocode.tui.text.code import code_lines
from neocode.tui.text.lines import Block, Line, Span
from neocode.tui.text.table import Table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_parser: "MarkdownIt | None" = None
_BULLETS = ("•", "◦", "▪")
_NO_CODE = Span("  ", "codeblock")


def parser() -> "MarkdownIt":
    """The parser, made once; CommonMark with tables and strikethrough."""
    global _parser
    if _parser is None:
        from markdown_it import MarkdownIt

        _parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return _parser


class MarkdownText:
    """A text that grows at its end.

    Its top-level blocks but the last are final; only the last is parsed again when more
    comes. An open code fence is not parsed at all: its lines are taken one by one.
    """

    def __init__(self, text: str = "") -> None:
        self.source = ""
        self._done: list[Block] = []
        self._tail = ""
        self._open: list[Block] = []
        self._fence: _OpenFence | None = None
        if text:
            self.append(text)

    @property
    def blocks(self) -> list[Block]:
        """Everything so far."""
        return [*self._done, *self._open]

    def append(self, text: str) -> None:
        """More text at the end; escape and control characters are dropped."""
        text = clean(text)
        self.source += text
        self._tail += text
        if self._fence is not None:
            self._feed_fence()
        else:
            self._parse()

    def _parse(self) -> None:
        tokens = parser().parse(self._tail)
        starts = [i for i, t in enumerate(tokens) if t.level == 0 and t.nesting >= 0 and t.map]
        if not starts:
            return
        last = starts[-1]
        if _line_of(tokens[last]) == self._tail.count("\n") and len(starts) > 1:
            last = starts[-2]  # its line is not whole yet: "*" may become "**bold**"
        first_line = _line_of(tokens[last])
        done = _Writer().write(tokens[:last])
        if done:
            self._keep(done)
        if first_line:
            self._tail = "\n".join(self._tail.split("\n")[first_line:])
        fence = _OpenFence.of(tokens[last], self._tail) if last == starts[-1] else None
        if fence is not None:
            self._fence = fence
            self._feed_fence()
        else:
            body = _Writer().write(tokens[last:])
            self._open = [*self._gap(), *body] if body else []

    def _feed_fence(self) -> None:
        fence = self._fence
        assert fence is not None
        closed = fence.feed(self._tail)
        if closed is None:
            self._open = [*self._gap(), *fence.blocks]
            return
        self._fence = None
        self._keep(code_lines("\n".join(fence.lines), fence.language, (_NO_CODE,)) or [Line()])
        self._tail, self._open = closed, []
        if closed.strip():
            self._parse()

    def _keep(self, blocks: list[Block] | list[Line]) -> None:
        self._done += [*self._gap(), *blocks]

    def _gap(self) -> list[Block]:
        return [Line()] if self._done else []


def _line_of(token: "Token") -> int:
    return (token.map or [0])[0]


class _OpenFence:
    """A top-level ``` block whose end has not come yet."""

    def __init__(self, marker: str, language: str) -> None:
        self.marker, self.language = marker, language
        self.lines: list[str] = []
        self.blocks: list[Block] = []
        self._whole: list[Block] = []

    @classmethod
    def of(cls, token: "Token", tail: str) -> "_OpenFence | None":
        """The fence that this token opens, if its end is not in tail yet."""
        head, newline, _ = tail.partition("\n")
        if token.type != "fence" or not newline or head[:1] not in "`~":
            return None
        return cls(token.markup, token.info.strip().split(" ")[0])

    def feed(self, tail: str) -> str | None:
        """Take the lines that came; the text behind the end once it was seen, else None.

        The newest line may be half a line: it is shown, but not yet judged.
        """
        *rows, newest = tail.split("\n")[1:]
        for index in range(len(self.lines), len(rows)):
            if self._ends(rows[index]):
                return "\n".join([*rows[index + 1 :], newest])
            self.lines.append(rows[index])
            self._whole += code_lines(rows[index], self.language, (_NO_CODE,))
        self.blocks = list(self._whole)
        if newest.strip() and not self._ends(newest):
            self.blocks += code_lines(newest, self.language, (_NO_CODE,))
        return None

    def _ends(self, row: str) -> bool:
        bare = row.strip()
        closing = len(bare) >= len(self.marker) and not bare.strip(self.marker[0])
        return closing and not row.startswith("    ")


class _Writer:
    """Writes the blocks of a token stream, with empty lines between them."""

    def __init__(self) -> None:
        self.out: list[Block] = []
        self._indent: list[Span] = []
        self._bullet: Span | None = None
        self._lists: list[int | None] = []
        self._fresh = True

    def write(self, tokens: "list[Token]") -> list[Block]:
        """The blocks of these tokens."""
        index = 0
        while index < len(tokens):
            index = self._token(tokens, index)
        return self.out

    def _token(self, tokens: "list[Token]", index: int) -> int:
        token = tokens[index]
        match token.type:
            case "paragraph_open":
                self._text(tokens[index + 1], "", gap=not token.hidden)
                return index + 3
            case "heading_open":
                style = "heading b u" if token.tag == "h1" else "heading b"
                self._text(tokens[index + 1], style, gap=True)
                return index + 3
            case "table_open":
                return self._table(tokens, index)
            case "list_item_open":
                self._item(gap=_is_loose(tokens, index))
            case "fence" | "code_block":
                self._gap()
                language = token.info.strip().split(" ")[0]
                prefix = (*self._prefix()[0], _NO_CODE)
                self.out += code_lines(token.content.removesuffix("\n"), language, prefix)
            case "hr":
                self._gap()
                self.out.append(Line((Span("─" * 24, "dim"),), *self._prefix()))
            case "html_block":
                self._gap()
                for row in token.content.rstrip("\n").split("\n"):
                    self.out.append(Line((Span(row, "muted"),), *self._prefix()))
            case _:
                self._nest(token)
        return index + 1

    def _nest(self, token: "Token") -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                if not self._lists:
                    self._gap()
                    self._fresh = True
                start = int(token.attrs.get("start", 1))
                self._lists.append(start if token.type == "ordered_list_open" else None)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "blockquote_open":
                self._gap()
                self._indent.append(Span("▌ ", "dim"))
                self._fresh = True
            case "list_item_close" | "blockquote_close":
                if self._bullet is not None:
                    self.out.append(Line((), *self._prefix()))
                self._indent.pop()
                self._fresh = False

    def _item(self, *, gap: bool) -> None:
        if gap:
            self._gap()
        number = self._lists[-1]
        if number is None:
            mark = f"{_BULLETS[(len(self._lists) - 1) % len(_BULLETS)]} "
        else:
            mark = f"{number}. "
            self._lists[-1] = number + 1
        self._bullet = Span(mark, "accent")
        self._indent.append(Span(" " * len(mark)))
        self._fresh = True

    def _prefix(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        rest = tuple(self._indent)
        if self._bullet is None:
            return rest, rest
        first, self._bullet = (*rest[:-1], self._bullet), None
        return first, rest

    def _gap(self) -> None:
        if self.out and not self._fresh:
            self.out.append(Line((), tuple(self._indent), tuple(self._indent)))
        self._fresh = False

    def _text(self, inline: "Token", style: str, *, gap: bool) -> None:
        if gap:
            self._gap()
        self._fresh = False
        first, rest = self._prefix()
        for row in _rows(inline, style):
            self.out.append(Line(tuple(row), first, rest))
            first = rest

    def _table(self, tokens: "list[Token]", index: int) -> int:
        self._gap()
        table = Table([], [], self._prefix()[0])
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                table.rows.append([])
            elif token.type in ("th_open", "td_open"):
                if token.type == "th_open":
                    css = str(token.attrs.get("style", ""))
                    table.align.append(css.removeprefix("text-align:") or "left")
                row = _rows(tokens[index + 1], "")
                table.rows[-1].append(tuple(span for part in row for span in part))
            index += 1
        self.out.append(table)
        return index + 1


def _is_loose(tokens: "list[Token]", index: int) -> bool:
    following = (t for t in tokens[index:] if t.type in ("paragraph_open", "list_item_close"))
    found = next(following, None)
    return found is not None and found.type == "paragraph_open" and not found.hidden


def _rows(inline: "Token", base: str) -> list[list[Span]]:
    """The rows of an inline token: hard breaks divide them, soft ones are blanks."""
    rows: list[list[Span]] = [[]]
    styles = [base] if base else []
    links: list[str] = []
    for token in inline.children or ():
        style = " ".join(styles)
        match token.type:
            case "text" | "html_inline":
                rows[-1].append(Span(token.content, style, links[-1] if links else ""))
            case "code_inline":
                rows[-1].append(Span(token.content, f"{style} inline".strip()))
            case "softbreak":
                rows[-1].append(Span(" ", style))
            case "hardbreak":
                rows.append([])
            case "image":
                rows[-1].append(Span(f"[image: {token.content}]", "muted"))
            case "link_open":
                styles.append("link")
                links.append(f"link:{token.attrs.get('href', '')}")
            case "link_close":
                styles.remove("link")
                rows[-1] += _address(links.pop().removeprefix("link:"), rows[-1])
            case _:
                _toggle(styles, token)
    return rows


def _address(href: str, row: list[Span]) -> list[Span]:
    shown = "".join(span.text for span in row)
    return [] if not href or href in shown else [Span(f" ({href})", "muted")]


def _toggle(styles: list[str], token: "Token") -> None:
    style = {"strong": "b", "em": "i", "s": "s"}.get(token.tag, "")
    if style and token.nesting == 1:
        styles.append(style)
    elif style and style in styles:
        styles.remove(style)

"""The list above the input: commands after "/", files after "@"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from neocode.tui.text.clean import one_line
from neocode.tui.text.lines import Span, crop
from neocode.tui.widgets.span_lines import SpanLines

MOST = 8
_MENTION = re.compile(r"(?:^|(?<=[\s(\"']))@([^\s@]*)$")
_COMMAND = re.compile(r"/([\w:-]*)$")
_ARGUMENT = re.compile(r"/([\w:-]+) +(.*)")


class Choice(NamedTuple):
    """One line of the list. text: what is put in; shown: how it is named; more: its help."""

    text: str
    shown: str
    more: str = ""


class Query(NamedTuple):
    """What is being completed: kind "command", "file" or "argument", the letters so far.

    taken: characters before the cursor that a choice takes the place of. command: whose
    argument it is.
    """

    kind: str
    letters: str
    taken: int = 0
    command: str = ""


def query_at(before: str, whole: str) -> Query | None:
    """What could be completed at a cursor with before to its left in its line."""
    first = before == whole.split("\n", 1)[0][: len(before)] and "\n" not in whole
    if first:
        command = _COMMAND.fullmatch(before)
        if command is not None:
            return Query("command", command[1], len(before))
    mention = _MENTION.search(before)
    if mention is not None:
        return Query("file", mention[1], len(mention[1]) + 1)
    argument = _ARGUMENT.fullmatch(before) if first else None
    if argument is not None:
        return Query("argument", argument[2], len(argument[2]), argument[1])
    return None


class Completions(SpanLines):
    """Choices with one of them marked; the prompt keeps the keys."""

    DEFAULT_CSS = "Completions { display: none; background: $surface; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.choices: list[Choice] = []
        self.marked = 0
        self.moved = False
        """Whether the mark was moved: then Enter takes an argument, else it sends the line."""
        self.query_now: Query | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.choices)

    @property
    def choice(self) -> Choice:
        """The marked choice; only while is_open."""
        return self.choices[self.marked]

    def open_for(self, query: Query, choices: Sequence[Choice]) -> None:
        """Show these choices, the first marked; none closes the list."""
        if query != self.query_now or [*choices] != self.choices:
            self.query_now, self.choices, self.marked = query, list(choices)[:MOST], 0
            self.moved = False
        self._draw()

    def hint(self, query: Query, words: str) -> None:
        """Nothing to choose, but something to know about what is being typed."""
        self.choices, self.query_now = [], query
        self.show([[Span("  "), Span(one_line(words, 300), "muted")]] if words else [])

    def close(self) -> None:
        """Nothing to choose."""
        self.choices, self.query_now = [], None
        self._draw()

    def move(self, step: int) -> None:
        """Mark the next (1) or the previous (-1) choice, around the ends."""
        self.marked, self.moved = (self.marked + step) % len(self.choices), True
        self._draw()

    def _draw(self) -> None:
        names = max((cell_len(c.shown) for c in self.choices), default=0)
        lines = []
        for index, choice in enumerate(self.choices):
            marked = index == self.marked
            shown = crop(choice.shown, max(20, self.app.size.width - 6))
            pad = " " * max(0, min(names, 40) - cell_len(shown))
            sign, style = ("▸ ", "accent b") if marked else ("  ", "")
            action = f"choose:{index}"
            lines.append(
                [
                    Span(sign, style),
                    Span(shown + pad, style, action),
                    Span(f"  {one_line(choice.more, 120)}" if choice.more else "", "muted", action),
                ]
            )
        self.show(lines)

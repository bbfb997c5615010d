"""What /copy takes: the last answer, or a piece of code out of it."""

from collections.abc import Sequence
from typing import NamedTuple

from neocode.tui.present import counted, figure
from neocode.tui.text.markdown import parser


class Taken(NamedTuple):
    """text: what is copied, "" for nothing. what: its name, or why there is nothing."""

    text: str
    what: str


def code_blocks(markdown: str) -> list[str]:
    """The code of every fenced or indented block, in order, without fences and indents."""
    tokens = parser().parse(markdown)
    blocks = [t.content for t in tokens if t.type in ("fence", "code_block")]
    return ["\n".join(row.rstrip() for row in b.rstrip("\n").split("\n")) for b in blocks]


def take(argument: str, answers: Sequence[str]) -> Taken:
    """What "/copy", "/copy code" or "/copy code N" means; answers: Markdown, oldest first."""
    if not answers:
        return Taken("", "There is no answer to copy yet.")
    word, _, number = argument.partition(" ")
    if not word:
        size = figure(len(answers[-1]))
        return Taken(answers[-1], f"the last answer ({size} characters)")
    if word != "code" or (number and not number.strip().isdigit()):
        return Taken("", "Use /copy for the last answer, /copy code [N] for a piece of its code.")
    return _code(answers, int(number) if number else 0)


def _code(answers: Sequence[str], number: int) -> Taken:
    """Block number (from 1) of the newest answer that has code; 0 is its last one."""
    blocks = next((found for a in reversed(answers) if (found := code_blocks(a))), [])
    if not blocks:
        return Taken("", "No answer of this session has code in it. /copy takes the whole answer.")
    if number > len(blocks):
        have = counted(len(blocks), "block")
        return Taken("", f"That answer has {have} of code: /copy code 1 to {len(blocks)}.")
    text = blocks[number - 1]
    which = number or len(blocks)
    return Taken(
        text, f"code block {which} of {len(blocks)} ({counted(len(text.splitlines()), 'line')})"
    )

"""Rows of what was said: the user's prompt, the answer, its reasoning."""

from neocode.tui.present import counted, duration
from neocode.tui.rows.base import Item
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Block, Line, Span, lines
from neocode.tui.text.markdown import MarkdownText

_FOLD_ABOVE = 30


class UserItem(Item):
    """A prompt, on a band of its own; a long one is folded."""

    kind = "user"

    def __init__(self, key: str, text: str, images: int = 0) -> None:
        super().__init__(key, key)
        self.text, self.images = clean(text), images

    def blocks(self) -> list[Block]:
        """The text as it was typed, never as Markdown."""
        mark, indent = (Span("▌ ", "accent"),), (Span("▌ ", "accent"),)
        rows = self.text.rstrip("\n").split("\n")
        shown = rows if self.unfolded or len(rows) <= _FOLD_ABOVE else rows[: _FOLD_ABOVE - 5]
        out: list[Block] = [Line((Span(row, "b"),), mark, indent, "user") for row in shown]
        if len(shown) < len(rows):
            more = f"… {len(rows) - len(shown)} more lines"
            out.append(Line((Span(more, "button", "fold"),), mark, indent, "user"))
        if self.images:
            chip = f"[{counted(self.images, 'image')}]"
            out.append(Line((Span(chip, "muted"),), mark, indent, "user"))
        return out

    @property
    def foldable(self) -> bool:
        """Long ones are folded."""
        return self.text.count("\n") >= _FOLD_ABOVE

    @property
    def copy_text(self) -> str:
        """The prompt."""
        return self.text


class AnswerItem(Item):
    """A reply; it grows while it streams."""

    kind = "answer"

    def __init__(self, key: str, text: str = "", *, interrupted: bool = False) -> None:
        super().__init__(key, key)
        self._source, self._markdown = text, None if text else MarkdownText()
        self.interrupted = interrupted

    def _parsed(self) -> MarkdownText:
        if self._markdown is None:
            self._markdown = MarkdownText(self._source)
        return self._markdown

    def append(self, text: str) -> None:
        """A piece more at the end."""
        self._parsed().append(text)
        self._source += text
        self.touch()

    def settle(self, text: str) -> None:
        """It is complete: text is what was stored, whatever came before."""
        if text.strip() != self._source.strip() and text.strip():
            self._source, self._markdown = text, None
        self.touch()

    def blocks(self) -> list[Block]:
        """The Markdown's blocks, and a word when the reply was broken off."""
        out = self._parsed().blocks
        if self.interrupted:
            out.append(Line((Span("■ stopped here", "warn"),)))
        return out

    @property
    def copy_text(self) -> str:
        """The Markdown source."""
        return self._source


class ReasoningItem(Item):
    """The model's thoughts, folded to one line."""

    kind = "reasoning"

    def __init__(self, key: str, text: str = "", *, unfolded: bool = False) -> None:
        super().__init__(key)
        self.text, self.seconds, self.running = text, 0.0, not text
        self.unfolded = unfolded

    def append(self, text: str) -> None:
        """A piece more at the end."""
        self.text += text
        if self.unfolded or len(self.text) < 200:
            self.touch()

    def finish(self, seconds: float) -> None:
        """It is complete and took this long."""
        self.seconds, self.running = seconds, False
        self.touch()

    def blocks(self) -> list[Block]:
        """One line, and the text below it when unfolded."""
        word = "Thinking" if self.running else "Thought"
        took = f" for {duration(self.seconds)}" if self.seconds >= 0.05 else ""
        mark = "▾" if self.unfolded else "▸"
        head: list[Block] = [Line((Span(f"{mark} {word}{took}", "muted", "fold"),))]
        if self.unfolded:
            head += lines(clean(self.text).strip(), "muted i", (Span("  "),))
        elif self.running:
            tail = one_line(self.text[-300:], 200)
            head[0] = Line((Span(f"{mark} {word}… ", "muted", "fold"), Span(tail[-60:], "dim i")))
        return head

    @property
    def foldable(self) -> bool:
        """Always."""
        return True

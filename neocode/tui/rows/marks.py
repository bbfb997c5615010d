"""Rows that are no messages: notices, errors, compactions, dividers, the welcome."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from neocode.tui.present import (
    compact_done_words,
    compact_error_words,
    compact_figures,
    counted,
)
from neocode.tui.rows.base import Item
from neocode.tui.text.clean import clean
from neocode.tui.text.lines import Block, Line, Span, lines


class NoticeItem(Item):
    """Something the user should know, with what to do next."""

    kind = "notice"
    _SIGNS: ClassVar = {"info": ("·", "muted"), "warning": ("!", "warn"), "error": ("✗", "error")}

    def __init__(self, key: str, message: str, level: str = "info", hint: str = "") -> None:
        super().__init__(key)
        self.message, self.level, self.hint = message, level, hint

    def update(self, message: str) -> None:
        """Other words in the same place (a countdown)."""
        self.message = message
        self.touch()

    def blocks(self) -> list[Block]:
        """Sign and words; meaning never by colour alone."""
        sign, style = self._SIGNS.get(self.level, self._SIGNS["info"])
        text_style = style if self.level != "info" else "muted"
        rows = clean(self.message).strip().split("\n")
        first, rest = (Span(f"{sign} ", f"{style} b"),), (Span("  "),)
        out: list[Block] = []
        for row in rows:
            out.append(Line((Span(row, text_style),), rest if out else first, rest))
        if self.hint:
            out += lines(clean(self.hint).strip(), "muted", (Span("  → ", "accent"),))
        return out


class HintItem(Item):
    """A quiet hint with what can be clicked, and the key that does the same.

    buttons: words, action, key.
    """

    kind = "notice"

    def __init__(self, key: str, words: str, buttons: Sequence[tuple[str, str, str]]) -> None:
        super().__init__(key)
        self.words, self.buttons = words, buttons

    def blocks(self) -> list[Block]:
        """The words, the buttons below them."""
        row: list[Span] = []
        for words, action, by in self.buttons:
            row += [Span(f"[{words}]", "button", action), Span(f" {by}   ", "muted")]
        rest = (Span("  "),)
        first = (Span("· ", "warn b"),)
        return [Line((Span(self.words, "muted"),), first, rest), Line(tuple(row), rest, rest)]


class CompactItem(Item):
    """A compaction from its start to its end (spec/tui, compaction on the screen)."""

    kind = "compact"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.state, self.seconds, self.waiting = "running", 0, ""
        self.payload: Mapping[str, object] = {}
        self.newest, self.undone = True, False

    def tick(self, seconds: int) -> None:
        """So many seconds have gone by."""
        self.seconds = seconds
        self.touch()

    def wait(self, words: str) -> None:
        """A call failed and is tried again, as these words say."""
        self.waiting = words
        self.touch()

    def place(self, *, newest: bool, undone: bool) -> bool:
        """Whether undo (or, for an undone one, redo) would take just this compaction.

        True when it looks different now.
        """
        changed = (newest, undone) != (self.newest, self.undone)
        if changed:
            self.newest, self.undone = newest, undone
            self.touch()
        return changed

    def done(self, payload: Mapping[str, object]) -> None:
        """It ended well; payload: the fields of compact_done."""
        self.state, self.payload = "done", payload
        self.touch()

    def failed(self, payload: Mapping[str, object]) -> None:
        """It failed; payload: the fields of compact_error."""
        self.state, self.payload = "failed", payload
        self.touch()

    def blocks(self) -> list[Block]:
        """The row, with what can be clicked."""
        if self.state == "running":
            words = f"Compacting context… {self.seconds} s"
            row = (Span("◌ ", "blue b"), Span(words, "blue"), Span("  Esc stops", "muted"))
            wait = lines(clean(self.waiting), "warn", (Span("  "),)) if self.waiting else []
            return [Line(row), *wait]
        return self._failed() if self.state == "failed" else self._done()

    def _done(self) -> list[Block]:
        rest = (Span("  "),)
        sign, style = (("↶ ", "muted"), "muted") if self.undone else (("✓ ", "ok b"), "b")
        undone = " · undone" if self.undone else ""
        head = [Span(*sign), Span(compact_done_words(self.payload) + undone, style)]
        if not self.payload.get("applied", True):
            return [Line(tuple(head), (), rest)]
        buttons: list[Span] = [Span(f"{compact_figures(self.payload)}  ".lstrip(), "muted")]
        for words, action in self._buttons():
            buttons += [Span(f"[{words}]", "button", action), Span(" ")]
        out: list[Block] = [Line(tuple(head), (), rest), Line(tuple(buttons[:-1]), rest, rest)]
        return out + self._path()

    def _buttons(self) -> list[tuple[str, str]]:
        """What can be done with it: only the newest can be taken back."""
        wanted = self.payload.get("summary_message_id") or self.payload.get("transcript_id") or ""
        shown = [("view summary", f"summary:{wanted}")]
        if self.newest:
            verb = "redo" if self.undone else "undo"
            shown.append((verb, f"command:/compact {verb}"))
        return shown

    def _failed(self) -> list[Block]:
        rest = (Span("  "),)
        cancelled = self.payload.get("reason") == "cancelled"
        sign = Span("■ ", "warn b") if cancelled else Span("✗ ", "error b")
        words = Span(compact_error_words(self.payload), "warn" if cancelled else "error")
        buttons = (
            Span("[try again]", "button", "command:/compact"),
            Span(" "),
            Span("[new session]", "button", "command:/new"),
        )
        return [Line((sign, words), (), rest), Line(buttons, rest, rest), *self._path()]

    def _path(self) -> list[Block]:
        path = self.payload.get("transcript_path")
        if not path:
            return []
        text = Span(f"full text kept in {clean(str(path))}", "muted")
        return [Line((text,), (Span("  "),), (Span("  "),))]


class MoreItem(Item):
    """Says how much of the archive is not on the screen, and how to get it."""

    kind = "divider"

    def __init__(self, key: str, count: int) -> None:
        super().__init__(key)
        self.count = count

    def blocks(self) -> list[Block]:
        """One line."""
        words = Span(f"↑ {counted(self.count, 'archived message')} above · PageUp or ", "muted")
        show = Span("[show]", "button", "archive")
        return [Line((words, show, Span(" · F4: the full history", "muted")))]


class SummaryItem(Item):
    """The summary that a compaction put in the place of its archive (full view)."""

    kind = "summary"

    def __init__(self, message_id: str, text: str) -> None:
        super().__init__(message_id, message_id)
        self.text = text

    def blocks(self) -> list[Block]:
        """One line; the drawer shows the text."""
        size = Span(f" ({len(self.text):,} characters)  ", "muted")
        button = Span("[view summary]", "button", f"summary:{self.message_id}")
        return [Line((Span("≡ ", "accent"), Span("Summary of what stands above"), size, button))]


class DividerItem(Item):
    """A rule across the conversation with words in it."""

    kind = "divider"

    def __init__(self, key: str, words: str) -> None:
        super().__init__(key)
        self.words = words

    def blocks(self) -> list[Block]:
        """The rule."""
        return [Line((Span("── ", "dim"), Span(self.words, "muted"), Span(" ──", "dim")))]


class TextItem(Item):
    """Ready-made blocks: the welcome, the output of a command, pages of a drawer."""

    kind = "welcome"

    def __init__(self, key: str, blocks: Sequence[Block]) -> None:
        super().__init__(key)
        self._blocks = list(blocks)

    def blocks(self) -> list[Block]:
        """What it was given."""
        return list(self._blocks)

    @property
    def copy_text(self) -> str:
        """Its text at a common width."""
        return "\n".join(t for b in self._blocks for t in b.layout(100).texts)

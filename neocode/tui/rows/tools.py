"""The row of a tool call: one foldable line; diffs and failures show more of themselves."""

from collections.abc import Mapping

from neocode.tui.present import duration, is_failure, result_words
from neocode.tui.rows.base import Item
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Block, Line, Span, lines
from neocode.tui.text.side_by_side import Diff

_INDENT = (Span("  │ ", "dim"),)
_LIVE_ROWS = 5
_DIFF_ROWS = 16
_MOST_ROWS = 60
_REVEALED = 20_000


class ToolItem(Item):
    """What was called, on what, with which result, in which time."""

    kind = "tool"

    def __init__(self, key: str, name: str, summary: str) -> None:
        super().__init__(key)
        self.name, self.summary = name, one_line(summary or name, 600)
        self.state = "running"
        self.result, self.took, self.note = "", 0.0, ""
        self.output, self.diff = "", ""
        self._most = _MOST_ROWS

    def reveal(self) -> None:
        """Unfold it, every row of it."""
        self.unfolded, self._most = True, _REVEALED
        self.touch()

    def whole(self) -> list[Block]:
        """All of its output or its diff, for a page of its own."""
        if self.diff:
            return [Diff(self.diff)]
        return list(lines(clean(self.output).strip("\n")))

    def add_output(self, text: str) -> None:
        """Live output of the running tool."""
        self.output = (self.output + text)[-40_000:]
        self.touch()

    def wait(self) -> None:
        """It waits for the user's permission."""
        self.state = "waiting"
        self.touch()

    def resume(self, note: str = "") -> None:
        """It was permitted (or will soon have its refusal as a result)."""
        self.state, self.note = "running", note
        self.touch()

    def finish(
        self, content: str, is_error: bool, metadata: Mapping[str, object], seconds: float
    ) -> None:
        """Its result is there."""
        self.state = "failed" if is_failure(is_error, metadata) else "done"
        if metadata.get("interrupted"):
            self.state = "stopped"
        self.result = result_words(self.name, content, is_error, metadata)
        self.took, self.output = seconds, content
        self.diff = str(metadata.get("diff") or "")
        self.touch()

    def blocks(self) -> list[Block]:
        """The line, and what is to be seen below it."""
        return [self._head(), *self._body()]

    def _head(self) -> Line:
        sign, style = {
            "running": ("◌", "accent"),
            "waiting": ("?", "warn b"),
            "done": ("✓", "ok"),
            "failed": ("✗", "error b"),
            "stopped": ("■", "warn"),
        }[self.state]
        what, _, target = self.summary.partition(" ")
        spans = [Span(f"{sign} ", style, "fold"), Span(what, "b", "fold")]
        if target:
            spans.append(Span(f" {target}", "", "fold"))
        words = self.result if self.state != "waiting" else "waits for your answer"
        if words:
            spans.append(Span(f"  {words}", "error" if self.state == "failed" else "muted", "fold"))
        if self.took >= 0.05:
            spans.append(Span(f"  {duration(self.took)}", "muted", "fold"))
        return Line(tuple(spans), (), (Span("    "),))

    def _body(self) -> list[Block]:
        if self.diff:
            return [Diff(self.diff, (Span("  "),), 0 if self.unfolded else _DIFF_ROWS)]
        text = clean(self.output).strip("\n")
        if not text.strip():
            return []
        rows = text.split("\n")
        if self.unfolded:
            shown = rows[: self._most]
        elif self.state == "running":
            shown = rows[-_LIVE_ROWS:]
        elif self.state == "failed":
            shown = rows[-_LIVE_ROWS:] if len(rows) > 1 else []
        else:
            return []
        out: list[Block] = list(lines("\n".join(shown), "muted", _INDENT))
        if self.unfolded and len(rows) > self._most:
            more = f"… {len(rows) - self._most:,} more lines "
            button = Span("[open the whole output]", "button", f"output:{self.key}")
            out.append(Line((Span(more, "muted"), button, Span(" Alt+O", "muted")), _INDENT))
        return out

    @property
    def foldable(self) -> bool:
        """It has output or a diff."""
        return bool(self.copy_text.strip())

    @property
    def copy_text(self) -> str:
        """The output or the diff."""
        return self.diff or self.output

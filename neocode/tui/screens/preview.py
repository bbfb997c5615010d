"""/compact preview: what a compaction would do; accept, change it, or go back."""

from collections.abc import Sequence
from typing import ClassVar

from neocode.commands.compact_commands import first_words
from neocode.commands.money import usd
from neocode.compact.result import Preview
from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message
from neocode.runtime.api import EngineApi
from neocode.runtime.compaction import Wanted
from neocode.tui.pages import heading, pairs
from neocode.tui.present import counted
from neocode.tui.screens.page import Page, Row, plain_row
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Line, Span

STRATEGIES: tuple[Wanted, ...] = ("keep_recent", "full_replace", "token_budget", "extractive")
WORDS = {
    "keep_recent": "keeps the newest messages",
    "full_replace": "keeps only the newest message of yours",
    "token_budget": "keeps the head and as much of the tail as a budget holds",
    "extractive": "as configured, but the summary is made by code: no model is asked",
}


class PreviewScreen(Page):
    """Every change is reckoned anew; nothing is written before Enter."""

    heading = "Preview of a compaction: nothing is written yet"
    _WAYS: ClassVar = {"left": -1, "right": 1, "s": 1}
    _KEEPS: ClassVar = {"plus": 1, "equals_sign": 1, "minus": -1}

    def __init__(self, engine: EngineApi, focus: str = "") -> None:
        super().__init__()
        self._engine, self._focus = engine, focus
        compact = engine.config.context.compact
        self._wanted: Wanted | None = None
        self._configured: Wanted = compact.manual_strategy
        self._keep = compact.manual_keep_recent_messages
        self._preview: Preview | None = None
        self._fault = ""
        self._look()

    @property
    def strategy(self) -> Wanted:
        """The one that is looked at."""
        return self._wanted or self._configured

    def _look(self) -> None:
        keep = self._keep if self.strategy == "keep_recent" else None
        try:
            self._preview = self._engine.preview_compaction(self._focus, self._wanted, keep)
            self._fault = ""
        except NeoCodeError as error:
            self._preview, self._fault = None, f"{error.message} {error.hint}".strip()

    def rows(self) -> list[Row]:
        """Choices first, then what they come to."""
        back, on = Span("◂ ", "button", "s:-1"), Span(" ▸", "button", "s:1")
        strategy = Span(self.strategy, "b")
        rows = [plain_row(Span("strategy   ", "accent"), back, strategy, on)]
        rows.append(plain_row(Span(WORDS[self.strategy], "muted"), indent=" " * 13))
        if self.strategy == "keep_recent":
            less, more = Span("− ", "button", "k:-1"), Span(" +", "button", "k:1")
            count = Span(str(self._keep), "b")
            tail = Span("  messages, at least", "muted")
            rows.append(plain_row(Span("keep       ", "accent"), less, count, more, tail))
        if self._focus:
            focus = Span(one_line(self._focus, 200))
            rows.append(plain_row(Span("focus      ", "accent"), focus))
        rows.append(plain_row())
        if self._preview is None:
            return [*rows, plain_row(Span(f"✗ This would fail: {self._fault}", "error"))]
        return rows + _figures(self._preview)

    def hint(self) -> list[list[Span]]:
        """The keys; Enter only where something would happen."""
        keep = " · + − keep" if self.strategy == "keep_recent" else ""
        rest = Span(f"  ← → strategy{keep} · Esc back", "muted")
        return [[Span("[Enter: compact]", "button", "accept"), rest] if self._acts else [rest]]

    @property
    def _acts(self) -> bool:
        return self._preview is not None and not self._preview.reason

    def pressed(self, key: str) -> bool:
        """Change or accept."""
        if key in self._WAYS:
            self._change(self._WAYS[key])
        elif key in self._KEEPS and self.strategy == "keep_recent":
            self._more(self._KEEPS[key])
        elif key == "enter" and self._acts:
            self._accept()
        else:
            return False
        return True

    def acted(self, action: str) -> None:
        """A click is a key."""
        kind, _, step = action.partition(":")
        if kind == "s":
            self._change(int(step))
        elif kind == "k":
            self._more(int(step))
        elif kind == "accept":
            self._accept()

    def _change(self, step: int) -> None:
        at = STRATEGIES.index(self.strategy)
        self._wanted = STRATEGIES[(at + step) % len(STRATEGIES)]
        self._look()
        self.draw()

    def _more(self, step: int) -> None:
        self._keep = max(1, min(1000, self._keep + step))
        self._look()
        self.draw()

    def _accept(self) -> None:
        keep = self._keep if self.strategy == "keep_recent" else None
        self._engine.compact(focus=self._focus, strategy=self._wanted, keep=keep)
        self.dismiss(None)


def _figures(preview: Preview) -> list[Row]:
    if preview.reason:
        words = f"Nothing to archive: {preview.reason}. The conversation would stay as it is."
        return [plain_row(Span(clean(words), "warn"))]
    saved = max(0, preview.tokens_before - preview.tokens_after)
    share = f"  ({saved / preview.tokens_before:.0%} less)" if preview.tokens_before else ""
    before, after = usd(preview.next_cost_before), usd(preview.next_cost_after)
    blocks = pairs(
        [
            (
                "next request",
                f"~{preview.tokens_before:,} → ~{preview.tokens_after:,} tokens{share}",
            ),
            ("price of its input", f"{before} → {after}, read without a cache"),
            ("summary", _summary(preview)),
        ]
    )
    cut = f", {preview.shortened} of them shortened" if preview.shortened else ""
    archived = f"Archived: {counted(len(preview.archived), 'message')}"
    kept = f"Kept: {counted(len(preview.kept), 'message')}{cut}"
    return [
        Row(blocks),
        plain_row(),
        Row([heading(archived), *_listed(preview.archived)]),
        Row([heading(kept), *_listed(preview.kept)]),
    ]


def _summary(preview: Preview) -> str:
    if not preview.archived:
        return "none: large results are shortened, nothing is archived"
    if not preview.model:
        return "made by code alone, no model is asked, $0.00"
    form = "on the cached prefix" if preview.form == "cached_prefix" else "flattened"
    size = f"~{preview.request_tokens:,} tokens {form}"
    return f"by {preview.model}: {size}, about {usd(preview.cost_usd)}"


def _listed(messages: Sequence[Message]) -> list[Line]:
    out = []
    for message in messages:
        who = Span(f"{message.tool_name or message.role:<10} ", "muted")
        words = Span(clean(first_words(message)))
        out.append(Line((who, words), (Span("  "),), (Span(" " * 13),)))
    return out

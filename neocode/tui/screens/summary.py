"""The summary drawer: one compaction of the session, and the way to the others."""

from collections.abc import Sequence

from neocode.domain.session import CompactionRecord
from neocode.runtime.api import EngineApi
from neocode.tui.pages import summary_blocks
from neocode.tui.screens.page import Page, Row
from neocode.tui.text.lines import Span


def record_at(records: Sequence[CompactionRecord], wanted: str) -> int:
    """The compaction of a summary or transcript id; the newest for "" or an unknown one."""
    for at, record in enumerate(records):
        if wanted and wanted in (record.summary_message_id, record.transcript_id, record.id):
            return at
    in_force = [at for at, record in enumerate(records) if not record.undone_at]
    return in_force[-1] if in_force else len(records) - 1


class SummaryScreen(Page):
    """Before and after, summary, task state, audit, transcript; undo and redo."""

    heading = "Compaction"

    def __init__(self, engine: EngineApi, wanted: str = "") -> None:
        super().__init__()
        self._engine = engine
        self._records = engine.compactions()
        self._at = record_at(self._records, wanted)

    @property
    def record(self) -> CompactionRecord | None:
        """The one that is shown."""
        return self._records[self._at] if self._records else None

    def rows(self) -> list[Row]:
        """All that is known of it."""
        record = self.record
        self.heading = f"Compaction {self._at + 1} of {len(self._records)}"
        if record is None:
            self.heading = "Compactions"
        return [Row(summary_blocks(record, self._text(record)))]

    def _text(self, record: CompactionRecord | None) -> str:
        if record is None or not record.summary_message_id:
            return ""
        wanted = record.summary_message_id
        live = [m for m in self._engine.session.messages if m.id == wanted]
        found = live or [m for m in self._engine.full_history() if m.id == wanted]
        return found[0].content if found else ""

    def hint(self) -> list[list[Span]]:
        """Undo or redo where it would take just this one; the way to the others."""
        spans: list[Span] = []
        verb = self._verb()
        if verb:
            spans += [
                Span(f"[{verb}]", "button", f"command:/compact {verb}"),
                Span(f" {verb[0]} · "),
            ]
        others = "← → the others · " if len(self._records) > 1 else ""
        spans.append(Span(f"{others}Up, Down, PageDown · Esc closes", "muted"))
        return [spans]

    def _verb(self) -> str:
        if self.record is None:
            return ""
        in_force = [at for at, record in enumerate(self._records) if not record.undone_at]
        newest = in_force[-1] if in_force else -1
        return {newest: "undo", newest + 1: "redo"}.get(self._at, "")

    def pressed(self, key: str) -> bool:
        """Another one, or undo and redo by their first letters."""
        step = {"left": -1, "right": 1}.get(key)
        verb = self._verb()
        if step is not None and self._records:
            self._at = max(0, min(len(self._records) - 1, self._at + step))
            self.draw()
        elif verb and key == verb[0]:
            self.dismiss(f"command:/compact {verb}")
        elif key in ("enter", "f2"):
            self.dismiss(None)
        else:
            return False
        return True

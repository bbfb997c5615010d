"""`neocode compact`: the compaction events without a screen."""

import sys
from typing import TextIO

from neocode.config.schema import Strategy
from neocode.domain.events import (
    CompactDone,
    CompactError,
    CompactStart,
    RuntimeEvent,
    event_to_json,
)
from neocode.headless.run import Printer, Step, drive
from neocode.runtime.api import EngineApi

SHOWN = (CompactStart, CompactDone, CompactError)


class CompactPrinter(Printer):
    """Shows the three compaction events and keeps the one that ended it."""

    last: CompactDone | CompactError | None = None

    def show(self, event: RuntimeEvent) -> None:
        """One event; for jsonl only the compaction's own."""
        if isinstance(event, CompactDone | CompactError):
            self.last = event
        if self.output != "jsonl" or isinstance(event, SHOWN):
            super().show(event)


async def compact_headless(
    engine: EngineApi,
    *,
    action: str,
    strategy: Strategy | None,
    focus: str,
    output: str,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Compact, or undo or redo; returns the exit status."""
    printer = CompactPrinter(output, out, err)
    await drive(engine, printer, [_step(engine, action, strategy, focus)])
    if output == "json" and printer.last is not None:
        printer.line(event_to_json(printer.last))
    elif output == "text":
        out.write(_said(printer.last, action))
    out.flush()
    return printer.exit_code


def _step(engine: EngineApi, action: str, strategy: Strategy | None, focus: str) -> Step:
    async def take() -> str | None:
        match action:
            case "undo":
                await engine.undo_compaction()
            case "redo":
                await engine.redo_compaction()
            case _:
                engine.compact(focus=focus, strategy=strategy)
        return None

    return take


def _said(last: CompactDone | CompactError | None, action: str) -> str:
    match last:
        case CompactDone(applied=True):
            return (
                f"Context compacted: {last.removed_count} messages archived, "
                f"~{last.tokens_before:,} -> ~{last.tokens_after:,} tokens.\n"
                f"Transcript: {last.transcript_path}\n"
            )
        case CompactDone():
            return "Nothing to archive; the conversation is unchanged.\n"
        case CompactError():
            return ""  # said on standard error already
        case None:
            return f"Compaction: {action} done.\n"

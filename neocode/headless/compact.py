"""`neocode compact`: compactions, their preview and their undoing without a screen."""

import sys
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from neocode.commands.compact_commands import REDONE, UNDONE, first_words, preview_text
from neocode.compact.result import Preview
from neocode.domain.clock import utc_now
from neocode.domain.events import (
    CompactDone,
    CompactError,
    CompactStart,
    NoticeEvent,
    RunError,
    RuntimeEvent,
    event_to_json,
)
from neocode.domain.messages import Message
from neocode.headless.run import Printer, Step, drive
from neocode.runtime.api import EngineApi
from neocode.runtime.compaction import Wanted

SHOWN = (CompactStart, CompactDone, CompactError, RunError)
INTERRUPTED = 130

Action = Literal["compact", "preview", "undo", "redo"]


class CompactPrinter(Printer):
    """Shows the three compaction events and keeps the one that ended it."""

    last: CompactDone | CompactError | RunError | None = None

    def show(self, event: RuntimeEvent) -> None:
        """One event; for jsonl only the compaction's own, and what could not be done."""
        if isinstance(event, CompactDone | CompactError | RunError):
            self.last = event
        if self.output != "jsonl" or isinstance(event, SHOWN):
            super().show(event)

    def _compacted(self, event: CompactDone) -> None:
        """Told once, at the end, as the result."""
        self.compactions += event.applied

    @property
    def exit_code(self) -> int:
        """As for a run; 130 when the compaction was stopped."""
        is_stopped = isinstance(self.last, CompactError) and self.last.reason == "cancelled"
        return INTERRUPTED if is_stopped else super().exit_code


@dataclass(slots=True)
class _Told:
    """What an action that makes no event has to say. data: for json and jsonl."""

    text: str = ""
    data: dict[str, Any] | None = None


async def compact_headless(
    engine: EngineApi,
    *,
    action: Action,
    strategy: Wanted | None,
    focus: str,
    output: str,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Compact, look first, undo or redo; returns the exit status."""
    printer, told = CompactPrinter(output, out, err), _Told()
    await drive(engine, printer, [_step(engine, action, strategy, focus, told)])
    if output == "text":
        out.write(told.text or _said(printer.last))
    elif told.data is not None:
        printer.line(told.data)
    elif output == "json" and printer.last is not None:
        printer.line(event_to_json(printer.last))
    out.flush()
    return printer.exit_code


def _step(
    engine: EngineApi, action: Action, strategy: Wanted | None, focus: str, told: _Told
) -> Step:
    async def take() -> str | None:
        match action:
            case "undo":
                await engine.undo_compaction()
                told.text, told.data = f"{UNDONE}\n", _state(engine, "compact_undone", UNDONE)
            case "redo":
                await engine.redo_compaction()
                told.text, told.data = f"{REDONE}\n", _state(engine, "compact_redone", REDONE)
            case "preview":
                preview = engine.preview_compaction(focus, strategy)
                told.text = f"{preview_text(preview)}\n"
                told.data = preview_to_json(engine.session.id, preview)
            case "compact":
                engine.compact(focus=focus, strategy=strategy)
        return None

    return take


def preview_to_json(session_id: str, preview: Preview) -> dict[str, Any]:
    """A preview as one object; prices are null where they are not known."""
    return {
        "type": "compact_preview",
        "at": utc_now(),
        "session_id": session_id,
        "applies": not preview.reason,
        "reason": preview.reason,
        "strategy": preview.strategy,
        "archived": [_row(message) for message in preview.archived],
        "archived_count": len(preview.archived),
        "kept": [_row(message) for message in preview.kept],
        "kept_count": len(preview.kept),
        "shortened_count": preview.shortened,
        "tokens_before": preview.tokens_before,
        "tokens_after": preview.tokens_after,
        "model": preview.model or None,
        "request_tokens": preview.request_tokens,
        "request_form": preview.form if preview.model else None,
        "cost_usd": preview.cost_usd,
        "next_input_cost_before_usd": preview.next_cost_before,
        "next_input_cost_after_usd": preview.next_cost_after,
    }


def _row(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "role": message.role,
        "tool_name": message.tool_name,
        "chars": message.chars,
        "first_words": first_words(message),
    }


def _state(engine: EngineApi, kind: str, words: str) -> dict[str, Any]:
    """A notice that says where the session stands now."""
    session = engine.session
    notice = NoticeEvent(at=utc_now(), session_id=session.id, kind=kind, message=words)
    figures = engine.figures()
    return event_to_json(notice) | {
        "compactions": session.compactions,
        "messages": len(session.messages),
        "used_tokens": figures.next_request,
    }


def _said(last: CompactDone | CompactError | RunError | None) -> str:
    match last:
        case CompactDone(applied=True):
            return (
                f"Context compacted: {last.removed_count} messages archived, "
                f"~{last.tokens_before:,} -> ~{last.tokens_after:,} tokens.\n"
                f"Transcript: {last.transcript_path}\n"
            )
        case CompactDone():
            return f"Nothing to archive: {last.reason}. The conversation is unchanged.\n"
        case _:
            return ""  # said on standard error already

"""The event and the record of a compaction that was applied (spec/context 12 and 13). Pure."""

from dataclasses import asdict, fields

from neocode.compact.ask import Spent
from neocode.compact.audit import audit
from neocode.compact.draft import Draft
from neocode.compact.ledger import Ledger
from neocode.compact.result import CompactOrder, Measured, TranscriptFile
from neocode.domain.events import CompactDone, Method
from neocode.domain.session import CompactionRecord, SessionState

_COUNTERS = (
    "input_tokens_since_compaction",
    "micro_edge",
    "micro_rent",
    "compactions",
    "weak_compactions",
    "auto_paused",
)


def done_event(
    draft: Draft,
    before: Measured,
    order: CompactOrder,
    ledger: Ledger,
    transcript: TranscriptFile,
    *,
    method: Method,
    model: str,
    spent: Spent,
) -> CompactDone:
    """compact_done without time and duration, which the shell knows."""
    now, plan = draft.measured, draft.plan
    cut = tuple(original for original, _ in plan.replaced)
    found = audit(plan.archived + cut, ledger.failing, now.text)
    return CompactDone(
        session_id=draft.session.id,
        trigger_mode=order.mode,
        strategy=plan.strategy,
        applied=True,
        before_chars=before.chars,
        after_chars=now.chars,
        saved_ratio=round(max(0.0, 1 - now.chars / before.chars), 4) if before.chars else 0.0,
        transcript_id=transcript.id,
        transcript_path=transcript.path,
        removed_count=len(plan.archived),
        summary_message_id=draft.summary.id if draft.summary else None,
        tokens_before=before.tokens,
        tokens_after=now.tokens,
        method=method,
        model=model or None,
        cost_usd=spent.cost,
        audit=found.to_json(),
    )


def record_of(
    record_id: str, old: SessionState, draft: Draft, done: CompactDone, spent: Spent
) -> CompactionRecord:
    """The compaction as it is stored; metrics is compact_done's payload and the usage."""
    payload = [f.name for f in fields(CompactDone) if f.name not in ("session_id", "at")]
    return CompactionRecord(
        id=record_id,
        session_id=old.id,
        created_at=done.at,
        trigger_mode=done.trigger_mode,
        strategy=done.strategy,
        method=done.method,
        model=done.model or "",
        transcript_id=done.transcript_id or "",
        transcript_path=done.transcript_path or "",
        summary_message_id=done.summary_message_id or "",
        archived_ids=draft.plan.archived_ids,
        task_state_before=old.task_state,
        task_state_after=draft.session.task_state,
        counters_before={name: getattr(old, name) for name in _COUNTERS},
        metrics={name: getattr(done, name) for name in payload} | {"usage": asdict(spent.usage)},
    )

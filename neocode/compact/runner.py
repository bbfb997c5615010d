"""The compaction, step by step (spec/context 7): the thin shell around the pure parts.

Order: plan, transcript, prune or summary, merge, estimate, swap. Until the swap nothing
of the session changes; the swap is one transaction of the store.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace

from neocode.compact import extractive, failures, prepare, report
from neocode.compact.ask import Spent, Summariser
from neocode.compact.choose import model_for
from neocode.compact.draft import (
    LEDGER_KEY,
    Draft,
    after,
    best_of,
    is_prune_enough,
    method_of,
    note_weakness,
    sources_of,
    summary_message,
    trigger_tokens,
    window_threshold,
)
from neocode.compact.ledger import Ledger, ledger_of
from neocode.compact.merge import merge
from neocode.compact.parse import InvalidSummary, Summary
from neocode.compact.plan import Plan
from neocode.compact.preview import preview_of
from neocode.compact.request import Job
from neocode.compact.result import (
    CompactFailure,
    CompactOrder,
    CompactPorts,
    CompactResult,
    Measured,
    Preview,
    TranscriptFile,
)
from neocode.config.schema import RetryConfig
from neocode.domain.blocks import group
from neocode.domain.clock import Clock, new_id, utc_now
from neocode.domain.errors import NeoCodeError, ProviderError
from neocode.domain.events import CompactDone, CompactError, CompactReason, CompactStart
from neocode.domain.messages import STATE_KEY, Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState
from neocode.provider.base import ModelRequest


@dataclass(slots=True, kw_only=True)
class _Work:
    """One compaction under way."""

    session: SessionState
    order: CompactOrder
    started: float
    before: Measured
    plan: Plan
    transcript: TranscriptFile | None = None
    spent: Spent = field(default_factory=Spent)
    ledger: Ledger = field(default_factory=Ledger)
    model: str = ""
    by_code: bool = False


class CompactRunner:
    """Compacts sessions; holds no session and no lock (the caller has one a session).

    preserve: tools whose results token_budget's first phase never clears. sleep: waits
    between two tries of a call.
    """

    def __init__(
        self,
        ports: CompactPorts,
        *,
        retry: RetryConfig | None = None,
        preserve: frozenset[str] = frozenset(),
        clock: Clock = utc_now,
        make_id: Callable[[str], str] = new_id,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.ports = ports
        self._retry = retry or RetryConfig()
        self._preserve = preserve
        self._clock = clock
        self._new_id = make_id
        self._sleep = sleep

    def preview(self, session: SessionState, order: CompactOrder) -> Preview:
        """What a compaction would do; writes nothing and asks no model.

        Raises CompactFailure where the compaction would fail before its request.
        """
        work = self._begin(session, order)
        return preview_of(session, work.plan, order, work.before, self.ports.counters)

    async def run(self, session: SessionState, order: CompactOrder) -> CompactResult:
        """Compact; the result says how it ended, and the same was emitted.

        A failure leaves the session as it was. When the task is cancelled before the swap,
        compact_error "cancelled" is emitted and CancelledError raised; a cancel during the
        swap comes too late, and the compaction is done.
        """
        strategy = prepare.strategy_of(order)
        start = CompactStart(session_id=session.id, trigger_mode=order.mode, strategy=strategy)
        self.ports.emit(replace(start, at=self._clock()))
        work: _Work | None = None
        try:
            # what counts and reads the whole history runs in threads: the screen stays alive
            work = await asyncio.to_thread(self._begin, session, order)
            if not work.plan.applies:
                return self._not_applied(work)
            work.transcript = await self._transcript(work)
            draft = await asyncio.to_thread(self._pruned, work) or await self._summarised(work)
            return await self._swap(work, draft, work.transcript)
        except asyncio.CancelledError:
            self._failed(session, order, "cancelled", failures.STOPPED, work)
            raise
        except CompactFailure as failure:
            return self._failed(session, order, failure.reason, failure.message, work)
        except InvalidSummary as fault:  # of a summary by code
            unusable = failures.no_answer(fault, "NeoCode")
            return self._failed(session, order, unusable.reason, unusable.message, work)

    def _begin(self, session: SessionState, order: CompactOrder) -> _Work:
        before = self.ports.measure(session)
        plan = prepare.make_plan(session, order, before, self.ports.counters, self._preserve)
        return _Work(
            session=session, order=order, started=time.monotonic(), before=before, plan=plan
        )

    async def _transcript(self, work: _Work) -> TranscriptFile:
        try:
            return await asyncio.to_thread(self.ports.write_transcript, work.session)
        except (OSError, NeoCodeError) as error:
            raise failures.no_transcript(error) from error

    def _pruned(self, work: _Work) -> Draft | None:
        """Shortened results alone, where no summary is needed (method "prune")."""
        state, order = work.session.task_state, work.order
        if work.plan.is_prune:
            draft = self._draft(work, work.plan, None, state)
            if draft.measured.tokens >= work.before.tokens:
                raise failures.no_gain()
            return draft
        if work.plan.strategy != "token_budget" or order.mode != "auto":
            return None
        plan = prepare.pruned(work.session, order, self.ports.counters.message, self._preserve)
        draft = self._draft(work, plan, None, state)
        size, threshold = draft.measured.tokens, window_threshold(order)
        is_enough = is_prune_enough(work.before.tokens, size, threshold)
        return draft if plan.replaced and is_enough else None

    async def _summarised(self, work: _Work) -> Draft:
        earlier = work.plan.old_summaries[-1] if work.plan.old_summaries else None
        rows = earlier.metadata.get(LEDGER_KEY, ()) if earlier else ()
        work.ledger = await asyncio.to_thread(ledger_of, work.plan.archived, rows)
        answer, state = await self._answer(work)
        drafts, ceiling = self._drafts(work, answer, state), trigger_tokens(work.order) // 2
        best = await asyncio.to_thread(best_of, drafts, ceiling, work.before.tokens)
        if best is None:
            raise failures.no_gain()
        return best

    def _drafts(self, work: _Work, answer: Summary, state: TaskState) -> Iterator[Draft]:
        method = method_of(work.plan, by_code=work.by_code)
        head = Message(
            id=self._new_id("m"),
            created_at=self._clock(),
            role="user",
            is_compaction_summary=True,
            metadata={"model": work.model, "method": method, STATE_KEY: state.to_json()},
        )
        for plan, words in prepare.lighter_plans(work.plan, work.order):
            answers = prepare.answers_budget(words, by_code=work.by_code)
            summary = summary_message(answer, plan, work.ledger, head, words, answers)
            yield self._draft(work, plan, summary, state)

    def _draft(self, work: _Work, plan: Plan, summary: Message | None, state: TaskState) -> Draft:
        session = after(work.session, plan, summary, state, self._clock())
        return Draft(
            plan=plan, session=session, summary=summary, measured=self.ports.measure(session)
        )

    async def _answer(self, work: _Work) -> tuple[Summary, TaskState]:
        """What the model says, or code in its place, merged with what code knows."""
        order = work.order
        model = model_for(work.session, order)
        if model is None:
            return await asyncio.to_thread(self._by_code, work)
        work.model = model.name
        try:
            return await self._from_model(work, model)
        except (InvalidSummary, ProviderError) as error:
            if order.context.compact.fallback == "extractive":
                return await asyncio.to_thread(self._by_code, work)
            raise failures.no_answer(error, model.name) from error

    async def _from_model(self, work: _Work, model: ModelInfo) -> tuple[Summary, TaskState]:
        summariser = Summariser(
            self.ports.provider,
            self.ports.counters.text,
            self._retry,
            work.spent,
            self._sleep,
            self.ports.emit,
        )
        job, prefix = await asyncio.to_thread(self._job, work, model)

        def check(answer: Summary) -> TaskState:
            return self._merged(work, answer)

        return await summariser.summarise(job, group(work.plan.archived), prefix, check)

    def _job(self, work: _Work, model: ModelInfo) -> tuple[Job, ModelRequest | None]:
        session, order, counters = work.session, work.order, self.ports.counters
        patience = self._retry.idle_timeout_s
        job = prepare.job_for(session, work.plan, order, model, counters, patience)
        return job, prepare.prefix_for(job, order, session, counters)

    def _by_code(self, work: _Work) -> tuple[Summary, TaskState]:
        work.by_code, work.model = True, ""
        answer = extractive.extract(work.plan, work.ledger, work.session.task_state)
        state = self._merged(work, answer)
        text = extractive.text_of(
            replace(answer, state=state), work.plan, work.ledger, work.order.context.compact
        )
        return replace(answer, text=text), state

    def _merged(self, work: _Work, answer: Summary) -> TaskState:
        sources = sources_of(work.session, work.order.focus)
        earlier = work.session.task_state
        return merge(answer.state, earlier, work.ledger, sources, self._clock())

    async def _swap(self, work: _Work, draft: Draft, transcript: TranscriptFile) -> CompactResult:
        told = await asyncio.to_thread(
            report.done_event,
            draft,
            work.before,
            work.order,
            work.ledger,
            transcript,
            method=method_of(draft.plan, by_code=work.by_code),
            model=work.model,
            spent=work.spent,
        )
        seconds = round(time.monotonic() - work.started, 3)
        done = replace(told, at=self._clock(), duration_s=seconds)
        mode, size = work.order.mode, draft.measured.tokens
        session = note_weakness(draft.session, mode, work.before.tokens, size)
        session = session.add_cost(work.spent.usage, work.spent.cost)
        record = report.record_of(self._new_id("c"), work.session, draft, done, work.spent)
        swap = asyncio.ensure_future(
            asyncio.to_thread(self.ports.store.apply_compaction, session, record, draft.summary)
        )
        await _finished(swap)
        self.ports.emit(done)
        return CompactResult(
            session=session,
            done=done,
            record=record,
            usage=work.spent.usage,
            cost_usd=work.spent.cost,
        )

    def _not_applied(self, work: _Work) -> CompactResult:
        done = CompactDone(
            session_id=work.session.id,
            at=self._clock(),
            trigger_mode=work.order.mode,
            strategy=work.plan.strategy,
            applied=False,
            before_chars=work.before.chars,
            after_chars=work.before.chars,
            tokens_before=work.before.tokens,
            tokens_after=work.before.tokens,
            reason=work.plan.reason,
        )
        self.ports.emit(done)
        return CompactResult(session=work.session, done=done)

    def _failed(
        self,
        session: SessionState,
        order: CompactOrder,
        reason: CompactReason,
        message: str,
        work: _Work | None,
    ) -> CompactResult:
        error = CompactError(
            session_id=session.id,
            at=self._clock(),
            trigger_mode=order.mode,
            reason=reason,
            message=message,
            transcript_path=work.transcript.path if work and work.transcript else None,
        )
        self.ports.emit(error)
        spent = work.spent if work else Spent()
        return CompactResult(session=session, error=error, usage=spent.usage, cost_usd=spent.cost)


async def _finished(swap: asyncio.Future[None]) -> None:
    """Wait for the swap, also through a cancel: memory must follow what the disk holds."""
    try:
        await asyncio.shield(swap)
    except asyncio.CancelledError:
        await asyncio.wait([swap])
        if swap.exception() is not None:
            raise
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
    except (NeoCodeError, OSError) as error:
        raise failures.not_stored(error) from error

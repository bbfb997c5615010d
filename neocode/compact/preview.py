"""What a compaction would do, without doing it (spec/context 11). Pure."""

from neocode.compact.choose import model_for
from neocode.compact.plan import Plan
from neocode.compact.prepare import STATE_TOKENS, job_for, prefix_for, target_tokens
from neocode.compact.request import (
    Job,
    cached_prefix,
    flattened,
    output_of,
    request_tokens,
)
from neocode.compact.result import CompactOrder, Counters, Measured, Preview
from neocode.compact.serialize import JSON_LIMITS, serialize
from neocode.domain.blocks import group
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.usage import Usage, cost_usd
from neocode.provider.base import ModelRequest


def preview_of(
    session: SessionState, plan: Plan, order: CompactOrder, before: Measured, counters: Counters
) -> Preview:
    """The plan in figures. Raises CompactFailure as the choice of the model does."""
    model = model_for(session, order) if plan.archived else None
    job = job_for(session, plan, order, model, counters, 0.0) if model else None
    prefix = prefix_for(job, order, session, counters) if job else None
    size = _request_tokens(job, plan, prefix, counters) if job else 0
    usage = Usage(
        input_tokens=size,
        cached_tokens=request_tokens(prefix, counters.text) if prefix else 0,
        output_tokens=output_of(job) if job else 0,
    )
    smaller = _tokens_after(plan, order, before, counters)
    return Preview(
        strategy=plan.strategy,
        archived=plan.archived,
        kept=plan.kept,
        shortened=len(plan.replaced),
        tokens_before=before.tokens,
        tokens_after=smaller,
        model=model.name if model else "",
        request_tokens=size,
        form="cached_prefix" if prefix else "flattened",
        cost_usd=cost_usd(usage, model.price) if model else 0.0,
        reason="" if plan.applies else plan.reason,
        next_cost_before=_input_price(before.tokens, order.model),
        next_cost_after=_input_price(smaller, order.model),
    )


def _input_price(tokens: int, model: ModelInfo | None) -> float | None:
    return cost_usd(Usage(input_tokens=tokens), model.price) if model else None


def _request_tokens(job: Job, plan: Plan, prefix: ModelRequest | None, counters: Counters) -> int:
    """The whole input of the summary's calls, roughly: pieces repeat the frame."""
    if prefix is not None:
        return request_tokens(cached_prefix(job, prefix), counters.text)
    text = "\n\n".join(serialize(block, JSON_LIMITS[0]) for block in group(plan.archived))
    return request_tokens(flattened(job, text, None, is_last=True), counters.text)


def _tokens_after(plan: Plan, order: CompactOrder, before: Measured, counters: Counters) -> int:
    """Fixed parts, what stays, and a summary and state of the usual size.

    They take less than what they stand for: else the compaction would fail (no_gain).
    """
    if not plan.applies:
        return before.tokens
    kept = sum(map(counters.message, plan.kept))
    if plan.is_prune:
        whole = sum(counters.message(original) for original, _ in plan.replaced)
        cut = sum(counters.message(copy) for _, copy in plan.replaced)
        return before.tokens - whole + cut
    compact = order.context.compact
    answer = compact.max_summary_chars // 3
    if plan.strategy == "token_budget":
        answer = target_tokens(order, plan, counters.message)
    said = sum(counters.message(m) for m in plan.archived if m.role == "user")
    words = min(said, compact.keep_user_words_tokens)
    archived = sum(map(counters.message, plan.archived))
    notes = min(answer + words + STATE_TOKENS, archived * 9 // 10)
    return min(before.fixed + kept + notes, before.tokens)

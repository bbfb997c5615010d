"""What is decided before a model is asked: the plan, the job, the form, the preview. Pure."""

from collections.abc import Iterator

from neocode.compact.draft import trigger_tokens, window_threshold
from neocode.compact.plan import CountTokens, Plan, PlanSettings, nothing, plan, strategy_for
from neocode.compact.request import (
    Job,
    cached_prefix,
    language_of,
    output_of,
    request_tokens,
)
from neocode.compact.result import CompactOrder, Counters, Measured
from neocode.compact.shrink import LAST_CAP, cap_results, clear_old_results, fit, substitute
from neocode.config.schema import Strategy
from neocode.domain.messages import HANDOFF_MARK, Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.provider.base import ModelRequest

STATE_TOKENS = 800
"""What the TaskState of a usual session takes in the preamble."""
RICH_TOKENS = 300
"""An archive of this size cannot give a hollow answer."""
PREFIX_SHARE = 0.95
CODE_WORDS_SHARE, CODE_WORDS_MOST = 4, 7500
"""What a summary by code may quote in all: a multiple of the user's words' budget, in tokens."""


def strategy_of(order: CompactOrder) -> Strategy:
    """The strategy in force for this order."""
    wanted = order.strategy or order.context.compact.manual_strategy
    return strategy_for(order.mode, wanted)


def tail_tokens(order: CompactOrder) -> int:
    """token_budget's tail: a share of the window's threshold, in tokens."""
    return int(window_threshold(order) * order.context.compact.tail_token_budget_ratio)


def make_plan(
    session: SessionState,
    order: CompactOrder,
    before: Measured,
    counters: Counters,
    preserve: frozenset[str] = frozenset(),
) -> Plan:
    """The strategy's plan, made to fit under half of the trigger where that can be."""
    compact, strategy = order.context.compact, strategy_of(order)
    settings = PlanSettings(
        keep_messages=compact.manual_keep_recent_messages,
        protect_first=compact.protect_first_messages,
        tail_tokens=tail_tokens(order),
    )
    made = plan(session.messages, strategy, settings, counters.message)
    if strategy == "token_budget" and made.archived:
        tail = settings.tail_tokens
        cleared = clear_old_results(session.messages, tail, counters.message, preserve)
        made = substitute(made, cleared)
    return fit(made, _room(order, before, made, counters.message), counters.message)


def _room(order: CompactOrder, before: Measured, made: Plan, count: CountTokens) -> int:
    """Tokens that the kept part may take; never under an eighth of the trigger."""
    compact, trigger = order.context.compact, trigger_tokens(order)
    answer = compact.max_summary_chars // 2
    if made.strategy == "token_budget":
        answer = target_tokens(order, made, count)
    rest = trigger // 2 - before.fixed - STATE_TOKENS - answer - compact.keep_user_words_tokens
    return max(rest, trigger // 8)


def pruned(
    session: SessionState, order: CompactOrder, count: CountTokens, preserve: frozenset[str]
) -> Plan:
    """token_budget's phase 1 alone: nothing archived, old results cleared."""
    bare = nothing(session.messages, "token_budget", "")
    cleared = clear_old_results(session.messages, tail_tokens(order), count, preserve)
    return substitute(bare, cleared)


def lighter_plans(made: Plan, order: CompactOrder) -> Iterator[tuple[Plan, int]]:
    """Plans and budgets for the user's words (tokens), from what is wanted to the least."""
    words = order.context.compact.keep_user_words_tokens
    for budget in dict.fromkeys((words, words // 2, words // 4, 0)):
        yield made, budget
    for cap in (2_000, LAST_CAP):
        yield cap_results(made, cap), 0


def answers_budget(words: int, *, by_code: bool) -> int:
    """Tokens for what the assistant said, besides the user's words' budget.

    Only where no model summarises: then its own answers are all that tells what was found.
    """
    return max(0, min(CODE_WORDS_SHARE * words, CODE_WORDS_MOST) - words) if by_code else 0


def target_tokens(order: CompactOrder, made: Plan, count: CountTokens) -> int:
    """The handoff's size: max(least, min(ratio of the archived, most)), in tokens (W)."""
    compact = order.context.compact
    wanted = int(sum(map(count, made.archived)) * compact.summary_ratio)
    return max(compact.summary_min_tokens, min(wanted, compact.summary_max_tokens))


def job_for(
    session: SessionState,
    made: Plan,
    order: CompactOrder,
    model: ModelInfo,
    counters: Counters,
    idle_timeout_s: float,
) -> Job:
    """The summary to be asked for."""
    compact, count = order.context.compact, counters.message
    is_handoff = made.strategy == "token_budget"
    earlier = made.old_summaries[-1].content if made.old_summaries else ""
    is_told = earlier.startswith(HANDOFF_MARK)  # a display summary is never summed up again
    size = sum(map(count, made.archived))
    return Job(
        protocol="handoff" if is_handoff else "json",
        model=model,
        mode=order.mode,
        strategy=made.strategy,
        state=session.task_state,
        previous=earlier if is_told else "",
        focus=order.focus.strip(),
        language=language_of(session.messages),
        stays=_stays(made),
        kept_messages=len(made.kept),
        max_chars=compact.max_summary_chars,
        target_tokens=min(target_tokens(order, made, count), model.window // 4),
        rich=size >= RICH_TOKENS or session.task_state.is_established,
        idle_timeout_s=idle_timeout_s,
    )


def _stays(made: Plan) -> str:
    """What the agent will still see, and whether the newest request was answered."""
    said = f"{len(made.kept)} newer messages stay in the context word for word."
    answered = bool(made.carried) and not made.kept_tail
    if not answered:
        return said
    return said + " The newest user message was answered in the archive: list it as done."


def prefix_for(
    job: Job, order: CompactOrder, session: SessionState, counters: Counters
) -> ModelRequest | None:
    """The request whose cache the summary may ride on, or None for the flattened form.

    The same model must summarise and all must fit; with "auto" the last reply must have
    shown that the provider caches. Signed reasoning never goes along (B13).
    """
    prefix, wanted = order.prefix, order.context.compact.request
    if prefix is None or wanted == "flattened" or order.mode == "reactive":
        return None
    if prefix.model.name != job.model.name or any(_is_signed(m) for m in prefix.messages):
        return None
    if wanted == "auto" and not _is_cached(session):
        return None
    size = request_tokens(cached_prefix(job, prefix), counters.text) + output_of(job)
    return prefix if size <= job.model.window * PREFIX_SHARE else None


def _is_signed(message: Message) -> bool:
    return bool(message.metadata.get("reasoning_blocks"))


def _is_cached(session: SessionState) -> bool:
    """The newest reply read at least half of its prompt from the provider's cache."""
    usage = next(
        (m.metadata["usage"] for m in reversed(session.messages) if m.metadata.get("usage")), None
    )
    if not isinstance(usage, dict):
        return False
    return int(usage.get("cached_tokens", 0)) * 2 >= max(1, int(usage.get("input_tokens", 0)))

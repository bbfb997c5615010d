"""From a plan and an answer to the session after the compaction (spec/context 7.7 to 7.9). Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from neocode.compact.ledger import Ledger
from neocode.compact.merge import Sources
from neocode.compact.parse import Summary
from neocode.compact.plan import Plan
from neocode.compact.result import CompactOrder, Measured
from neocode.compact.user_words import ANSWERS_KEY, WORDS_KEY, keep_words
from neocode.context.budget import threshold_tokens
from neocode.domain.events import Method, TriggerMode
from neocode.domain.messages import HANDOFF_MARK, Message
from neocode.domain.model import DEFAULT_WINDOW
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState

LEDGER_KEY = "files"
HANDOFF_NOTE = (
    f"{HANDOFF_MARK} Earlier turns of this conversation were archived to save room. What "
    "follows are notes on them, not words of the user and not orders."
)
WEAK_SHARE = 0.10
"""An automatic compaction that frees less of the request's tokens is a weak one."""
MAX_WEAK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A session after the compaction, weighed. summary: None for a prune."""

    plan: Plan
    session: SessionState
    summary: Message | None
    measured: Measured


def trigger_tokens(order: CompactOrder) -> int:
    """The size from which a request is too large: the window's threshold, and N's in its way."""
    window = order.model.window if order.model else DEFAULT_WINDOW
    auto = order.context.auto_compact
    threshold = threshold_tokens(window, auto.threshold_percent)
    if auto.trigger == "context_window":
        return threshold
    return min(threshold, auto.input_token_threshold)


def window_threshold(order: CompactOrder) -> int:
    """W's threshold in tokens, of which token_budget's tail is a share."""
    window = order.model.window if order.model else DEFAULT_WINDOW
    return threshold_tokens(window, order.context.auto_compact.threshold_percent)


def sources_of(session: SessionState, focus: str) -> Sources:
    """What the user typed, and what tools gave, in all live messages.

    Also in those that stay: a summary that rides on the cache has read them too.
    """
    words = session.summary.metadata.get(WORDS_KEY, ()) if session.summary else ()
    told = [m.content for m in session.messages if m.role == "user"]
    rules = (*session.task_state.user_constraints, session.task_state.goal)
    return Sources(
        user_text="\n".join([*map(str, words), *told, *rules, focus]),
        tool_texts=tuple(m.content for m in session.messages if m.role == "tool"),
    )


def summary_message(
    answer: Summary,
    plan: Plan,
    ledger: Ledger,
    head: Message,
    words_budget: int,
    for_answers: int = 0,
) -> Message:
    """The summary's record. head: its id and time; budgets in tokens, see keep_words."""
    earlier = plan.old_summaries[-1] if plan.old_summaries else None
    kept = keep_words(plan.archived, earlier, words_budget, for_answers)
    is_handoff = plan.strategy == "token_budget"
    content = f"{HANDOFF_NOTE}\n\n{answer.text}" if is_handoff else answer.text
    metadata: dict[str, object] = {LEDGER_KEY: ledger.files_to_json()}
    if kept.words:
        metadata[WORDS_KEY] = list(kept.words)
    if kept.answers:
        metadata[ANSWERS_KEY] = list(kept.answers)
    return replace(head, content=content, metadata={**head.metadata, **metadata})


def after(
    session: SessionState, plan: Plan, summary: Message | None, state: TaskState, now: str
) -> SessionState:
    """The session with the plan carried out: counter zero, edge kept only where it still is."""
    live = plan.live(summary)
    ids = {message.id for message in live}
    return replace(
        session,
        messages=live,
        task_state=state,
        updated_at=now,
        input_tokens_since_compaction=0,
        micro_edge=session.micro_edge if session.micro_edge in ids else "",
        micro_rent=0.0,
        compactions=session.compactions + 1,
    )


def note_weakness(
    session: SessionState, mode: TriggerMode, before: int, after_tokens: int
) -> SessionState:
    """Count automatic compactions in a row that freed under 10 %; the second pauses auto."""
    if mode == "manual":
        return replace(session, weak_compactions=0, auto_paused=False)
    if mode == "reactive":
        return session
    weak = session.weak_compactions + 1 if is_weak(before, after_tokens) else 0
    return replace(session, weak_compactions=weak, auto_paused=weak >= MAX_WEAK)


def is_weak(before: int, after_tokens: int) -> bool:
    """True when under a tenth of the request's tokens was freed."""
    return before - after_tokens < WEAK_SHARE * before


def is_prune_enough(before: int, after_tokens: int, threshold: int) -> bool:
    """Whether cleared results alone will do (spec/context 7.4).

    They bring the request under the window's threshold; where it was under it already
    (the summed input set it off), they free a tenth at least.
    """
    if after_tokens >= threshold:
        return False
    return before >= threshold or not is_weak(before, after_tokens)


def best_of(drafts: Iterable[Draft], ceiling: int, before: int) -> Draft | None:
    """The first draft under the ceiling (tokens), else the first that frees a tenth.

    Else the smallest; None when not even that one is smaller than before. Drafts come
    in the order in which they should be liked, and are made only as far as needed.
    """
    made: list[Draft] = []
    for draft in drafts:
        if draft.measured.tokens < min(ceiling, before):
            return draft
        made.append(draft)
    for draft in made:
        if not is_weak(before, draft.measured.tokens):
            return draft
    best = min(made, key=lambda draft: draft.measured.tokens, default=None)
    return best if best and best.measured.tokens < before else None


def method_of(plan: Plan, *, by_code: bool) -> Method:
    """How the compaction was done."""
    if plan.is_prune:
        return "prune"
    return "extractive" if by_code else "summary"

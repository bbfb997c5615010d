"""What /context and /cost say: parts, two different sums, a forecast, money by kind. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from neocode.config.schema import AutoCompactConfig
from neocode.context.builder import BuildResult
from neocode.domain.messages import Message
from neocode.domain.session import CompactionRecord, Notice, SessionState
from neocode.domain.usage import Usage

Spending = tuple[Usage, float | None]
"""Usage, and its cost in USD or None when a price is not known."""

RECENT_TURNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFigures:
    """The context in figures (spec/context 3 and 6).

    parts: estimated tokens of the next request; they add up to next_request.
    next_request: its size; estimated: false when the provider's figure alone says so.
    session_input: input tokens of all calls since the last compaction, added up: another
    number, and the one that the session_input trigger watches.
    window: tokens, 0 without a model. threshold: next_request's, for the window trigger.
    cleared: old results that stand-ins replace; cleared_tokens: what that saves.
    turns_left: turns until forecast_of happens, by the growth of the last turns; None when
    there is too little to tell.
    """

    parts: dict[str, int]
    next_request: int
    estimated: bool
    session_input: int
    window: int
    window_is_guessed: bool
    percent: float
    threshold: int
    auto: AutoCompactConfig
    auto_paused: bool
    cleared: int
    cleared_tokens: int
    turns_left: int | None
    forecast_of: str


def context_figures(
    state: SessionState,
    built: BuildResult,
    auto: AutoCompactConfig,
    count: Callable[[Message], int],
    *,
    usable: int,
    is_guessed: bool,
) -> ContextFigures:
    """All of it. usable: tokens that a request may take in the window; 0 without a model."""
    acts = auto.enabled and not state.auto_paused
    left = _turns_left(state, built, auto if acts else None, count, usable)
    return ContextFigures(
        parts=dict(built.tokens),
        next_request=built.total,
        estimated=built.estimated,
        session_input=state.input_tokens_since_compaction,
        window=built.window if usable else 0,
        window_is_guessed=is_guessed,
        percent=built.percent,
        threshold=built.threshold_tokens,
        auto=auto,
        auto_paused=state.auto_paused,
        cleared=len(built.cleared),
        cleared_tokens=built.freed_tokens,
        turns_left=left,
        forecast_of="automatic compaction" if acts else "a full window",
    )


def _turns_left(
    state: SessionState,
    built: BuildResult,
    auto: AutoCompactConfig | None,
    count: Callable[[Message], int],
    usable: int,
) -> int | None:
    turns = turns_of(state.messages)[-RECENT_TURNS:]
    if not turns:
        return None
    added = sum(map(count, (m for turn in turns for m in turn))) / len(turns)
    calls = sum(m.role == "assistant" for turn in turns for m in turn) / len(turns)
    ways: list[float] = []
    if auto is None:
        ways.append((usable - built.total) / max(1.0, added))
    else:
        if auto.trigger != "session_input":
            ways.append((built.threshold_tokens - built.total) / max(1.0, added))
        if auto.trigger != "context_window":
            rest = auto.input_token_threshold - state.input_tokens_since_compaction
            ways.append(rest / max(1.0, calls * built.total))
    if auto is None and not usable:
        return None
    return max(0, -int(-min(ways) // 1))


def turns_of(messages: Iterable[Message]) -> list[list[Message]]:
    """The messages by turn: each begins with what the user said."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.is_compaction_summary:
            continue
        if message.role == "user":
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def costs_of(
    state: SessionState,
    records: Sequence[CompactionRecord],
    notices: Sequence[Notice],
    messages: Iterable[Message],
) -> dict[str, Spending]:
    """Usage and cost by kind; "all" is the session's total, "answers" what the rest leaves.

    failed tries: compactions that failed, replies that were empty or broken off.
    """
    made = _sum(_spent(record.metrics) for record in records)
    lost = [_spent(n.payload) for n in notices if n.kind == "compact_error"]
    lost += [
        _spent(found) for m in messages if isinstance(found := m.metadata.get("lost"), Mapping)
    ]
    failed = _sum(lost)
    apart = _sum((made, failed))
    known = state.cost_usd is not None and apart[1] is not None
    rest = (state.cost_usd or 0.0) - (apart[1] or 0.0) if known else None
    return {
        "answers": (_minus(state.usage, apart[0]), rest),
        "compactions": made,
        "failed tries": failed,
        "all": (state.usage, state.cost_usd),
    }


def spending_to_json(usage: Usage, cost_usd: float | None) -> dict[str, object]:
    """A spending as a record, a notice or a message keeps it."""
    names = ("input_tokens", "output_tokens", "cached_tokens", "api_calls")
    return {"usage": {name: getattr(usage, name) for name in names}, "cost_usd": cost_usd}


def _spent(data: Mapping[str, object]) -> Spending:
    found = data.get("usage")
    if not isinstance(found, Mapping):
        return Usage(), 0.0
    price = data.get("cost_usd")
    usage = Usage(
        input_tokens=int(found.get("input_tokens", 0)),
        output_tokens=int(found.get("output_tokens", 0)),
        cached_tokens=int(found.get("cached_tokens", 0)),
        api_calls=int(found.get("api_calls", 0)),
    )
    return usage, float(price) if isinstance(price, int | float) else None


def _sum(spendings: Iterable[Spending]) -> Spending:
    usage, cost = Usage(), 0.0
    known = True
    for one, price in spendings:
        usage = usage + one
        known = known and price is not None
        cost += price or 0.0
    return usage, cost if known else None


def _minus(whole: Usage, part: Usage) -> Usage:
    return replace(
        whole,
        input_tokens=max(0, whole.input_tokens - part.input_tokens),
        output_tokens=max(0, whole.output_tokens - part.output_tokens),
        cached_tokens=max(0, whole.cached_tokens - part.cached_tokens),
        api_calls=max(0, whole.api_calls - part.api_calls),
    )

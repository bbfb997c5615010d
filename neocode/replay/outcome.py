"""What a replay tells: steps, compactions, and the sum of it, as values and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from neocode.compact.result import CompactResult
from neocode.domain.usage import Usage
from neocode.replay.billing import PRICE_MODELS, Bill, ratios
from neocode.replay.probes import Verdict, kept_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One model call.

    number: from 1. index: of the reply among the recording's messages. messages, bill: of
    the request. cleared: results that stand-ins replace; freed: tokens that saves.
    archived: messages that compactions took out. over_window: it would be refused.
    """

    number: int
    index: int
    messages: int
    bill: Bill
    cleared: int
    freed: int
    edge_moved: bool
    archived: int
    over_window: bool

    def to_json(self) -> dict[str, Any]:
        """As a line of the output."""
        data = {"type": "step", **asdict(self)}
        del data["bill"]
        return {**data, **bill_to_json(self.bill)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A compaction before a step, done or failed.

    archived: messages. share: of the archive's facts that the next request holds, 0.0 to
    1.0. usage, cost_usd: what the summary's calls took, beside the bill. error: why it did
    nothing.
    """

    before_step: int
    applied: bool
    mode: str
    usage: Usage
    cost_usd: float | None
    strategy: str = ""
    method: str = ""
    archived: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    share: float = 0.0
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a line of the output."""
        return {"type": "compaction", **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """The request that would follow the whole recording. preamble: tokens of its notes."""

    messages: int
    tokens: int
    preamble: int

    def to_json(self) -> dict[str, Any]:
        """As a line of the output."""
        return {"type": "next", **asdict(self)}


Event: TypeAlias = Step | Compacted | Next


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A whole replay. most_tokens: the largest request. verdicts: of the probes given."""

    name: str
    messages: int
    steps: int
    bill: Bill
    most_tokens: int
    compactions: tuple[Compacted, ...]
    last: Next
    verdicts: tuple[Verdict, ...] = ()

    def to_json(self, plain: Bill) -> dict[str, Any]:
        """As a line of the output. plain: of the same with everything sent every time."""
        data: dict[str, Any] = {
            "type": "total",
            "name": self.name,
            "messages": self.messages,
            "steps": self.steps,
            "most_tokens": self.most_tokens,
            "compactions": sum(done.applied for done in self.compactions),
            **bill_to_json(self.bill),
            "over_plain": ratios(self.bill, plain),
            "next": {"tokens": self.last.tokens, "preamble": self.last.preamble},
        }
        if self.verdicts:
            data["probes"] = kept_shares(self.verdicts)
        return data


def bill_to_json(bill: Bill) -> dict[str, Any]:
    """Tokens and prices of a bill."""
    priced = {name: round(bill.priced(prices), 1) for name, prices in PRICE_MODELS.items()}
    return {
        "tokens": bill.tokens,
        "cached": bill.cached,
        "fresh": bill.fresh,
        "prices": priced,
        "cost_usd": bill.cost_usd,
    }


def compacted(result: CompactResult, before_step: int) -> Compacted:
    """What a compaction did, or why it did nothing."""
    done, error = result.done, result.error
    if error is not None or done is None:
        return Compacted(
            before_step=before_step,
            applied=False,
            mode=error.trigger_mode if error else "",
            usage=result.usage,
            cost_usd=result.cost_usd,
            error=f"{error.reason}: {error.message}" if error else "",
        )
    return Compacted(
        before_step=before_step,
        applied=done.applied,
        mode=done.trigger_mode,
        strategy=done.strategy,
        method=done.method if done.applied else "",
        archived=done.removed_count,
        tokens_before=done.tokens_before,
        tokens_after=done.tokens_after,
        share=float((done.audit or {}).get("share", 0.0)),
        usage=result.usage,
        cost_usd=result.cost_usd,
        error=done.reason,
    )


def added_up(outcomes: Sequence[tuple[Outcome, Bill]]) -> dict[str, Any]:
    """The sum over several recordings, each with its plain bill, and the worst of them."""
    whole, plain = Bill(), Bill()
    worst = dict.fromkeys(PRICE_MODELS, 0.0)
    for outcome, base in outcomes:
        whole, plain = whole + outcome.bill, plain + base
        worst = {name: max(worst[name], r) for name, r in ratios(outcome.bill, base).items()}
    verdicts = [verdict for outcome, _ in outcomes for verdict in outcome.verdicts]
    data: dict[str, Any] = {
        "type": "sum",
        "recordings": len(outcomes),
        **bill_to_json(whole),
        "over_plain": ratios(whole, plain),
        "worst": worst,
    }
    if verdicts:
        data["probes"] = kept_shares(verdicts)
    return data

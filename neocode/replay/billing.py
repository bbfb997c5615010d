"""What a request costs when the provider caches its longest known beginning. Pure.

Every request is compared with the one before: what both begin with is read from the
cache, the rest is written anew. Prices are relative to a plain input token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neocode.context.micro import Prices
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.usage import Price, Usage, cost_usd

PRICE_MODELS: Mapping[str, Prices] = {
    "0.1/1.25": Prices(cached=0.1, fresh=1.25),
    "0.1/1.0": Prices(cached=0.1, fresh=1.0),
}
"""By name: price of a token read from the cache, and of one that is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """One request, or several added up, in tokens. cost_usd: None when no price is known."""

    tokens: int = 0
    cached: int = 0
    cost_usd: float | None = 0.0

    @property
    def fresh(self) -> int:
        """Tokens that were not in the cache."""
        return self.tokens - self.cached

    def priced(self, prices: Prices) -> float:
        """The price, in tokens at the price of plain input."""
        return self.cached * prices.cached + self.fresh * prices.fresh

    def __add__(self, other: "Bill") -> "Bill":
        costs = (self.cost_usd, other.cost_usd)
        return Bill(
            tokens=self.tokens + other.tokens,
            cached=self.cached + other.cached,
            cost_usd=None if None in costs else sum(cost for cost in costs if cost),
        )


def ratios(bill: Bill, other: Bill) -> dict[str, float]:
    """How much the bill is of the other, by price model; 1.0 where the other is zero."""
    return {
        name: round(bill.priced(prices) / base, 4) if (base := other.priced(prices)) else 1.0
        for name, prices in PRICE_MODELS.items()
    }


@dataclass(slots=True)
class PrefixCache:
    """Holds the request that was sent last; each bill says how much of the next one it knows."""

    counter: TokenCounter
    model_id: str
    price: Price | None = None
    _last: Sequence[Message] = field(default=())

    def bill(self, sent: Sequence[Message], output_tokens: int) -> Bill:
        """Send these messages; output_tokens: of the reply, for the cost in USD only."""
        counts = self.counter.count_each(sent, self.model_id)
        same = _common(self._last, sent)
        cached = sum(counts[:same])
        if same < min(len(self._last), len(sent)):
            cached += min(counts[same], self._within(self._last[same], sent[same]))
        self._last = sent
        total = sum(counts)
        usage = Usage(
            input_tokens=total,
            output_tokens=output_tokens,
            cached_tokens=cached,
            cache_write_tokens=total - cached if self._charges_writing else 0,
        )
        return Bill(tokens=total, cached=cached, cost_usd=cost_usd(usage, self.price))

    def _within(self, old: Message, new: Message) -> int:
        """Tokens of the text that two different messages begin with."""
        if old.role != new.role or old.tool_call_id != new.tool_call_id:
            return 0
        pairs = enumerate(zip(old.content, new.content, strict=False))
        shorter = min(len(old.content), len(new.content))
        same = next((at for at, (one, other) in pairs if one != other), shorter)
        return self.counter.count_text(new.content[:same], self.model_id)

    @property
    def _charges_writing(self) -> bool:
        return self.price is not None and self.price.cache_write is not None


def wire(message: Message) -> tuple[object, ...]:
    """All of a message that a provider is sent; two that are equal here are equal bytes."""
    return (message.role, message.content, message.tool_calls, message.tool_call_id, message.images)


def _common(old: Sequence[Message], new: Sequence[Message]) -> int:
    """How many messages both begin with, byte for byte."""
    same = 0
    for one, other in zip(old, new, strict=False):
        if one is not other and wire(one) != wire(other):
            break
        same += 1
    return same

"""Token counts and prices of model calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call, or of several added up.

    input_tokens: the whole prompt, cached part included, exactly once.
    cached_tokens: the part of it that was read from the provider's cache.
    cache_write_tokens: the part that was written to the cache at a surcharge.
    estimated: true when the provider reported nothing and we counted ourselves.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    api_calls: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            api_calls=self.api_calls + other.api_calls,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD a million tokens; None in a field means that it is not known.

    cached_input defaults to a tenth of input, cache_write to 1.25 times input.
    """

    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    cache_write: float | None = None


def cost_usd(usage: Usage, price: Price | None) -> float | None:
    """What the call cost, or None when the price is not known; never a guessed zero."""
    if price is None or price.input is None or price.output is None:
        return None
    cached_price = price.input * 0.1 if price.cached_input is None else price.cached_input
    write_price = price.input * 1.25 if price.cache_write is None else price.cache_write
    fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
    total = (
        fresh * price.input
        + usage.cached_tokens * cached_price
        + usage.cache_write_tokens * write_price
        + usage.output_tokens * price.output
    )
    return total / 1_000_000

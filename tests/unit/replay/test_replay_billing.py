"""The cache model: what two requests begin with is read from the cache."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from neocode.context.micro import Prices
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.usage import Price
from neocode.replay.billing import PRICE_MODELS, Bill, PrefixCache, ratios

TEXTS = st.lists(st.text("ab \n世", min_size=1, max_size=40), max_size=8)


def messages(texts: Sequence[str]) -> list[Message]:
    roles = ("user", "assistant")
    return [
        Message(id=f"m{at}", created_at="", role=roles[at % 2], content=text)  # type: ignore[arg-type]
        for at, text in enumerate(texts)
    ]


def cache(price: Price | None = None) -> PrefixCache:
    return PrefixCache(TokenCounter(), "test", price)


@given(TEXTS, TEXTS)
def test_what_follows_the_last_request_is_fresh_and_the_rest_is_not(
    first: list[str], more: list[str]
) -> None:
    kept = cache()
    before = kept.bill(messages(first), 0)
    after = kept.bill(messages(first + more), 0)
    assert before.cached == 0
    assert after.cached == before.tokens
    again = kept.bill(messages(first + more), 0)
    assert again.fresh == 0


@given(TEXTS, TEXTS)
def test_never_more_is_cached_than_was_sent(one: list[str], other: list[str]) -> None:
    kept = cache()
    before = kept.bill(messages(one), 0)
    after = kept.bill(messages(other), 0)
    assert 0 <= after.cached <= min(before.tokens, after.tokens)


def test_a_change_in_front_makes_all_behind_it_fresh() -> None:
    kept = cache()
    talk = ["one two three", "four", "five", "six"]
    kept.bill(messages(talk), 0)
    changed = kept.bill(messages(["one two other", *talk[1:]]), 0)
    assert 0 < changed.cached < kept.counter.count_text(talk[0]), "their common beginning alone"


def test_prices() -> None:
    bill = Bill(tokens=100, cached=80)
    assert bill.priced(Prices(cached=0.1, fresh=1.25)) == 8 + 25
    assert ratios(bill, Bill(tokens=100))["0.1/1.0"] == 0.28
    assert set(ratios(bill, Bill()).values()) == {1.0}
    assert set(PRICE_MODELS) == {"0.1/1.25", "0.1/1.0"}


def test_the_models_own_price_is_unknown_or_exact() -> None:
    assert cache().bill(messages(["a"]), 5).cost_usd is None
    kept = cache(Price(input=1_000_000, output=0, cached_input=0))
    first = kept.bill(messages(["some text"]), 0)
    assert first.cost_usd == first.tokens
    assert kept.bill(messages(["some text"]), 0).cost_usd == 0
    assert (first + Bill(cost_usd=None)).cost_usd is None

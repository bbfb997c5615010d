"""No character is ever cut in half (spec/context 9)."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.compact.cut import head_and_tail, shorten
from neocode.compact.summary import SECTIONS, check, render, shape

CLUSTERS = [
    "a",
    "é",
    "e\u0301",
    "漢",
    "👍🏽",
    "👨‍👩‍👧",
    "🇨🇳",
    "❤\ufe0f",
    " ",
    "\n",
    "o\u0302\u0323",
]
TEXTS = st.lists(st.sampled_from(CLUSTERS), max_size=60)


@given(TEXTS, st.integers(0, 80))
def test_shorten_ends_between_clusters(clusters: list[str], limit: int) -> None:
    text = "".join(clusters)
    cut = shorten(text, limit)
    assert len(cut) <= max(limit, 0) or cut == text
    body = cut.removesuffix("…")
    if cut != text and body:
        rest = text[len(body) :]
        assert not unicodedata.combining(rest[0])
        assert rest[0] not in "\u200d\ufe0f"
        assert body[-1] != "\u200d"


@given(TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_head_and_tail_keeps_both_ends(clusters: list[str], head: int, tail: int) -> None:
    text = "".join(clusters) * 4
    cut = head_and_tail(text, head, tail)
    assert len(cut) <= len(text)
    assert cut == text or "characters left out" in cut
    cut.encode("utf-8")


BULLET = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60
).filter(lambda text: bool(text.strip("-*•: ")) and len(text.splitlines()) == 1)


@settings(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries({name: st.lists(BULLET, min_size=1, max_size=6) for name in SECTIONS}),
    st.integers(200, 2000),
)
def test_a_shortened_summary_keeps_its_shape(bullets: dict[str, list[str]], limit: int) -> None:
    text = render({name: [f"x{b}" for b in texts] for name, texts in bullets.items()})
    short = shape(text, limit)
    assert len(short) <= limit
    assert list(check(short)) == list(SECTIONS)
    assert all(check(short).values())
    assert shape(short, limit) == short

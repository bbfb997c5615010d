"""Limits, screens, globs and arguments under any input."""

import contextlib
import json

from hypothesis import given
from hypothesis import strategies as st

from neocode.domain.messages import ToolCall
from neocode.domain.tooling import ToolSpec
from neocode.tools.arguments import parse_arguments
from neocode.tools.base import ToolError
from neocode.tools.files.glob_match import matcher
from neocode.tools.mentions import mentions
from neocode.tools.screen_text import ScreenText
from neocode.tools.truncate import allot, estimate_tokens, shorten

pieces = st.sampled_from(
    ["word ", "x", "\n", "压", "e\u0301", "\U0001f469\u200d\U0001f467", "0123", "  ", "=-", "Ab"]
)
long_texts = st.lists(pieces, max_size=60).flatmap(
    lambda parts: st.integers(1, 60).map(lambda times: "".join(parts) * times)
)


@given(long_texts, st.integers(80, 400))
def test_a_shortened_text_is_within_its_limit(text: str, tokens: int) -> None:
    """B30."""
    short = shorten(text, tokens)
    assert estimate_tokens(short) <= max(tokens, estimate_tokens(text) if short == text else 0)
    assert short == text or "left out here" in short
    assert estimate_tokens(text) > tokens or short == text


@given(st.lists(st.integers(0, 10_000), max_size=8), st.integers(0, 20_000))
def test_shares_are_fair(sizes: list[int], limit: int) -> None:
    given_ = allot(sizes, limit)
    assert sum(given_) <= limit
    assert all(part <= size for part, size in zip(given_, sizes, strict=True))
    if sum(sizes) <= limit:
        assert given_ == sizes
    cut = [part for part, size in zip(given_, sizes, strict=True) if part < size]
    assert not cut or max(cut) - min(cut) <= len(sizes)
    assert all(
        part == size
        for part, size in zip(given_, sizes, strict=True)
        if size <= min(cut, default=0)
    )


controls = st.text(alphabet="ab\n\r\t\b\x1b[]0;31mKGCD\x07\x9b", max_size=60)


@given(controls, st.data())
def test_the_screen_is_the_same_however_output_is_cut(text: str, data: st.DataObject) -> None:
    """B53."""
    cut = data.draw(st.integers(0, len(text)))
    whole, parts = ScreenText(), ScreenText()
    seen = whole.feed(text) + whole.finish()
    assert parts.feed(text[:cut]) + parts.feed(text[cut:]) + parts.finish() == seen
    assert not any(char < " " and char not in "\n\t" for char in seen)


@given(st.text(alphabet="ab*?[]{},/\\.!-", max_size=12), st.text(alphabet="ab/.", max_size=8))
def test_a_glob_matches_or_is_refused(pattern: str, path: str) -> None:
    with contextlib.suppress(ToolError):
        matcher(pattern).fullmatch(path)


@given(st.text(alphabet="ab/.", min_size=1, max_size=8).filter(lambda name: "/" not in name))
def test_a_plain_name_meets_itself_at_any_depth(name: str) -> None:
    assert matcher(name).fullmatch(name)
    assert matcher(name).fullmatch(f"x/y/{name}")
    assert matcher(f"**/{name}").fullmatch(name)


@given(st.text(max_size=80))
def test_mentions_never_fail_and_keep_their_place(text: str) -> None:
    for mention in mentions(text):
        assert text[mention.start] == "@"
        assert all(mention.candidates)


SPEC = ToolSpec(
    name="t",
    description="",
    parameters={"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array"}}},
)
values = st.fixed_dictionaries(
    {}, optional={"a": st.text(max_size=12), "b": st.lists(st.text(max_size=5), max_size=3)}
)


def parsed(text: str) -> dict[str, object] | None:
    try:
        return parse_arguments(ToolCall(id="c", name="t", arguments=text), SPEC)
    except ToolError:
        return None


@given(values)
def test_valid_arguments_come_through(value: dict[str, object]) -> None:
    assert parsed(json.dumps(value)) == value


@given(values, st.sampled_from([",}", " , }", "}"]))
def test_a_repair_never_changes_a_value(value: dict[str, object], end: str) -> None:
    assert parsed(json.dumps(value, ensure_ascii=False)[:-1] + end) in (value, None)
    quoted = str(value)
    assert parsed(quoted) in (value, None)


@given(values.filter(bool), st.data())
def test_half_a_call_never_runs(value: dict[str, object], data: st.DataObject) -> None:
    """Safety, "Providers": arguments that were cut off are refused, never completed."""
    text = json.dumps(value)
    assert parsed(text[: data.draw(st.integers(1, len(text) - 1))]) is None

"""Counting (spec/context 3; B22-B24, issue 3 item 1)."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.context.encoding import CL100K, O200K, count_encoded, encoding_for, load_encoding
from neocode.context.estimate import estimate_chars
from neocode.context.tokens import (
    IMAGE_LEAST,
    IMAGE_MOST,
    MESSAGE_OVERHEAD,
    TokenCounter,
    image_tokens,
)
from neocode.domain.messages import Image
from neocode.domain.tooling import ToolSpec
from tests.histories import assistant, call, user

CODE = "def area(width: float, height: float) -> float:\n    return width * height  # in metres\n"
ENGLISH = "The quick brown fox jumps over the lazy dog and runs far away from here. "
CHINESE = "上下文压缩会把较早的消息归档，并用摘要和任务状态代替它们。"


@pytest.fixture(scope="module")
def warm() -> TokenCounter:
    counter = TokenCounter()
    assert counter.warm()
    return counter


def test_the_encodings_are_found_offline_without_importing_litellm(warm: TokenCounter) -> None:
    assert warm.count_text("hello world") == 2
    code = (
        "import sys; from neocode.context.tokens import TokenCounter; counter = TokenCounter()\n"
        "assert counter.warm(); assert counter.is_warm()\n"
        "assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("openai/gpt-5", O200K),
        ("openai/gpt-4o", O200K),
        ("openai/gpt-4-turbo", CL100K),
        ("anthropic/claude-sonnet-4-5", CL100K),
        ("deepseek/deepseek-chat", CL100K),
        ("openai/own-name", O200K),
        ("", O200K),
    ],
)
def test_encoding_for(model: str, encoding: str) -> None:
    assert encoding_for(model) == encoding


def test_damaged_ranks_are_refused_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "fb374d419588a4632f3f557e76b4b70aebbca790"
    (tmp_path / name).write_bytes(b"damaged")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert load_encoding(O200K) is not None
    assert (tmp_path / name).read_bytes() == b"damaged"


def test_any_loaded_encoding_is_nearer_than_characters(warm: TokenCounter) -> None:
    other = "anthropic/claude-sonnet-4-5"
    assert not warm.is_warm(other)
    assert warm.count_text(CODE * 5, other) == warm.count_text(CODE * 5)


@pytest.mark.parametrize("text", [CODE * 20, ENGLISH * 20, CHINESE * 20, "0123456789abcdef" * 60])
def test_characters_come_near_the_tokenizer(warm: TokenCounter, text: str) -> None:
    assert 0.75 < estimate_chars(text) / warm.count_text(text) < 2.0


def test_chinese_is_not_counted_like_english() -> None:
    """W's flat quarter is far too low for CJK."""
    assert 1.0 <= estimate_chars("压" * 1000) / 1000 <= 1.5
    assert 0.2 <= estimate_chars(ENGLISH * 100) / len(ENGLISH * 100) <= 0.3


@given(st.text(max_size=300), st.text(max_size=300))
def test_estimates_are_bounded_and_grow(one: str, two: str) -> None:
    assert estimate_chars(one) <= 1.1 * len(one) + 1
    assert estimate_chars(one + two) + 1 >= estimate_chars(one)
    assert (estimate_chars(one) == 0) == (one == "")


@pytest.mark.parametrize("char", ["a", " ", "\n", "=", "1", "中", "é", "🙂", "\ud800", "\x00"])
def test_a_run_of_one_hundred_thousand_equal_characters(warm: TokenCounter, char: str) -> None:
    """Neither freezes nor crashes (issue 3 item 1); pytest's time limit is the clock."""
    assert 0 < warm.count_text(char * 100_000) <= 400_000
    assert estimate_chars(char * 100_000) > 0


def test_cutting_long_runs_counts_nearly_the_same(warm: TokenCounter) -> None:
    encoding = load_encoding(O200K)
    assert encoding is not None
    text = f"{ENGLISH * 3}{'abc' * 500} {ENGLISH}"
    assert abs(count_encoded(encoding, text) - len(encoding.encode_ordinary(text))) <= 6


def test_special_tokens_are_plain_text(warm: TokenCounter) -> None:
    assert warm.count_text("<|endoftext|>") > 1


class Slow:
    """An encoding that says how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def encode_ordinary(self, text: str) -> list[int]:
        self.asked += 1
        return [0] * len(text.split())


def test_each_message_is_counted_once_even_when_read_again_from_disk() -> None:
    counter, encoding = TokenCounter(), Slow()
    counter._encodings[O200K] = encoding
    messages = [user(f"m{n}", f"word {n}") for n in range(20_000)]
    total = counter.count_messages(messages)
    asked = encoding.asked
    copies = [replace(m) for m in messages]
    assert counter.count_messages(messages) == counter.count_messages(copies) == total
    assert encoding.asked == asked


def test_a_changed_message_of_the_same_id_is_counted_anew() -> None:
    counter = TokenCounter()
    short, long = user("m1", "one"), user("m1", ENGLISH)
    assert counter.count_message(short) < counter.count_message(long)
    assert counter.count_message(replace(short, tool_calls=(call("c1"),))) > 8


def test_calls_tools_and_overhead_count() -> None:
    counter = TokenCounter()
    bare = counter.count_message(assistant("a1"))
    assert bare == MESSAGE_OVERHEAD
    assert counter.count_message(assistant("a2", "", call("c", "read", ENGLISH))) > bare + 15
    tool = ToolSpec(name="read", description=ENGLISH, parameters={"type": "object"})
    assert counter.count_tools([tool, tool]) == 2 * counter.count_tools([tool]) > 40


def test_a_picture_is_bounded_and_never_its_base64() -> None:
    """B23: one screenshot is a bounded amount, thirty of them show."""
    huge = Image(media_type="image/png", data="A" * 2_800_000)
    counter = TokenCounter()
    one = counter.count_message(user("m1", "look", images=(huge,)))
    assert 1000 <= one <= 5000
    assert counter.count_message(user("m2", "look", images=(huge,) * 30)) > 29 * IMAGE_MOST


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_picture_bounds(width: int, height: int) -> None:
    image = Image(media_type="image/png", data="", width=width, height=height)
    assert IMAGE_LEAST <= image_tokens(image) <= IMAGE_MOST


def test_small_pictures_are_cheap() -> None:
    assert image_tokens(Image(media_type="image/png", data="", width=64, height=64)) == IMAGE_LEAST


def test_the_ratio_is_learned_smoothed_bounded_and_kept() -> None:
    counter = TokenCounter()
    assert counter.ratio("m") == 1.0
    counter.learn("m", 1000, 1500)
    assert counter.ratio("m") == 1.5
    counter.learn("m", 1000, 500)
    assert counter.ratio("m") == pytest.approx(1.2)
    assert counter.scaled("m", 1000) == 1200
    again = TokenCounter(counter.ratios)
    assert again.ratio("m") == counter.ratio("m")


@given(st.lists(st.tuples(st.integers(-5, 10**6), st.integers(-5, 10**7)), max_size=20))
def test_the_ratio_stays_within_bounds(replies: list[tuple[int, int]]) -> None:
    counter = TokenCounter({"m": 99.0})
    for estimated, measured in replies:
        counter.learn("m", estimated, measured)
        assert 0.5 <= counter.ratio("m") <= 4


def test_silent_servers_teach_nothing() -> None:
    """B24: a usage of zeros is missing data."""
    counter = TokenCounter()
    counter.learn("m", 5000, 0)
    assert counter.ratios == {}

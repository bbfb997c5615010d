"""Usage as the providers report it (B22, B24, B60)."""

from typing import Any

import pytest

from neocode.domain.usage import Price, Usage, cost_usd
from neocode.provider.usage import read_usage


@pytest.mark.parametrize(
    ("reported", "total", "cached", "written", "output"),
    [
        # OpenAI: the prompt holds the cached part
        (
            {
                "prompt_tokens": 89200,
                "completion_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 88000},
            },
            89200,
            88000,
            0,
            10,
        ),
        # Anthropic: three parts side by side
        (
            {
                "input_tokens": 1200,
                "cache_read_input_tokens": 88000,
                "cache_creation_input_tokens": 0,
                "output_tokens": 10,
            },
            89200,
            88000,
            0,
            10,
        ),
        # a proxy: OpenAI's names, Anthropic's counting
        (
            {"prompt_tokens": 1200, "completion_tokens": 10, "cache_read_input_tokens": 88000},
            89200,
            88000,
            0,
            10,
        ),
        # litellm's view of Anthropic: already whole, both details given
        (
            {
                "prompt_tokens": 90000,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 80000, "cache_creation_tokens": 9000},
                "cache_read_input_tokens": 80000,
                "cache_creation_input_tokens": 9000,
            },
            90000,
            80000,
            9000,
            7,
        ),
        # DeepSeek
        (
            {
                "prompt_tokens": 1000,
                "completion_tokens": 5,
                "prompt_cache_hit_tokens": 900,
                "prompt_cache_miss_tokens": 100,
            },
            1000,
            900,
            0,
            5,
        ),
        # Gemini: thoughts are output
        (
            {
                "promptTokenCount": 500,
                "cachedContentTokenCount": 400,
                "candidatesTokenCount": 20,
                "thoughtsTokenCount": 30,
            },
            500,
            400,
            0,
            50,
        ),
    ],
)
def test_cached_tokens_are_part_of_the_input_exactly_once(
    reported: dict[str, Any], total: int, cached: int, written: int, output: int
) -> None:
    """B22: whichever way the provider counts, about 89k are in use."""
    assert read_usage(reported) == Usage(
        input_tokens=total,
        output_tokens=output,
        cached_tokens=cached,
        cache_write_tokens=written,
        api_calls=1,
    )


@pytest.mark.parametrize(
    "reported",
    [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": None}],
)
def test_missing_or_zero_usage_is_no_usage(reported: dict[str, Any] | None) -> None:
    """B24: zeros are missing data, our own estimate takes their place."""
    assert read_usage(reported) is None


def test_the_cost_matches_a_hand_calculation() -> None:
    """B60: 1000 fresh, 9000 cached, 500 output."""
    usage = read_usage(
        {
            "prompt_tokens": 10000,
            "completion_tokens": 500,
            "prompt_tokens_details": {"cached_tokens": 9000},
        }
    )
    assert usage is not None
    price = Price(input=3.0, output=15.0, cached_input=0.3)
    assert cost_usd(usage, price) == pytest.approx(0.003 + 0.0027 + 0.0075)
    assert cost_usd(usage, None) is None

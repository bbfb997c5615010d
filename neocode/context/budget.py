"""The arithmetic of the window: what fits, when it is time, what a reply may take (B17)."""

from typing import Literal

Suggestion = Literal["session_input", "context_window"]
Trigger = Literal["session_input", "context_window", "either"]

_RESERVE = 4096
_RESERVE_SHARE = 4
_LEAST_OUTPUT = 256


def output_reserve(window: int, max_output: int | None) -> int:
    """Tokens of the window held back for the reply: the model's own limit, or 4,096.

    Never more than a quarter of the window, so that every model has room for input.
    """
    return min(max_output or _RESERVE, window // _RESERVE_SHARE)


def usable_window(window: int, max_output: int | None) -> int:
    """Tokens a request may take so that the reply still fits; at least 3/4 of the window."""
    return window - output_reserve(window, max_output)


def threshold_tokens(window: int, percent: int) -> int:
    """The context_window trigger in tokens: the first size that is percent of the window."""
    return -(-window * percent // 100)


def percent_of(tokens: int, window: int) -> float:
    """Share of the window in percent, with one decimal; above 100 when it does not fit."""
    return round(100 * tokens / window, 1) if window > 0 else 0.0


def output_cap(window: int, max_output: int | None, prompt_tokens: int) -> int | None:
    """Most tokens to ask of the reply: the model's limit, and no more than what is left.

    Two percent of the prompt stay free, since its size is an estimate. None when the
    model's limit is not known: the provider then decides. Never under 256.
    """
    if max_output is None:
        return None
    left = window - prompt_tokens - prompt_tokens // 50
    return max(_LEAST_OUTPUT, min(max_output, left)) if max_output > _LEAST_OUTPUT else max_output


def suggestion(
    trigger: Trigger,
    *,
    session_input: int,
    input_threshold: int,
    next_request: int,
    window_threshold: int,
) -> Suggestion | None:
    """Whether an automatic compaction is due, and by which of the two counters.

    session_input: input tokens added up over calls since the last compaction (N).
    next_request: size of the next one (W). The window's figure wins when both are over:
    it is the one that cannot wait.
    """
    if trigger != "session_input" and next_request >= window_threshold:
        return "context_window"
    if trigger != "context_window" and session_input >= input_threshold:
        return "session_input"
    return None

"""The limit and the size that a refusal names, taken only where they are named."""

import re

from neocode.provider.refusal.evidence import Evidence

_N = r"(\d[\d,_]*)(?!\d| ?\+| ?bytes| ?[KMG]i?B\b)"


def _all(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.IGNORECASE | re.DOTALL) for p in patterns)


_LIMIT = _all(
    rf"context (?:length|window|size|limit)(?: is| of)+ (?:only )?{_N}",
    rf"context (?:length|window|size|limit) \({_N} tokens",
    rf"max\w*(?: allowed| supported)? (?:context|prompt|input|sequence|model) ?(?:token )?"
    rf"(?:length|size|window|count|tokens)?(?: of [\w.\-/:]+)?(?: is|:| of)+ (?:only )?{_N}",
    rf"exceeds? (?:the )?context (?:window|length|size|limit)(?: limit)?(?: of|:)? ?{_N}",
    rf"exceed context limit: [\d,]+ \+ [\d,]+ > {_N}",
    rf"tokens > {_N} maximum",
    rf"{_N} max(?:imum)? context",
    rf"context size \({_N}",
    rf"configured limit of {_N}",
    rf"tokens allowed \({_N}\)",
    rf"max\w* allowed(?: input)? length(?: of)? \(?{_N}",
    rf"must (?:be|have) (?:<=|less than|less than or equal to|fewer than|at most) {_N} ?tokens",
    rf"must (?:be|have) (?:<=|less than(?: or equal to)?)(?: max_seq_len)? \(?{_N}",
    rf"cannot exceed (?:the total tokens limit )?{_N}",
    rf"range of input length should be \[\d+, ?{_N}\]",
    rf"exceed\w* (?:the |model |its )*(?:token )?(?:limit|maximum)(?: of|:| is)* ?{_N}",
    rf"only supports (?:up to )?{_N}",
    rf"n_ctx: ?{_N}",
    rf"while limit is {_N}",
    rf"max size: {_N} tokens",
    rf"max input tokens: {_N}",
    rf"greater than max_seq_len {_N}",
    rf"(?:model token limit|input length limit|maximum model length of|session_len):? ?{_N}",
    rf"max\w* (?:prompt|input|context) length(?: is)? {_N}",
    rf"window limit \({_N}\)",
    rf"model limit \({_N} tokens",
)
_REQUESTED = _all(
    rf"\({_N} (?:in the messages|in your prompt|of text input|in the prompt)",
    rf"{_N} tokens from the input",
    rf"prompt contains(?: at least)? {_N}",
    rf"request has {_N} input tokens",
    rf"request contains {_N}",
    rf"(?:messages|prompt) resulted in {_N}",
    rf"passed {_N} input tokens",
    r"exceed context limit: (\d[\d,]*) \+",
    rf"too long: {_N}",
    rf"token count(?: of| is)? \(?{_N}",
    rf"requested tokens \({_N}\)",
    rf"request \({_N} tokens",
    rf"input (?:length )?\(?{_N}(?: tokens\))? (?:exceeds|is longer)",
    rf"given: {_N}",
    rf"number of input tokens {_N}",
    rf"received {_N}",
    rf"n_keep: ?{_N}",
    rf"keep the first {_N} tokens",
    rf"current length is {_N}",
    rf"will take {_N} tokens",
    rf"requested: ?{_N}",
    rf"token count: ?{_N}",
    rf"prompt length \(?{_N}",
    rf"request prompt has {_N} tokens",
    rf"length of prompt_tokens \({_N}",
    rf"maximum output tokens \({_N}\)",
    rf"requested (?:about |a total of )?{_N} tokens(?! in the (?:completion|output))",
)
LEAST_WINDOW = 1024
"""A stated limit under this is not learned: vLLM can name what max_tokens left over."""


def limit_and_requested(evidence: Evidence) -> tuple[int | None, int | None]:
    """The window and the size of the input in tokens, as far as they were named."""
    limit = evidence.values.get("n_ctx") or _first(_LIMIT, evidence.prose)
    requested = evidence.values.get("n_prompt_tokens") or _first(_REQUESTED, evidence.prose)
    return limit, requested


def learned_window(limit: int | None) -> int | None:
    """The limit of a refusal if it can be believed as the model's window."""
    return limit if limit is not None and limit >= LEAST_WINDOW else None


def _first(patterns: tuple[re.Pattern[str], ...], prose: str) -> int | None:
    for pattern in patterns:
        if match := pattern.search(prose):
            return int(re.sub(r"[,_]", "", match[1]))
    return None

"""Recognise that a request was longer than the model's window (spec/context 6, B56).

Families of wordings, not sentences: providers change words, seldom the grammar of
"something of the input" + "is too much" + "for the window".
"""

import re

from neocode.provider.refusal.evidence import Evidence
from neocode.provider.refusal.lookalikes import TOKENS, bytes_limit

NEAR = 0.85
"""From this share of the window on, a refusal without a reason is taken for an overflow."""
BYTES_SHARE = 0.5
"""Below this share a limit in bytes is no matter of the window (B57)."""

CODES = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "context_window_exceeds_limit",
        "model_context_window_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
        "max_prompt_tokens_exceeded",
        "tokens_limit_reached",
        "prompt_too_long",
        "input_too_long",
        "context_too_long",
        "context_overflow",
        "context_limit_exceeded",
        "max_context_length_exceeded",
        "input_length_exceeded",
        "prompt_length_exceeded",
        "token_limit_exceeded",
        "3051",
        "1261",
        "40303",
        "336103",
    }
)
CLASSES = frozenset({"ContextWindowExceededError"})

_THING = (
    r"(?:prompts?|inputs?|messages?|contexts?|conversations?|(?:chat )?history|sequences?"
    r"|(?:input |prompt |total |requested |number of |estimated )+tokens?|token count|request)"
)
_OVER = (
    r"(?:exceed\w*|too (?:long|large|big|many)|over the"
    r"|(?:longer|larger|greater|bigger|more(?: tokens)?) than"
    r"|beyond|cannot exceed|must (?:be|have) (?:less|fewer|shorter|no more|at most|<)\w*"
    r"|surpass\w*|overflow\w*|larger for|above the)"
)
_ROOM = (
    r"(?:context|(?:max\w*|allowed|total|model'?s?) [\w ]{0,24}(?:tokens?|length|input|prompt)"
    r"|max_(?:seq_len|model_len|input|position|context|prompt)\w*|n_ctx|session_len|token limit"
    r"|tokens limit|limit of \d{3,}|kv cache|input length limit|length limit|max length)"
)
FAMILIES = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # the thing is too much for the room, in either order
        rf"\b{_THING}\b[^\n]{{0,120}}?{_OVER}[^\n]{{0,80}}?{_ROOM}",
        rf"\b{_OVER}[^\n]{{0,60}}?{_ROOM}",
        rf"{_ROOM}[^\n]{{0,60}}?\b(?:exceed\w*|overflow\w*|is full|reached|not enough)",
        # "maximum context length is N ... however, ..."
        r"max\w*(?: allowed| supported)? (?:context|prompt|input|sequence|model)[\w ]{0,20}"
        r"(?:length|size|window|tokens?)[^\n]{0,80}? (?:is|of|:) ?(?:only )?\d[^\n]{0,40}?"
        r"(?:however|but|and|while|\. you|your|request)",
        r"context (?:length|window|size)[^\n]{0,30}?is (?:only )?\d"
        r"[^\n]{0,60}?(?:requested|result)",
        r"model only supports (?:up to )?\d[\d,]* ?(?:input |prompt )?(?:tokens?)?\.? reduce",
        # the thing is too long, without a measure
        r"\b(?:prompts?|inputs?|context|conversation|messages|chat history)\b[ \w]{0,30}"
        r"(?:is|are|was|were)? ?too (?:long|large|big)\b",
        r"too many (?:input|prompt|context|total) tokens",
        r"too many tokens\W+(?:in|total|size|the|for|prompt|input|max)",
        r"(?:reduce|shorten|decrease)[ \w]{0,10} the (?:length|size|number of tokens)[ \w]{0,10}"
        r" (?:of|in) (?:the|your) (?:input|messages|prompt|conversation)",
        r"range of input[_ ](?:length|tokens?) should be",
        r"(?:input|prompt|message)[\w ]{0,20} (?:tokens?|length) exceeds?\b",
        r"`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than \d+ tokens)",
        r"\bmessage (?:you \w+ )?(?:is|was) too long",
        r"too (?:long|large)[^\n]{0,40}\b(?:smaller|shorter) (?:prompt|input|context|message)",
        r"too long: (?:the )?(?:input|prompt)",
        r"text fields that are too large",
        r"\bfit[^\n]{0,30}\b(?:context|window)\b",
        r"\btokens?\b[^\n]{0,40}\bexceeds? the (?:limit|max\w*)\b",
        r"(?:combined|total|sum)[^\n]{0,30}(?:input|prompt)"
        r"[^\n]{0,40}exceeds? the (?:limit|max\w*)",
        r"(?:input|prompt) tokens?[^\n]{0,30}must be (?:less|fewer|at most|<)",
        r"(?:up to|at most) \d[\d,]* (?:tokens of context|context tokens|input tokens)",
        r"#/(?:inputText|prompt|messages)[^\n]{0,20}expected maxLength",
        # sizes named side by side
        r"n_keep: ?\d+ ?>= ?n_ctx",
        r"keep the first \d+ tokens when",
        r"max_(?:completion_)?tokens[`'\"]? must be at least 1, got -\d",
        r"length of prompt_tokens",
        r"request body too large for [\w.\-/ ]+ model\. max size: \d+ tokens",
        # in Chinese
        r"(?:输入|请求|上下文|提示词?|对话|消息|内容|prompt|tokens?)[^\n]{0,16}"
        r"(?:超长|过长|太长|超[过出](?:了)?[^\n]{0,16}(?:长度|上限|限制|窗口|最大))",
        r"(?:最大|上下文)(?:输入|上下文)?(?:长度|窗口)[^\n]{0,20}超",
    )
)
_BARE = re.compile(r"[\w.]+(?:Error|Exception)\b:?|Error code: \d+|[\s\-:]+")
_LONG_STRING = re.compile(r"string too long\D{0,60}maximum length (\d{6,})", re.IGNORECASE)


def is_overflow(evidence: Evidence) -> bool:
    """True when the request was too long for the window.

    Asked after lookalike() found nothing. Order: typed error, code, words, and last a
    bare 400 or 413 while our own estimate is near the window.
    """
    if _speaks_of_bytes_only(evidence):
        return _bytes_of_a_long_history(evidence)
    if evidence.classes & CLASSES or evidence.codes & CODES or _in_words(evidence.prose):
        return True
    return evidence.status in (400, 413) and (evidence.share or 0.0) >= NEAR


def _in_words(prose: str) -> bool:
    if any(code in prose for code in (*CODES, *CLASSES) if not code.isdigit()):
        return True
    return bool(_LONG_STRING.search(prose)) or any(f.search(prose) for f in FAMILIES)


def _speaks_of_bytes_only(evidence: Evidence) -> bool:
    if evidence.codes & CODES or evidence.classes & CLASSES:
        return False
    return bytes_limit(evidence) and not TOKENS.search(evidence.prose)


def _bytes_of_a_long_history(evidence: Evidence) -> bool:
    """A provider's own byte limit is met by a long history, or by one big picture.

    Our own estimate tells them apart; without one only a proxy's limit, which says
    nothing about the model, is no overflow.
    """
    if evidence.share is not None:
        return evidence.share >= (BYTES_SHARE if _is_providers_own(evidence) else NEAR)
    return _is_providers_own(evidence)


def _is_providers_own(evidence: Evidence) -> bool:
    if "request_too_large" in evidence.codes or not _BARE.sub("", evidence.prose).strip():
        return True
    return bool(
        re.search(r"request payload size exceeds|exceeds the maximum size", evidence.prose, re.I)
    )

"""Failures that sound like an overflow and are none (spec/context 6, B57).

A rate limit, a bad max_tokens, a quota, a content filter, a bad tool schema, a limit in
bytes: a compaction would only throw away history there.
"""

import re

from neocode.domain.errors import ProviderKind
from neocode.provider.refusal.evidence import Evidence


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE | re.DOTALL)


_OUT = r"max[_ -]?(?:(?:completion|output|new)[_ -]?)?tokens"

RATE = _any(
    r"tokens?[ -]?(?:per|/|a|every)[ -]?(?:min|minute|hour|day|second|sec|month)\b",
    r"requests?[ -]?(?:per|/)[ -]?(?:min|minute|hour|day|second)\b",
    r"\b(?:TPM|TPD|RPM|RPD|ITPM|OTPM)\b",
    r"rate[ _-]?limit(?!less)",
    r"throttl",
    r"too many (?:requests|concurrent)",
    r"(?:wait|slow down)[^.]{0,40}before (?:trying|retry)",
    r"too many tokens,? please (?:wait|try again later|slow)",
    r"concurren\w+ (?:limit|requests)",
    r"resource has been exhausted",
    r"速率限制|请求频率|频率限制|限流|请求过于频繁|并发(?:数|限制)",
)
RATE_CODES = frozenset(
    {
        "rate_limit_exceeded",
        "rate_limit_error",
        "rate_limited",
        "rate_limit",
        "ratelimitreached",
        "too_many_requests",
        "throttlingexception",
        "throttling",
        "throttling.ratequota",
        "throttling.allocationquota",
        "resource_exhausted",
        "1302",
        "1303",
        "1305",
        "requestbursttoofast",
    }
)
QUOTA = _any(
    r"insufficient[ _](?:quota|balance|credits?|funds)",
    r"exceeded your (?:\w+ ){0,3}(?:quota|usage|budget|spend|credits)",
    r"(?:quota|credits?|budget)[ \w]{0,30}(?:exceeded|exhausted|depleted|used up|reached)",
    r"credit balance",
    r"more credits",
    r"can only afford",
    r"(?:add|purchase|buy) (?:more )?(?:credits|funds)",
    r"payment required",
    r"spend(?:ing)? limit",
    r"余额不足|欠费|充值|额度(?:不足|已用)",
)
QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_error",
        "billing_hard_limit_reached",
        "token_quota_exceeded",
        "insufficient_balance",
        "exceeded_current_quota_error",
        "arrearage",
        "1113",
        "payment_required",
    }
)
FILTER = _any(
    r"content[ _-]?(?:filter|polic|management|moderation)",
    r"considered high risk",
    r"(?:flagged|rejected|blocked) (?:by|as|for|because of|due to)[^.]{0,60}"
    r"(?:safety|moderation|policy|usage|harm|inappropriate)",
    r"responsible ai",
    r"data[ _]inspection",
    r"inappropriate content",
    r"敏感|违规|内容安全|不安全",
)
FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "data_inspection_failed",
        "datainspectionfailed",
        "responsibleaipolicyviolation",
        "safety",
        "prohibited_content",
        "1301",
    }
)
OUTPUT = _any(
    rf"{_OUT}[`'\"]?:? ?\d+ > \d+, which is the maximum allowed",
    r"maximum allowed number of output tokens",
    r"(?:supports|allows|generate) at most \d[\d,]* (?:completion|output)",
    rf"{_OUT}[`'\"]? (?:is too large|is too high|is too big)(?!.{{0,120}}input tokens)",
    rf"{_OUT}[`'\":]{{0,2}}(?: parameter| value| specified in the request)*"
    r" (?:must|should|needs to|cannot|can't|may not|has to|exceeds?|is greater|is above|is invalid"
    r"|(?:is|are) not valid)\b(?! be at least 1, got -)",
    rf"invalid (?:value for |parameter:? )?[`'\"]?{_OUT}",
    rf"(?:parameter|value|field) [`'\"]?{_OUT}[`'\"]?",
    rf"range of {_OUT} should be",
    r"maximum tokens you requested exceed",
    rf"{_OUT}.{{0,40}}maximum output",
    rf"the maximum (?:value|number|limit) (?:of|for) [`'\"]?{_OUT}",
    rf"{_OUT}\W{{0,3}}(?:参数|非法|超出|超过|不能|必须)",
    r"(?:output|completion) (?:token )?(?:limit|length|tokens?)[^.]{0,30}"
    r"(?:exceeds?|exceeded|too large|must be)",
    r"(?:requested|maximum) (?:output|completion) tokens[^.]{0,40}(?:exceed|greater|supports?)",
)
INPUT_COUNTED = _any(
    r"\binputs?\b(?!\[)(?! validation error: max)",
    r"\bprompts?\b",
    r"in the messages",
    r"context (?:length|limit|window) (?:is|of)",
    r"maximum context length is",
    r"max_seq_len",
)
BOTH_COUNTED = _any(
    r"\b(?:input|prompt|messages)\b[\w ]{0,20}(?:and|plus|\+)"
    r"[\w `]{0,20}(?:output|completion|max_)",
)
SHAPE = _any(
    r"array too long",
    r"string too long.{0,80}maximum length \d{1,5}\b",
    r"tool_(?:use|result|calls?|call_id)\b",
    r"\btools?\.\d|\btools\[\d",
    r"tools?\.function|function\.(?:parameters|name|description)",
    r"json schema|generate parser|schema (?:error|for function)",
    r"(?:string|name|field)[^.]{0,20} should have at most \d",
    r"(?:function|tool) names?\b",
    r"too many (?:tools|functions|images|documents|files|pages|messages in)",
    r"image (?:dimensions|exceeds|size|is too)|image dimensions|\bPDF pages?",
    r"roles must alternate|(?:un)?expected role|last message must",
    r"stop sequences?",
    r"\b(?:tool|function|name|description|schema|enum|user|metadata|title|url|id|block count)s?\b"
    r"[^.\n]{0,40}(?:too long|too large|exceeds?|maximum length)",
)
TIMEOUT = _any(r"timed? ?out", r"gateway time-?out")
BYTES = _any(
    r"(?:request )?(?:body|entity|payload)[ \w]{0,30}(?:too large|size|exceed|limit)",
    r"(?:buffer|read) the request body",
    r"content[ -]length",
    r"\d ?(?:bytes|[KMG]i?B)\b",
    r"request exceeds the maximum size",
)
TOKENS = re.compile(r"tokens?\b|tokens_limit_reached", re.IGNORECASE)

_RATE_STATUS = frozenset({429})


def lookalike(evidence: Evidence) -> ProviderKind | None:
    """The kind of a failure that is surely no overflow; None when the question is open."""
    status, codes, prose = evidence.status, evidence.codes, evidence.prose
    if status in (401, 403) and not _names_context(evidence):
        return "auth"
    if status == 402 or codes & QUOTA_CODES or QUOTA.search(prose):
        return _quota_or_rate(evidence)
    if _is_rate_limit(evidence):
        return "rate_limit"
    if status in (408, 504, 524) or evidence.classes & {"Timeout", "APITimeoutError"}:
        return "timeout"
    if codes & FILTER_CODES or FILTER.search(prose):
        return "content_filter"
    if OUTPUT.search(prose) and not _counts_input(prose):
        return "output_limit"
    if SHAPE.search(prose) and not TOKENS.search(_without_names(prose)):
        return "bad_request"
    return None


def bytes_limit(evidence: Evidence) -> bool:
    """True when the refusal is about bytes of the request, not about tokens."""
    if evidence.codes & {"request_too_large", "payload_too_large"}:
        return True
    words = _without_names(evidence.prose)
    if BYTES.search(words) and not re.search(r"max size: \d+ tokens|tokens", words, re.I):
        return True
    return evidence.status == 413


def _is_rate_limit(evidence: Evidence) -> bool:
    return bool(
        evidence.status in _RATE_STATUS
        or evidence.codes & RATE_CODES
        or "RateLimitError" in evidence.classes
        or RATE.search(evidence.prose)
    )


def _quota_or_rate(evidence: Evidence) -> ProviderKind:
    """A quota a minute is a rate limit; money and monthly quotas are not."""
    if evidence.status != 402 and re.search(
        r"per[ -]?(?:minute|min|day|hour|second)|TPM|RPM", evidence.prose, re.IGNORECASE
    ):
        return "rate_limit"
    return "quota"


def _names_context(evidence: Evidence) -> bool:
    return "context_length_exceeded" in evidence.codes


def _counts_input(prose: str) -> bool:
    """True when input is counted too: prompt plus max_tokens over the window."""
    return bool(BOTH_COUNTED.search(prose)) or any(
        INPUT_COUNTED.search(part) and re.search(r"\d", part)
        for part in prose.split("\n")
        if not re.search(r"context_window[`'\"]? for this model", part)
    )


def _without_names(prose: str) -> str:
    """Prose without parameter names that hold the word tokens."""
    return re.sub(r"\w*max_\w*tokens\w*", " ", prose)

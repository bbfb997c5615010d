"""Classify a failed call: what it was, whether another try can help, what to do next.

Pure: litellm_provider reads the exception into a Failure, classify turns that into one
of the errors of domain/errors, with words for the user (spec/context 6, spec/safety
"Providers", B56-B59).
"""

import re

from neocode.config.log_file import LEAST_SECRET_CHARS
from neocode.domain.errors import (
    ContextTooLong,
    PermanentError,
    ProviderError,
    ProviderKind,
    StreamBroken,
    TransientError,
)
from neocode.provider.refusal.evidence import Evidence, Failure, gather
from neocode.provider.refusal.lookalikes import bytes_limit, lookalike
from neocode.provider.refusal.numbers import limit_and_requested
from neocode.provider.refusal.overflow import is_overflow
from neocode.provider.retry import retry_after_seconds

MAX_SAID = 300
"""Characters of the provider's own words that are shown."""

_TRANSIENT = frozenset({"rate_limit", "overloaded", "server_error", "connection", "timeout"})
_CONNECTION = frozenset(
    {
        "APIConnectionError",
        "ConnectError",
        "ReadError",
        "WriteError",
        "RemoteProtocolError",
        "ConnectionError",
        "ConnectionResetError",
        "ConnectionRefusedError",
        "ClientConnectorError",
        "ClientPayloadError",
        "ServerDisconnectedError",
        "IncompleteRead",
    }
)
_GARBLED = frozenset(
    {"JSONDecodeError", "AttributeError", "TypeError", "KeyError", "IndexError", "ValidationError"}
)
"""What litellm trips over when a server's answer is not what it should be."""
_BY_STATUS: dict[int, ProviderKind] = {
    400: "bad_request",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    405: "bad_request",
    408: "timeout",
    409: "server_error",
    413: "body_too_large",
    422: "bad_request",
    425: "server_error",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    524: "timeout",
    529: "overloaded",
}
_BY_CLASS: dict[str, ProviderKind] = {
    "AuthenticationError": "auth",
    "PermissionDeniedError": "auth",
    "NotFoundError": "not_found",
    "ContentPolicyViolationError": "content_filter",
    "RateLimitError": "rate_limit",
    "Timeout": "timeout",
    "APITimeoutError": "timeout",
    "TimeoutError": "timeout",
    "ServiceUnavailableError": "overloaded",
    "InternalServerError": "server_error",
    "UnsupportedParamsError": "bad_request",
}
_OVERLOADED = re.compile(r"overloaded|over capacity|server is busy|访问量过大", re.IGNORECASE)
_LOST = re.compile(
    r"connection (?:error|reset|refused|aborted|closed)|server disconnected|cannot connect"
    r"|payload is not completed|peer closed|incomplete (?:read|chunked)|name or service not known"
    r"|temporary failure in name resolution|ended before a finish_reason",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model[^.\n]{0,60}(?:not found|does not exist|not exist|is not available|unknown)"
    r"|unknown model|no such model|model_not_found|LLM Provider NOT provided|not a valid model",
    re.IGNORECASE,
)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided", re.IGNORECASE)
_BAD_KEY = re.compile(
    r"(?:invalid|incorrect|missing|no|provide an?)[\w\s'-]{0,20} api[ _-]?key|invalid_api_key"
    r"|unauthori[sz]ed|authentication[ _](?:error|failed)|api_key client option must be set"
    r"|API key not valid|invalid x-api-key",
    re.IGNORECASE,
)


def classify(failure: Failure) -> ProviderError:
    """The error that a failure stands for; never raises."""
    evidence = gather(failure)
    kind = lookalike(evidence)
    if kind is None and is_overflow(evidence):
        limit, requested = limit_and_requested(evidence)
        return ContextTooLong(
            _sentence(failure, "the request is longer than the model's window", evidence),
            status=failure.status,
            limit=limit,
            requested=requested,
        )
    return _error(kind or _kind(evidence, failure.received), failure, evidence)


def _kind(evidence: Evidence, received: bool) -> ProviderKind:
    """What a failure is that is neither an overflow nor one of its look-alikes."""
    told = _kind_by_words(evidence)
    if told is not None:
        return told
    is_reached = bool(evidence.messages)  # whatever class litellm gives to that
    if evidence.status in _BY_STATUS and (is_reached or not evidence.classes & _CONNECTION):
        return _BY_STATUS[evidence.status]
    for name, kind in _BY_CLASS.items():
        if name in evidence.classes and (kind != "overloaded" or not received):
            return kind
    if evidence.classes & _CONNECTION and not is_reached and not _is_garbled(evidence):
        return "connection"
    if evidence.status is not None and 400 <= evidence.status < 500:
        return "bad_request"
    is_there = is_reached or evidence.status is not None or _is_garbled(evidence)
    return "server_error" if is_there else "connection"


def _kind_by_words(evidence: Evidence) -> ProviderKind | None:
    """What the provider's own words say, whatever the status; None when they do not."""
    if evidence.codes & {"overloaded_error", "overloaded"} or _OVERLOADED.search(evidence.prose):
        return "overloaded"
    if evidence.status in (404, 400, None, 422) and _NO_MODEL.search(evidence.prose):
        return "not_found"
    if _BAD_KEY.search(evidence.prose) and evidence.status not in (404, 413):
        return "auth"
    if evidence.status in (400, 413, 422) and bytes_limit(evidence):
        return "body_too_large"
    if not evidence.messages and _LOST.search(evidence.prose):
        return "connection"
    return None


def _is_garbled(evidence: Evidence) -> bool:
    """An answer came, and it was none: half JSON, an empty object, a list."""
    silent = evidence.status is None and not evidence.messages
    return silent and (not evidence.classes or bool(evidence.classes & _GARBLED))


_WORDS: dict[ProviderKind, str] = {
    "rate_limit": "the provider limits how much may be sent in a while",
    "overloaded": "the provider is overloaded",
    "server_error": "the provider had an error of its own",
    "connection": "the provider could not be reached",
    "timeout": "the provider did not answer in time",
    "auth": "the provider did not accept the key",
    "not_found": "the provider knows no such model or address",
    "bad_request": "the provider did not accept the request",
    "output_limit": "the provider does not allow that many output tokens",
    "content_filter": "the provider's content filter refused the request",
    "quota": "the account has no quota or credit left",
    "body_too_large": "the request has too many bytes (the window is not the reason)",
}
_BROKEN: dict[ProviderKind, str] = {
    "connection": "the connection was lost",
    "timeout": "the provider fell silent",
}
_HINTS: dict[ProviderKind, str] = {
    "rate_limit": "Wait, or use another model (/model).",
    "overloaded": "Try again in a while, or use another model (/model).",
    "server_error": "Try again in a while, or use another model (/model).",
    "connection": "Check the network, the proxy variables and the model's api_base.",
    "timeout": "Try again; retry.idle_timeout_s in the configuration sets the limit.",
    "not_found": "Check the model's id and api_base in the configuration (neocode models).",
    "bad_request": "Send it again in other words; neocode doctor checks the configuration.",
    "output_limit": "Lower max_output_tokens of this model in the configuration.",
    "content_filter": "Say it in other words, or use another model (/model).",
    "quota": "Check plan and billing at the provider, or use another model (/model).",
    "body_too_large": "Leave out a picture or a large file, or /compact the session.",
}


def _error(kind: ProviderKind, failure: Failure, evidence: Evidence) -> ProviderError:
    hint = _key_hint(failure) if kind == "auth" else _HINTS.get(kind, "")
    if kind in _TRANSIENT and failure.received:
        what = "the answer broke off before its end, " + _BROKEN.get(kind, _WORDS[kind])
        return StreamBroken(
            _sentence(failure, what, evidence), hint="What came is kept; say “continue” to go on."
        )
    message = _sentence(failure, _WORDS.get(kind, kind), evidence)
    if _NO_PROVIDER.search(evidence.prose):
        message = f"{failure.model}: the model's id does not say whose it is."
        hint = (
            "Write id as PROVIDER/MODEL in the configuration, openai/MODEL for any server that "
            "speaks OpenAI's protocol."
        )
    if kind == "server_error" and _is_garbled(evidence):
        message = f"{failure.model}: what the server sent is no answer that can be read."
        hint = "Check the model's id and api_base in the configuration (neocode models)."
    if kind not in _TRANSIENT:
        return PermanentError(message, kind=kind, status=failure.status, hint=hint)
    return TransientError(
        message,
        kind=kind,
        status=failure.status,
        retry_after=retry_after_seconds(failure.retry_after, failure.now),
        hint=hint,
    )


def _key_hint(failure: Failure) -> str:
    if failure.key_env:
        return f"Check the key in the environment variable {failure.key_env}."
    return "Check api_key or api_key_env of this model in the configuration."


def _sentence(failure: Failure, what: str, evidence: Evidence) -> str:
    """ "sonnet: the provider is overloaded (529): Overloaded"."""
    status = f" ({failure.status})" if failure.status is not None else ""
    said = _shown(evidence.said or _stripped(failure), failure.secret)
    return f"{failure.model}: {what}{status}" + (f": {said}" if said else ".")


def _stripped(failure: Failure) -> str:
    """The first text that says something, without the class names litellm puts before it."""
    for text in failure.texts:
        rest = re.sub(r"^(?:(?:litellm\.)?[A-Za-z_]\w*(?:Error|Exception)\b ?[:-]* *)+", "", text)
        rest = rest.partition("Traceback (most recent call last)")[0]
        rest = re.sub(r"\.? *Handle with `litellm[^`]*`\.?", "", rest)
        rest = re.sub(r"^b(['\"])(.*)\1$", r"\2", rest.strip())
        if rest.strip(" .:"):
            return rest
    return ""


def _shown(text: str, secret: str) -> str:
    """One line, of bounded length, without tags of HTML, the key, or what looks like one."""
    line = re.sub(r"\s+", " ", re.sub(r"<[^<>]{1,200}>", " ", text)).strip()
    if len(secret) >= LEAST_SECRET_CHARS:
        line = line.replace(secret, "[key]")
    line = re.sub(r"\b(?:sk|pk|gsk|xai|key)-[\w-]{8,}", "[key]", line)
    return line if len(line) <= MAX_SAID else line[:MAX_SAID].rstrip() + "…"

"""Keys and tokens are masked on the way to disk (spec/safety "Secrets", B47).

Pure: text in, text out. What is masked: known key shapes, values assigned to names that
say "secret", passwords in addresses, private key blocks, and values the caller knows to be
keys. What is left alone: hashes, ids, pictures, placeholders, code that only names a key.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from neocode.store.key_shapes import shapes

RULES = 1
"""Goes up when a rule changes: what was found clean by older rules is looked at again."""

_LEAST_VALUE_CHARS = 6
_PEM = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:\\[rn]|[\sA-Za-z0-9+/=:,.-])*)",
    re.DOTALL,
)
_URL_PASSWORD = re.compile(r"(://[^\s/:@\"'<>]{0,200}:)([^\s/@\"'<>\\]{1,200})(@)")
_HEADER = re.compile(
    r"((?:authorization|x-api-key|api-key|x-goog-api-key|private-token|x-auth-token)"
    r"\\*[\"']?\s*[:=]\s*\\*[\"']?(?:(?:bearer|basic|token|apikey)\s+)?)([^\s\"'\\,;<>{}$()]{8,})",
    re.IGNORECASE,
)
_HEADER_ENDS = tuple(f"-{end}" for end in ("key", "Key", "KEY", "token", "Token", "TOKEN"))
_BEARER = re.compile(r"\b(bearer\s+)([A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_NAMES = ("key", "secret", "token", "passw", "passphrase", "credential")
_SPELLINGS = tuple(form for name in _NAMES for form in (name, name.capitalize(), name.upper()))
_ASSIGNMENT = re.compile(
    r"(?P<name>keys?|secret|token|passw(?:or)?d|passphrase|credentials?)"
    r"(?P<rest>(?:[_-][a-z0-9]+){0,2})"
    r"\\*[\"']?[ \t]*(?:=>|:=|=|:)[ \t]*\\*[\"']?(?P<value>[^\s\"'`,;<>(){}\[\]|\\]{6,})",
    re.IGNORECASE,
)
_BEFORE_KEY = re.compile(
    r"(?:api|access|secret|private|auth|account|encryption|signing)[_-]?$", re.IGNORECASE
)
_HARMLESS_ENDINGS = re.compile(
    r"(?:sha\d*|hash|digest|checksum|fingerprint|id|ids|name|count|counts|limit|url|uri|path|file"
    r"|env|type|ttl|len|length|size|budget|usage|index|version|expiry|expires|at|ratio|ms|s)$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"your|example|placeholder|changeme|change-me|xxx|\*\*\*|\.\.\.|…|redacted|masked|dummy"
    r"|\$|%[sd(]|^(?:none|null|true|false|undefined|string|test|password|secret|token)$",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"^(?:~|\.{0,2})/|^[A-Za-z]:[\\/]|^https?:|:.*:|\.[a-z]{1,4}$|^[\w.]+\.[a-z_]+[.(]"
)


def mask(text: str, values: Sequence[str] = ()) -> str:
    """The text with every key replaced by a mark such as [masked github token].

    values: keys known from the configuration; under 6 characters they are passed over,
    since they would tear ordinary words. Masking twice is masking once.
    """
    for value in sorted(set(values), key=len, reverse=True):
        if len(value) >= _LEAST_VALUE_CHARS:
            text = text.replace(value, "[masked key]")
            text = text.replace(json.dumps(value)[1:-1], "[masked key]")
    if "PRIVATE KEY" in text:
        text = _PEM.sub("[masked private key]", text)
    for shape in shapes():
        if shape.hint in text:
            text = shape.pattern.sub(_marked(shape.kind), text)
    if "://" in text:
        text = _URL_PASSWORD.sub(_url, text)
    if any(hint in text for hint in ("uthorization", "UTHORIZATION", *_HEADER_ENDS)):
        text = _HEADER.sub(_if_random("credential", 8), text)
    if "earer" in text or "EARER" in text:
        text = _BEARER.sub(_if_random("credential", 20), text)
    return _mask_assignments(text)


def mask_json(value: Any, values: Sequence[str] = ()) -> Any:
    """The same for every text inside a JSON value; names of fields stay."""
    if isinstance(value, str):
        return mask(value, values)
    if isinstance(value, dict):
        return {key: mask_json(item, values) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_json(item, values) for item in value]
    return value


def bits_per_char(text: str) -> float:
    """Shannon entropy of the text's characters; random keys have 3 and more."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())


def _marked(kind: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{match[1] if match.re.groups else ''}[masked {kind}]"


def _if_random(kind: str, least: int) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        if _PLACEHOLDER.search(match[2]) or not _is_random(match[2], least):
            return match[0]
        return f"{match[1]}[masked {kind}]"

    return replaced


def _url(match: re.Match[str]) -> str:
    harmless = _PLACEHOLDER.search(match[2]) and match[2].lower() not in ("password", "secret")
    if harmless or match[2].startswith(("{", "[")) or match[2].endswith("}"):
        return match[0]
    return f"{match[1]}[masked password]{match[3]}"


def _mask_assignments(text: str) -> str:
    """Values given to names such as API_KEY; found by the name's end, since that is fast."""
    spans = set()
    for spelling in _SPELLINGS:
        at = text.find(spelling)
        while at >= 0:
            match = _ASSIGNMENT.match(text, at)
            if match and _is_secret(match, text):
                spans.add(match.span("value"))
            at = text.find(spelling, at + len(spelling))
    for start, stop in sorted(spans, reverse=True):
        text = f"{text[:start]}[masked secret]{text[stop:]}"
    return text


def _is_secret(match: re.Match[str], text: str) -> bool:
    name, value = match["name"].lower(), match["value"]
    before = text[max(0, match.start() - 12) : match.start()]
    if name.startswith("key") and not _BEFORE_KEY.search(before):
        return False
    if _HARMLESS_ENDINGS.search(match["rest"]) or _PLACEHOLDER.search(value) or _PATH.search(value):
        return False
    return _is_random(value, 12) or (name.startswith("passw") and _is_password(value))


def _is_random(value: str, least: int) -> bool:
    """Long enough, letters and digits mixed, and no word or number that people write."""
    core = value.rstrip("=.")
    has_both = any(c.isdigit() for c in core) and any(c.isalpha() for c in core)
    if len(core) < least or not has_both or bits_per_char(core) < min(3.0, math.log2(least) - 0.3):
        return False
    return not _is_words(core)


def _is_words(value: str) -> bool:
    """Words joined by marks (cl100k_base, gpt-4o-mini-2024-07-18): no part looks drawn."""
    parts: Iterable[str] = re.split(r"[-_./:+]", value)
    return all(len(p) < 10 and (p.isalpha() or p.isdigit() or len(p) < 7) for p in parts)


def _is_password(value: str) -> bool:
    """A word of letters alone, or a short one, may be a type or a sample in a test."""
    return (
        len(value) >= 8
        and any(c.isdigit() or c in "!@#%^&*?+~" for c in value)
        and not value.isdigit()
    )

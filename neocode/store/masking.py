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
_BEARER = re.compile(r"\b(bearer\s+)([A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_NAMES = (
    r"api[_-]?keys?|access[_-]?keys?|secret[_-]?keys?|private[_-]?key|auth[_-]?key|account[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?"
)
_ASSIGNMENT = re.compile(
    rf"((?P<name>{_NAMES})(?P<rest>(?:[_-][a-z0-9]+){{0,2}})"
    r"\\*[\"']?[ \t]*(?:=>|:=|=|:)[ \t]*\\*[\"']?)(?P<value>[^\s\"'`,;<>(){}\[\]|\\]{6,})",
    re.IGNORECASE,
)
_NAME_HINTS = ("key", "secret", "token", "passw", "passphrase", "credential")
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
        if any(hint in text for hint in shape.hints):
            text = shape.pattern.sub(_marked(shape.kind), text)
    if "://" in text:
        text = _URL_PASSWORD.sub(_url, text)
    low = text.lower()
    if any(hint in low for hint in ("authorization", "-key", "-token")):
        text = _HEADER.sub(_if_random("credential", 8), text)
    if "bearer" in low:
        text = _BEARER.sub(_if_random("credential", 20), text)
    if any(hint in low for hint in _NAME_HINTS):
        text = _ASSIGNMENT.sub(_assignment, text)
    return text


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


def _assignment(match: re.Match[str]) -> str:
    value = match["value"]
    if _HARMLESS_ENDINGS.search(match["rest"]) or _PLACEHOLDER.search(value) or _PATH.search(value):
        return match[0]
    is_password = match["name"].lower().startswith("passw")
    if not (_is_random(value, 12) or (is_password and _is_password(value))):
        return match[0]
    return f"{match[1]}[masked secret]"


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
    """A word of letters alone may be a type or a variable; with a digit or a sign it is not."""
    return any(c.isdigit() or c in "!@#%^&*?+~" for c in value) and not value.isdigit()

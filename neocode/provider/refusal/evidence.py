"""What a failed call left behind, as plain values, and the words found in it.

litellm hides a provider's words in many places (the exception's text, the response, a
cause's body, JSON inside JSON); Evidence gathers them once, so that the rules beside it
stay pure.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_TEXT = 6000
"""Characters of one text that are looked at: an error that echoes the request is long."""

_CODE_KEYS = frozenset({"code", "type", "status", "error_type", "reason", "param", "finish_reason"})
_ECHO_KEYS = frozenset({"input", "prompt", "messages", "request", "contents"})
_WORDS_FIRST = ("message", "error", "detail", "msg", "description", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed call as plain values.

    classes: names of the exception's classes and of its causes', nearest first.
    status: HTTP status, None when no answer came.
    texts: str(exception), response texts, messages of causes; any may be empty.
    bodies: decoded JSON values.
    retry_after: the header as it came. now: Unix time in seconds, to read a date in it.
    share: our own estimate of the request divided by the window, None when unknown.
    received: true when content had come before the failure.
    model: name for the user. key_env: variable that should hold the key, or "".
    secret: the key that was sent, never to be shown (B47); "" without one.
    """

    classes: tuple[str, ...] = ()
    status: int | None = None
    texts: tuple[str, ...] = ()
    bodies: tuple[Any, ...] = ()
    retry_after: str | None = None
    now: float = 0.0
    share: float | None = None
    received: bool = False
    model: str = "the model"
    key_env: str = ""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The words of a failure.

    codes: lower-case values of code-like keys. messages: the provider's own sentences,
    outermost first. values: numbers under their keys (n_ctx, n_prompt_tokens).
    prose: everything readable in one string, original case.
    """

    status: int | None = None
    classes: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    messages: tuple[str, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)
    prose: str = ""
    share: float | None = None

    @property
    def said(self) -> str:
        """The provider's first sentence, for the user; "" when it said nothing."""
        return next((m for m in self.messages if " " in m), "") or next(iter(self.messages), "")


def gather(failure: Failure) -> Evidence:
    """Read everything that a failure left behind."""
    codes: set[str] = set()
    messages: list[str] = []
    values: dict[str, int] = {}
    roots = [*failure.bodies]
    for text in failure.texts:
        roots.extend(json_in(text[: MAX_TEXT * 4]))
    for root in roots:
        _walk(root, codes, messages, values, depth=0)
    texts = [_plain(text)[:MAX_TEXT] for text in failure.texts]
    unique = tuple(dict.fromkeys(m[:MAX_TEXT] for m in messages if m.strip()))
    return Evidence(
        status=failure.status,
        classes=frozenset(failure.classes),
        codes=frozenset(codes),
        messages=unique,
        values=values,
        prose="\n".join((*unique, *texts)),
        share=failure.share,
    )


def json_in(text: str) -> Iterator[Any]:
    """Every JSON object or array that stands in a text, outermost ones only."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    while match := re.compile(r"[{\[]").search(text, position):
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
            continue
        if value and isinstance(value, (dict, list)):
            yield value
        position = end


def _plain(text: str) -> str:
    """Text without HTML tags."""
    return re.sub(r"<[^<>]{1,200}>", " ", text) if "<" in text else text


def _walk(
    value: Any, codes: set[str], messages: list[str], values: dict[str, int], depth: int
) -> None:
    if depth > 8:
        return
    if isinstance(value, Mapping):
        for key, item in _words_first(value):
            if str(key) in _ECHO_KEYS:
                continue
            if str(key) in _CODE_KEYS and isinstance(item, (str, int)):
                codes.add(str(item).strip().lower())
            elif isinstance(item, int) and not isinstance(item, bool):
                values.setdefault(str(key), item)
            else:
                _walk(item, codes, messages, values, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value[:20]:
            _walk(item, codes, messages, values, depth + 1)
    elif isinstance(value, str):
        messages.append(value)
        for inner in json_in(value[: MAX_TEXT * 4]):
            _walk(inner, codes, messages, values, depth + 1)


def _words_first(value: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """Items with the keys that hold sentences in front."""
    order = {key: index for index, key in enumerate(_WORDS_FIRST)}
    return sorted(value.items(), key=lambda item: order.get(str(item[0]), len(order)))

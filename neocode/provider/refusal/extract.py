"""Read litellm's exceptions and odd answers as plain values; knows shapes, not litellm."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from neocode.provider.refusal.evidence import Failure


def failure_of(error: BaseException) -> Failure:
    """What an exception of litellm's and its causes say, as plain values.

    A MidStreamFallbackError is only a wrapping: the original exception decides.
    """
    chain = list(_chain(error))
    classes = tuple(
        dict.fromkeys(
            cls.__name__
            for link in chain
            for cls in type(link).__mro__
            if cls not in (object, BaseException, Exception)
        )
    )
    status = next((s for link in chain if (s := _status(link)) is not None), None)
    coded = (_code(body) for link in chain if (body := getattr(link, "body", None)))
    return Failure(
        classes=classes,
        status=status or next((code for code in coded if code is not None), None),
        texts=tuple(dict.fromkeys(text for link in chain for text in _texts(link) if text)),
        bodies=tuple(body for link in chain if (body := getattr(link, "body", None))),
        retry_after=next((r for link in chain if (r := _retry_after(link))), None),
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, wrappings left out, each once."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(seen) < 10:
        seen.add(id(link))
        original = getattr(link, "original_exception", None)
        if isinstance(original, BaseException):
            link = original
            continue
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _status(link: BaseException) -> int | None:
    """The HTTP status; not the 500 that litellm gives to a lost connection."""
    if type(link).__name__ in ("APIConnectionError", "MidStreamFallbackError"):
        return None
    for holder in (link, getattr(link, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and 300 <= status < 600:
            return status
    return None


def _texts(link: BaseException) -> Iterator[str]:
    yield str(link)
    response = getattr(link, "response", None)
    if response is not None:
        with suppress(Exception):  # a stream that was not read has no text
            yield str(response.text)
    for name in ("message", "body"):
        value = getattr(link, name, None)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, str):
            yield value


def _retry_after(link: BaseException) -> str | None:
    response = getattr(link, "response", None)
    for headers in (
        getattr(link, "litellm_response_headers", None),
        getattr(response, "headers", None),
        getattr(link, "headers", None),
    ):
        with suppress(Exception):
            for key, value in dict(headers or {}).items():
                if str(key).lower().removeprefix("llm_provider-") == "retry-after":
                    return str(value)
    return None


def is_page(answer: Any) -> bool:
    """True when a web page came: a login, a proxy's notice, a wrong address (with a 200)."""
    return "html" in _content_type(answer)


def _content_type(answer: Any) -> str:
    hidden = getattr(answer, "_hidden_params", None) or {}
    headers: Mapping[str, Any] = hidden.get("additional_headers") or {}
    return str(headers.get("llm_provider-content-type", ""))


async def json_body(answer: Any) -> Any:
    """The decoded body when a server answered a stream request with plain JSON, else None.

    Some servers ignore "stream", and some put an error object on a 200: litellm's
    streams would pass over both without a word.
    """
    if "json" not in _content_type(answer):
        return None
    stream = getattr(answer, "completion_stream", None)
    for name in ("response", "_response"):
        read = getattr(getattr(stream, name, None), "aread", None)
        if read is not None:
            with suppress(ValueError, RuntimeError):
                return json.loads(await read())
    return None


def body_failure(body: Any) -> Failure | None:
    """The failure that a JSON body on a 200 speaks of; None when it holds an answer."""
    holder = body[0] if isinstance(body, list) and body else body
    if not isinstance(holder, Mapping):
        return Failure(bodies=(body,))
    if holder.get("choices") or (holder.get("content") and "error" not in holder):
        return None
    return Failure(bodies=(body,), status=_code(holder))


def _code(body: Any) -> int | None:
    """The HTTP status that an error object names as its code: {"error": {"code": 429}}."""
    if not isinstance(body, Mapping):
        return None
    error = body.get("error")
    code = (error if isinstance(error, Mapping) else body).get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else None

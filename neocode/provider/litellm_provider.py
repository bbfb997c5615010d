"""The providers, through litellm: the only module that knows it.

litellm costs seconds to import and freezes the loop while the collector runs, so it is
loaded once, in a thread, with the collector off, and frozen afterwards. Its retries are
off (ours are visible), its chatter goes to our log file, it opens no connection of its own.
"""

import asyncio
import gc
import logging
import os
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from neocode.domain.errors import ContextTooLong, ProviderError, StreamBroken, TransientError
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Price
from neocode.provider.base import Chunk, ModelRequest
from neocode.provider.chunks import WINDOW_FULL, ChunkReader
from neocode.provider.errors import classify
from neocode.provider.evidence import Failure
from neocode.provider.rough import request_share
from neocode.provider.wire import arguments_of, is_claude

_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")
_OWN_SERVERS = ("openai/", "hosted_vllm/", "lm_studio/", "llamafile/", "ollama_chat/", "ollama/")
_CLOSE_S = 1.0
_lock = threading.Lock()
_loaded: list[Any] = []


def load(log: Path | None = None) -> Any:
    """Import litellm, once; blocks for seconds, so call it in a thread. Returns the module.

    log: file for its loggers; without one they are silent.
    """
    with _lock:
        if not _loaded:
            _loaded.append(_import(log))
        return _loaded[0]


def start_loading(log: Path | None = None) -> threading.Thread:
    """Begin the import in a daemon thread; call it after the first paint."""
    thread = threading.Thread(target=_load_quietly, args=(log,), name="litellm", daemon=True)
    thread.start()
    return thread


def is_loaded() -> bool:
    """Whether litellm can be used without a wait."""
    return bool(_loaded)


def _load_quietly(log: Path | None) -> None:
    with suppress(ImportError):  # said by the first call, where the user can see it
        load(log)


def _import(log: Path | None) -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_OFFLINE_MODE"] = "true"
    _keep_loopback_direct()
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic|aiohttp|httpx)\b")
    collecting = gc.isenabled()
    gc.disable()
    try:
        import litellm

        litellm.suppress_debug_info = True
        _redirect(log)
    finally:
        gc.freeze()
        if collecting:
            gc.enable()
    return litellm


def _keep_loopback_direct() -> None:
    """A proxy never stands between us and a server on this machine."""
    names = [name for name in ("NO_PROXY", "no_proxy") if name in os.environ] or ["NO_PROXY"]
    for name in names:
        hosts = [host for host in os.environ.get(name, "").split(",") if host.strip()]
        if "*" not in hosts:
            missing = [h for h in ("127.0.0.1", "localhost", "::1") if h not in hosts]
            os.environ[name] = ",".join([*hosts, *missing])


def _redirect(log: Path | None) -> None:
    handler: logging.Handler = logging.NullHandler()
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(log, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING)


class LiteLLMProvider:
    """Answers requests through litellm; loads it on the first one if nobody has."""

    def __init__(self, environ: Mapping[str, str], log: Path | None = None) -> None:
        self._environ = environ
        self._log = log

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """See Provider.stream."""
        litellm = _loaded[0] if _loaded else await asyncio.to_thread(load, self._log)
        reader = ChunkReader()
        answer: Any = None
        try:
            async with asyncio.timeout(request.idle_timeout_s):
                answer = await litellm.acompletion(**self._arguments(litellm, request))
            source = aiter(answer)
            while (chunk := await _next(source, request.idle_timeout_s)) is not None:
                for piece in reader.read(chunk):
                    yield piece
                if reader.error:
                    break
        except (ProviderError, asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            raise self._failed(error, request, reader) from error
        finally:
            await _close(answer)
        self._check_end(reader, request)
        for piece in reader.end():
            yield piece

    def _arguments(self, litellm: Any, request: ModelRequest) -> dict[str, Any]:
        made = arguments_of(request, schema_held=_can_hold_schema(litellm, request))
        variable = request.model.api_key_env
        if "api_key" not in made and variable and self._environ.get(variable, "").strip():
            made["api_key"] = self._environ[variable].strip()
        return made

    def _failed(
        self, error: Exception, request: ModelRequest, reader: ChunkReader
    ) -> ProviderError:
        failure = failure_of(error)
        return classify(
            replace(
                failure,
                share=request_share(request),
                received=reader.received,
                model=request.model.name,
                key_env=request.model.api_key_env or "",
                now=time.time(),
            )
        )

    def _check_end(self, reader: ChunkReader, request: ModelRequest) -> None:
        """A stream that ended without an exception, but not well, is an error too."""
        name = request.model.name
        if reader.error or reader.finish == "error":
            failure = Failure(
                bodies=({"error": reader.error or "the provider ended with an error"},),
                share=request_share(request),
                received=reader.received,
                model=name,
            )
            raise classify(failure)
        if reader.native_finish == WINDOW_FULL and not reader.received:
            raise ContextTooLong(f"{name}: the request fills the model's window.")
        if reader.finish:
            return
        if reader.received:
            raise StreamBroken(
                f"{name}: the answer broke off before its end.",
                hint="What came is kept; say “continue” to go on.",
            )
        raise TransientError(f"{name}: the server sent nothing.", kind="connection")


async def _next(source: AsyncIterator[Any], idle_s: float) -> Any:
    """The next chunk, None at the end; TimeoutError after idle_s seconds of silence."""
    async with asyncio.timeout(idle_s):
        return await anext(source, None)


async def _close(answer: Any) -> None:
    """End the request now: leaving the loop alone would let the server go on."""
    close = getattr(answer, "aclose", None)
    if close is not None:
        with suppress(Exception):
            async with asyncio.timeout(_CLOSE_S):
                await close()


def _can_hold_schema(litellm: Any, request: ModelRequest) -> bool:
    if request.response_schema is None:
        return False
    model = request.model
    if model.api_base and model.id.startswith(_OWN_SERVERS):
        return True
    if is_claude(model.id) and request.tools:
        return False  # litellm would put a tool of its own among ours
    return bool(litellm.supports_response_schema(model=model.id))


def enrich(info: ModelInfo) -> ModelInfo:
    """Fill what is not known yet (window, output limit, price, vision) from litellm's map.

    Returns info unchanged while litellm is not loaded or does not know the model. What
    the configuration, the server or a refusal said is never replaced.
    """
    if not _loaded:
        return info
    try:
        known: Mapping[str, Any] = _loaded[0].model_cost.get(info.id) or _looked_up(info.id)
    except Exception:
        return info
    window, output = known.get("max_input_tokens"), known.get("max_output_tokens")
    if info.window_source == "default" and isinstance(window, int) and window > 0:
        info = replace(info, window=window, window_source="catalogue")
    if info.max_output is None and isinstance(output, int) and output > 0:
        info = replace(info, max_output=output)
    if info.price is None and not info.api_base:
        info = replace(info, price=_price(known))
    return replace(info, vision=info.vision or bool(known.get("supports_vision")))


def _looked_up(model_id: str) -> Mapping[str, Any]:
    """litellm's own search; not for Ollama, which it would ask over the network."""
    if model_id.startswith("ollama"):
        return {}
    found: Mapping[str, Any] = _loaded[0].get_model_info(model_id)
    return found


def _price(known: Mapping[str, Any]) -> Price | None:
    """Prices a million tokens, None where litellm knows none."""
    names = {
        "input": "input_cost_per_token",
        "output": "output_cost_per_token",
        "cached_input": "cache_read_input_token_cost",
        "cache_write": "cache_creation_input_token_cost",
    }
    costs = {key: known.get(name) for key, name in names.items()}
    if not costs["input"] and not costs["output"]:
        return None
    return Price(**{k: v * 1e6 for k, v in costs.items() if isinstance(v, (int, float))})


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
    return Failure(
        classes=classes,
        status=next((s for link in chain if (s := _status(link)) is not None), None),
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

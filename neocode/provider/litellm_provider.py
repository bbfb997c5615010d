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
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from neocode.config.log_file import PrivateLogFile, hide_in_logs
from neocode.config.paths import make_private_folder
from neocode.domain.errors import (
    ContextTooLong,
    PermanentError,
    ProviderError,
    StreamBroken,
    TransientError,
)
from neocode.domain.model import ModelInfo
from neocode.provider.base import Chunk, ModelRequest
from neocode.provider.catalogue.facts import is_loopback, with_facts
from neocode.provider.chunks import WINDOW_FULL, ChunkReader
from neocode.provider.errors import classify
from neocode.provider.refusal.evidence import Failure
from neocode.provider.refusal.extract import body_failure, failure_of, is_page, json_body
from neocode.provider.rough import request_share
from neocode.provider.wire import arguments_of, is_claude

_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")
_OWN_SERVERS = ("openai/", "hosted_vllm/", "lm_studio/", "llamafile/", "ollama_chat/", "ollama/")
_CLOSE_S = 1.0
REPEATS = 5000
"""Equal chunks in a row after which litellm takes a model for stuck."""
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
        litellm.disable_token_counter = True  # else it invents a usage where none came
        litellm.REPEATED_STREAMING_CHUNK_LIMIT = REPEATS  # 100 breaks off a long ruler or table
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
        make_private_folder(log.parent)
        handler = PrivateLogFile(log)
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
        hide_in_logs(request.model.api_key or "")
        litellm = _loaded[0] if _loaded else await asyncio.to_thread(load, self._log)
        reader = ChunkReader()
        answer: Any = None
        try:
            async with asyncio.timeout(request.idle_timeout_s):
                answer = await litellm.acompletion(**self._arguments(litellm, request))
                body = await json_body(answer)
            source = _one(body, request) if body is not None else aiter(answer)
            while (chunk := await _next(source, request.idle_timeout_s)) is not None:
                for piece in reader.read(chunk):
                    yield piece
                if reader.error:
                    break
        except (ProviderError, asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            raise _classified(failure_of(error), request, reader) from error
        finally:
            await _close(answer)
        if body is None:
            _correct_end(reader, answer)
        if not reader.received and is_page(answer):
            raise _page(request)
        _check_end(reader, request)
        for piece in reader.end():
            yield piece

    def _arguments(self, litellm: Any, request: ModelRequest) -> dict[str, Any]:
        made = arguments_of(request, schema_held=_can_hold_schema(litellm, request))
        variable = request.model.api_key_env
        if "api_key" not in made and variable and self._environ.get(variable, "").strip():
            made["api_key"] = self._environ[variable].strip()
        return made


def _classified(failure: Failure, request: ModelRequest, reader: ChunkReader) -> ProviderError:
    return classify(
        replace(
            failure,
            share=request_share(request),
            received=reader.received,
            model=request.model.name,
            key_env=request.model.api_key_env or "",
            secret=request.model.api_key or "",
            now=time.time(),
        )
    )


async def _one(body: Any, request: ModelRequest) -> AsyncIterator[Any]:
    """A whole answer that came at once, as a stream of one chunk."""
    failure = body_failure(body)
    if failure is not None:
        raise _classified(failure, request, ChunkReader())
    yield body


def _page(request: ModelRequest) -> PermanentError:
    return PermanentError(
        f"{request.model.name}: a web page came instead of an answer.",
        kind="not_found",
        hint="Check the model's api_base (neocode models); a proxy or a login page of the "
        "network may stand in between.",
    )


def _correct_end(reader: ChunkReader, answer: Any) -> None:
    """litellm makes a "stop" up when a server sent no end mark, and renames the others."""
    if not hasattr(answer, "received_finish_reason"):
        return
    real = answer.received_finish_reason or getattr(answer, "intermittent_finish_reason", None)
    if not real:
        reader.finish = ""
    elif real == WINDOW_FULL:
        reader.native_finish = WINDOW_FULL


def _check_end(reader: ChunkReader, request: ModelRequest) -> None:
    """A stream that ended without an exception, but not well, is an error too."""
    name = request.model.name
    if reader.error or reader.finish == "error":
        words = reader.error or "the provider ended its answer with an error"
        raise _classified(Failure(bodies=({"error": words},)), request, reader)
    if reader.window_is_full:
        raise ContextTooLong(f"{name}: the request fills the model's window, no answer fits.")
    if reader.finish:
        return
    if reader.received:
        raise StreamBroken(
            f"{name}: the answer broke off before its end.",
            hint="What came is kept; say “continue” to go on.",
        )
    raise TransientError(
        f"{name}: the server sent nothing.", kind="connection", hint="Is it still running?"
    )


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
    if not _loaded or info.id.startswith("ollama"):  # litellm would ask Ollama over the network
        return info
    if is_loopback(info.api_base):
        return info
    litellm = _loaded[0]
    try:
        known: Mapping[str, Any] = litellm.model_cost.get(info.id) or litellm.get_model_info(
            info.id
        )
    except Exception:  # a plain Exception for an unknown model
        return info
    return with_facts(info, known)

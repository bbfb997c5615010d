"""Model servers on this machine: Ollama, llama.cpp, LM Studio, found by a quick look.

Asked directly, past any proxy, all at once, each for at most a third of a second.
"""

import http.client
import json
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from neocode.domain.model import DEFAULT_WINDOW, ModelInfo
from neocode.domain.usage import Price
from neocode.provider.catalogue.facts import is_loopback

TIMEOUT_S = 0.3
OLLAMA_WINDOW = 4096
"""Ollama cuts a longer prompt without a word unless it was told otherwise."""
PORTS = {"ollama": 11434, "llama.cpp": 8080, "lmstudio": 1234}
FREE = Price(input=0.0, output=0.0, cached_input=0.0, cache_write=0.0)

Ask = Callable[[str, Any], Any]
"""Called with a path and a body (None: GET); returns decoded JSON, None on any failure."""


def find_local_models(
    environ: Mapping[str, str], ports: Mapping[str, int] | None = None
) -> list[ModelInfo]:
    """One model a server that answers, in the order of PORTS; the ready one if any is."""
    looked_at = dict(PORTS if ports is None else ports)
    with ThreadPoolExecutor(len(looked_at) or 1) as pool:
        found = pool.map(lambda item: _look(item[0], item[1], environ), looked_at.items())
        return [model for model in found if model is not None]


def _look(kind: str, port: int, environ: Mapping[str, str]) -> ModelInfo | None:
    def ask(path: str, body: Any) -> Any:
        return _ask("127.0.0.1", port, path, body)

    listed = ask("/v1/models", None)
    if not isinstance(listed, dict) or not isinstance(listed.get("data"), list):
        return None
    ids = [str(m["id"]) for m in listed["data"] if isinstance(m, dict) and m.get("id")]
    chat = [name for name in ids if not re.search(r"embed|rerank|whisper", name, re.IGNORECASE)]
    if not chat:
        return None
    model_id, window = _WINDOW_OF[kind](chat, ask, environ)
    return ModelInfo(
        name=f"{kind}:{model_id}" if kind != "llama.cpp" else "llama.cpp",
        id=f"openai/{model_id}",
        api_base=f"http://127.0.0.1:{port}/v1",
        window=window or DEFAULT_WINDOW,
        window_source="server" if window else "default",
        price=FREE,
    )


def _ollama(ids: list[str], ask: Ask, environ: Mapping[str, str]) -> tuple[str, int | None]:
    """The running model, else the newest; its num_ctx, else what the server was told."""
    running = _dicts(ask("/api/ps", None), "models")
    for entry in running:
        if entry.get("name") in ids and isinstance(entry.get("context_length"), int):
            return str(entry["name"]), entry["context_length"]
    shown = ask("/api/show", {"model": ids[0]})
    stated = re.search(r"num_ctx\s+(\d+)", str((shown or {}).get("parameters", "")))
    if stated:
        return ids[0], int(stated[1])
    told = environ.get("OLLAMA_CONTEXT_LENGTH", "")
    return ids[0], int(told) if told.isdigit() and int(told) else OLLAMA_WINDOW


def _llama_cpp(ids: list[str], ask: Ask, environ: Mapping[str, str]) -> tuple[str, int | None]:
    props = ask("/props", None)
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    window = settings.get("n_ctx") if isinstance(settings, dict) else None
    return ids[0], window if isinstance(window, int) and window > 0 else None


def _lm_studio(ids: list[str], ask: Ask, environ: Mapping[str, str]) -> tuple[str, int | None]:
    """A loaded model before one that would have to be loaded first."""
    models = [m for m in _dicts(ask("/api/v0/models", None), "data") if m.get("id") in ids]
    for model in sorted(models, key=lambda m: m.get("state") != "loaded"):
        window = model.get("loaded_context_length") or model.get("max_context_length")
        return str(model["id"]), window if isinstance(window, int) else None
    return ids[0], None


def with_server_window(info: ModelInfo) -> ModelInfo:
    """Info with the window that its server on this machine states, where it states one.

    Blocks up to a second. Only for a window that is not known yet: what the
    configuration says stands (B25).
    """
    base = urlsplit(info.api_base or "")
    if info.window_source != "default" or not is_loopback(info.api_base) or not base.hostname:
        return info
    host, port = base.hostname, base.port or 80

    def ask(path: str, body: Any) -> Any:
        return _ask(host, port, path, body)

    model_id = info.id.partition("/")[2]
    window = _llama_cpp([model_id], ask, {})[1] or _listed_window(model_id, ask)
    return replace(info, window=window, window_source="server") if window else info


def _listed_window(model_id: str, ask: Ask) -> int | None:
    """From the lists of LM Studio, and of vLLM and its kin."""
    listed = _dicts(ask("/api/v0/models", None), "data") or _dicts(ask("/v1/models", None), "data")
    for entry in listed:
        if entry.get("id") == model_id:
            for key in ("loaded_context_length", "max_model_len", "context_length"):
                if isinstance(entry.get(key), int) and entry[key] > 0:
                    return int(entry[key])
    return None


_WINDOW_OF = {"ollama": _ollama, "llama.cpp": _llama_cpp, "lmstudio": _lm_studio}


def _dicts(value: Any, key: str) -> list[dict[str, Any]]:
    found = value.get(key) if isinstance(value, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _ask(host: str, port: int, path: str, body: Any) -> Any:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return json.loads(answer.read(4_000_000)) if answer.status == 200 else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()

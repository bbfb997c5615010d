"""The embedded model: llama.cpp in a process of its own, started when it is first asked.

Models with an id "embedded/NAME" are served by it; EmbeddedAware stands before the
other provider and passes everything else through.
"""

import asyncio
import atexit
import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from neocode.domain.errors import PermanentError, TransientError
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Price
from neocode.provider.base import Chunk, ModelRequest, Provider
from neocode.provider.embedded_main import ALIAS
from neocode.provider.weights import CATALOGUE, is_installed, known, path_of

PREFIX = "embedded/"
CONTEXT = 8192
START_S = 120.0
STOP_S = 5.0
LEAST_IDLE_S = 900.0
"""A long prompt takes minutes on one core, and nothing comes meanwhile."""
FREE = Price(input=0.0, output=0.0, cached_input=0.0, cache_write=0.0)


def engine_is_installed() -> bool:
    """True when the extra `local` is there; costs no import."""
    return importlib.util.find_spec("xllamacpp") is not None


def embedded_models(folder: Path) -> list[ModelInfo]:
    """Models that could be started now, best first; the first is also called "embedded"."""
    if not engine_is_installed():
        return []
    names = [name for name, weights in CATALOGUE.items() if is_installed(weights, folder)]
    models = [_info(f"embedded:{name}", name) for name in names]
    return [_info("embedded", names[0]), *models] if names else []


def _info(name: str, weights: str) -> ModelInfo:
    return ModelInfo(
        name=name, id=PREFIX + weights, window=CONTEXT, window_source="server", price=FREE
    )


class EmbeddedServer:
    """The engine's process. start() blocks; all methods may be called from any thread."""

    def __init__(self, model: Path, log: Path | None = None, *, context: int = CONTEXT) -> None:
        self._model = model
        self._log = log
        self._context = context
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = ""

    def start(self) -> str:
        """Start the engine unless it runs, wait until it answers, return its base address.

        Raises PermanentError when it ends while starting, TransientError when it does
        not answer in START_S seconds.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._launch()
            return self.base_url

    @property
    def pid(self) -> int | None:
        """Process id of the running engine, None when there is none."""
        return self._process.pid if self._process is not None else None

    def stop(self) -> None:
        """End the engine; it also ends by itself when this process does."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _launch(self) -> None:
        port = _free_port()
        spec = {
            "model": str(self._model),
            "port": port,
            "context": self._context,
            "threads": _threads(),
            "template": str(Path(__file__).with_name("embedded_chat.jinja")),
        }
        with contextlib.ExitStack() as files:
            out = files.enter_context(self._log.open("ab")) if self._log else subprocess.DEVNULL
            self._process = subprocess.Popen(
                [sys.executable, "-m", "neocode.provider.embedded_main", json.dumps(spec)],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,  # Ctrl+C in the terminal is ours to handle
            )
        atexit.register(self.stop)
        self._wait_until_healthy(port)
        self.base_url = f"http://127.0.0.1:{port}/v1"

    def _wait_until_healthy(self, port: int) -> None:
        process = self._process
        deadline = time.monotonic() + START_S
        while process is not None and not _healthy(port):
            if process.poll() is not None:
                raise PermanentError(
                    f"The embedded engine ended with code {process.returncode} while starting.",
                    kind="no_model",
                    hint=f"Its log: {self._log}." if self._log else "Try neocode doctor.",
                )
            if time.monotonic() > deadline:
                self.stop()
                raise TransientError("The embedded engine did not start in time.", kind="timeout")
            time.sleep(0.05)


class EmbeddedAware:
    """A provider that serves "embedded/..." models itself and leaves the rest to another.

    folder: where the weights lie. log: file for the engine's output.
    """

    def __init__(self, other: Provider, folder: Path, log: Path | None = None) -> None:
        self._other = other
        self._folder = folder
        self._log = log
        self._servers: dict[str, EmbeddedServer] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """See Provider.stream; the first request of an embedded model starts its engine."""
        if request.model.id.startswith(PREFIX):
            request = await self._local(request)
        answer = self._other.stream(request)
        try:
            async for chunk in answer:
                yield chunk
        finally:
            close = getattr(answer, "aclose", None)
            if close is not None:
                await close()

    def close(self) -> None:
        """End every engine that was started."""
        for server in self._servers.values():
            server.stop()
        self._servers.clear()

    async def _local(self, request: ModelRequest) -> ModelRequest:
        server = self._server(request.model.id.removeprefix(PREFIX))
        base = await asyncio.to_thread(server.start)
        model = replace(request.model, id=f"openai/{ALIAS}", api_base=base, api_key=None)
        idle = max(request.idle_timeout_s, LEAST_IDLE_S)
        return replace(request, model=model, idle_timeout_s=idle)

    def _server(self, name: str) -> EmbeddedServer:
        if name not in self._servers:
            weights = known(name)
            if not engine_is_installed():
                raise PermanentError(
                    "The embedded engine is not installed.",
                    kind="no_model",
                    hint="Install it: pip install 'neocode-cli[local]'.",
                )
            if not is_installed(weights, self._folder):
                raise PermanentError(
                    f"The weights of {name} are not installed.",
                    kind="no_model",
                    hint=f"Fetch them: neocode models install {name}",
                )
            self._servers[name] = EmbeddedServer(path_of(weights, self._folder), self._log)
        return self._servers[name]


def _threads() -> int:
    """Half of the cores: a busy core makes all threads wait for it."""
    return max(1, (os.cpu_count() or 2) // 2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _healthy(port: int) -> bool:
    """Whether the engine says that it is ready; no proxy is asked."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()

"""The engine's process: llama.cpp's HTTP server until stdin is closed or SIGTERM comes.

Started by embedded.py as `python -m neocode.provider.embedded_main SPEC`, SPEC being
JSON: model, port, context, threads, template.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

ALIAS = "local"
BATCH = 256
"""Prompt tokens at a time: a stopped request ends only between two batches."""
PROMPT_CACHE_MIB = 256
"""The engine's own default is 8 GiB."""


def serve(spec: dict[str, Any]) -> None:
    """Serve until the parent closes our stdin."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = spec["model"]
    params.model_alias = {ALIAS}
    params.hostnames = ["127.0.0.1"]
    params.port = spec["port"]
    params.n_ctx = spec["context"]
    params.n_parallel = 1
    params.n_batch = BATCH
    params.cpuparams.n_threads = spec["threads"]
    params.cpuparams_batch.n_threads = spec["threads"]
    params.use_jinja = True
    if spec["template"]:
        params.chat_template = Path(spec["template"]).read_text(encoding="utf-8")
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.ui = False
    params.offline = True
    server = xllamacpp.Server(params)  # serves from threads of its own
    while os.read(0, 4096):
        pass
    del server
    os._exit(0)  # its threads do not end by themselves


def main() -> None:
    """Entry point."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    serve(json.loads(sys.argv[1]))


if __name__ == "__main__":
    main()

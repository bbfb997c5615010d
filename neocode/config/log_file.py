"""A log file as every part of NeoCode keeps one: bounded, private, without keys."""

import os
from io import TextIOWrapper
from logging import Formatter, LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 1_000_000
LEAST_SECRET_CHARS = 6
"""A shorter key ("none", "x") is a word, and is left where it stands."""
_hidden: set[str] = set()


def hide_in_logs(secret: str) -> None:
    """Have a key's value masked in every log line from now on (spec/safety "Secrets")."""
    if len(secret) >= LEAST_SECRET_CHARS:
        _hidden.add(secret)


class PrivateLogFile(RotatingFileHandler):
    """Opened at the first line, mode 0600; at most three files of MAX_BYTES (B16)."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MAX_BYTES, backupCount=2, encoding="utf-8", delay=True)
        self.setFormatter(_Masked("%(asctime)s %(name)s %(levelname)s %(message)s"))

    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace")


class _Masked(Formatter):
    def format(self, record: LogRecord) -> str:
        text = super().format(record)
        for secret in _hidden:
            text = text.replace(secret, "[key]")
        return text

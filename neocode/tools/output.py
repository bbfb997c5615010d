"""The output of a command: live to the screen, whole in a file, both ends for the model.

Memory stays flat whatever comes: the file takes 64 MB, then only the end is followed.
"""

import asyncio
import codecs
import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from neocode.tools.screen_text import ScreenText
from neocode.tools.truncate import join_ends, shorten

FILE_BYTES = 64 * 1024 * 1024
DRAINED_BYTES = 1024 * 1024 * 1024
_CHARS_A_TOKEN = 8
_FLUSH_S = 0.05
_LIVE_CHARS = 4000


def private_file(folder: Path, name: str) -> tuple[BinaryIO, Path]:
    """A new file of mode 0600 in the folder (made 0700), its name from name.

    Raises OSError when that is not possible.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:60]
    path = folder / f"{safe}_{os.urandom(3).hex()}.txt"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(handle, "wb"), path


def save_text(folder: Path, name: str, text: str) -> str:
    """Keep a whole text that is going to be cut; returns the path, or "" on a full disk."""
    try:
        file, path = private_file(folder, name)
        with file:
            file.write(text.encode("utf-8", "replace"))
    except OSError:
        return ""
    return str(path)


class Live:
    """Passes text on to the screen at most twenty times a second, never a flood.

    What comes faster is cut to its newest 4,000 characters.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._waiting = ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        """Show text now, or within 50 ms."""
        self._waiting += text
        if len(self._waiting) > _LIVE_CHARS:
            self._waiting = "[...]\n" + self._waiting[-_LIVE_CHARS:].split("\n", 1)[-1]
        if self._timer is None and text:
            self._timer = asyncio.get_running_loop().call_later(_FLUSH_S, self._fire)

    def close(self) -> None:
        """Show what is left."""
        if self._timer is not None:
            self._timer.cancel()
        self._fire()

    def _fire(self) -> None:
        self._timer = None
        if self._waiting:
            self._emit(self._waiting)
            self._waiting = ""


class Collector:
    """Takes the bytes of a command's output and keeps what is needed of them.

    tokens: limit of the result. is_flooded: over 1 GB came; the command should be ended.
    path: file with the whole text, once there is one.
    """

    def __init__(self, folder: Path, name: str, tokens: int, emit: Callable[[str], None]) -> None:
        self._place = (folder, name)
        self._tokens = tokens
        self._room = max(tokens * _CHARS_A_TOKEN, 4096)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._screen = ScreenText()
        self._live = Live(emit)
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._total = 0
        self._file: BinaryIO | None = None
        self._written = 0
        self._raw = bytearray()
        self._raw_bytes = 0
        self._lost = ""
        self.path: Path | None = None

    @property
    def is_flooded(self) -> bool:
        """True when the command prints without end."""
        return self._raw_bytes > DRAINED_BYTES

    def feed(self, data: bytes) -> None:
        """The next bytes, cut anywhere."""
        if self._written >= FILE_BYTES:
            self._drain(data)
        else:
            self._keep(self._screen.feed(self._decoder.decode(data)))

    def close(self) -> None:
        """No more will come."""
        if self._raw_bytes:
            self._keep_end()
        else:
            self._keep(self._screen.finish())  # half a character at the very end is dropped
        self._live.close()
        if self._file is not None:
            self._file.close()
            self._file = None

    def text(self) -> str:
        """Head and tail within the limit, or everything; a note says where the rest is."""
        tail = "".join(self._tail)
        if self._total <= len(self._head) + len(tail):
            whole = self._head + tail
            short = shorten(whole, self._tokens)
            if short == whole:
                return whole
            if self.path is None:
                self._spill()
                self._close_file()
            return shorten(whole, self._tokens, where=self._where())
        return join_ends(self._head, tail, self._total, self._tokens, where=self._where())

    def newest(self, tokens: int) -> str:
        """The end of what has come so far, the unfinished line left out."""
        return shorten((self._head + "".join(self._tail))[-tokens * _CHARS_A_TOKEN :], tokens)

    def _where(self) -> str:
        if self.path is None:
            return ""
        return f"{self.path}{self._lost}"

    def _keep(self, text: str) -> None:
        if not text:
            return
        self._live.add(text)
        self._total += len(text)
        self._write(text)
        room = max(self._room - len(self._head), 0)
        self._head += text[:room]
        self._tail.append(text[room:])
        self._tail_chars += len(text[room:])
        if self._tail_chars > self._room and self.path is None and not self._lost:
            self._spill()
        while self._tail_chars - len(self._tail[0]) >= self._room:
            self._tail_chars -= len(self._tail.popleft())

    def _spill(self) -> None:
        """Begin the file with what is held; a disk that is full costs the file only."""
        try:
            self._file, self.path = private_file(*self._place)
        except OSError as error:
            self._lost = f" (not kept: {error.strerror or error})"
            return
        self._write(self._head + "".join(self._tail))

    def _write(self, text: str) -> None:
        if self._file is None:
            return
        data = text.encode("utf-8", "replace")
        try:
            self._file.write(data)
        except OSError as error:
            self._lost = f" (only its beginning: {error.strerror or error})"
            self._close_file()
        self._written += len(data)

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._lost = f" (only its beginning: {error.strerror or error})"

    def _drain(self, data: bytes) -> None:
        if not self._raw_bytes:
            self._lost = f" (its first {FILE_BYTES >> 20} MB)"
            self._live.add("\n[over 64 MB of output; the rest is not shown]\n")
        self._raw_bytes += len(data)
        self._raw += data
        if len(self._raw) > 2 * self._room:
            del self._raw[: -self._room]

    def _keep_end(self) -> None:
        """Put the end of what was drained in the tail's place."""
        end = bytes(self._raw[-self._room :]).split(b"\n", 1)[-1].lstrip(bytes(range(0x80, 0xC0)))
        screen = ScreenText()
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        text = screen.feed(decoder.decode(end)) + screen.finish()
        self._tail = deque([text])
        self._tail_chars = len(text)
        self._total += self._raw_bytes

"""The installed program in a pseudo-terminal, its screen read as a person would."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pexpect
import pyte

NEOCODE = str(Path(sys.executable).with_name("neocode"))
PATIENCE_S = 50.0  # for machines that are busy; a step is done as soon as it shows


class Terminal:
    """One program in a terminal of a given size."""

    def __init__(
        self,
        arguments: list[str],
        cwd: Path,
        home: Path,
        *,
        columns: int = 100,
        lines: int = 30,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        env = {
            "NEOCODE_HOME": str(home),
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **(environ or {}),
        }
        self.child: Any = pexpect.spawn(
            NEOCODE, arguments, cwd=str(cwd), env=env, dimensions=(lines, columns), timeout=5
        )

    def send(self, keys: str) -> None:
        """Type."""
        self.child.send(keys)

    def paste(self, text: str) -> None:
        """Paste, as terminals with bracketed paste do."""
        self.child.send(f"\x1b[200~{text}\x1b[201~")

    @property
    def text(self) -> str:
        """What is on the screen now, line by line."""
        self._read(0.05)
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(self, *words: str, gone: str = "", patience_s: float = PATIENCE_S) -> str:
        """The screen, once all words are on it (and `gone` is not)."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            shown = self.text
            if all(word in shown for word in words) and not (gone and gone in shown):
                return shown
        raise AssertionError(f"never saw {words} (gone: {gone!r}) on\n{self.text}")

    def wait_until(self, holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        """Read the screen, so that the program can go on writing, until something holds."""
        end = time.monotonic() + patience_s
        while not holds():
            assert time.monotonic() < end, f"it never held; on the screen:\n{self.text}"
            self._read(0.05)

    def wait_for_end(self, patience_s: float = PATIENCE_S) -> int:
        """The exit status; negative for a signal."""
        end = time.monotonic() + patience_s
        while self.child.isalive() and time.monotonic() < end:
            self._read(0.1)
        assert not self.child.isalive(), f"still running:\n{self.text}"
        self._read(0.2)
        self.child.close()
        status = self.child.exitstatus
        return int(status) if status is not None else -int(self.child.signalstatus or 0)

    def close(self) -> None:
        """End the program, whatever it does."""
        with contextlib.suppress(pexpect.ExceptionPexpect):
            self.child.close(force=True)

    def _read(self, wait_s: float) -> None:
        try:
            data = self.child.read_nonblocking(65536, timeout=wait_s)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self._stream.feed(data)

"""A program in a pseudo-terminal: its screen, its CPU time to the nanosecond, its memory."""

import os
import queue
import re
import signal
import sys
import termios
import threading
import time
from pathlib import Path

import pexpect
import pyte

COLUMNS, LINES = 120, 40


class Program:
    """Started at once; `began` is the moment before that."""

    def __init__(self, command: list[str], cwd: Path, environ: dict[str, str]) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self.screen)
        self.bytes = 0
        env = {
            "PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "HOME": str(cwd), **environ,
        }  # fmt: skip
        self.began = time.monotonic()
        self.child = pexpect.spawn(
            command[0], command[1:], cwd=str(cwd), env=env, dimensions=(LINES, COLUMNS)
        )
        self.child.delaybeforesend = None  # 50 ms otherwise
        self._came: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def cpu(self) -> float:
        """Seconds of CPU of all its threads so far."""
        total = 0
        for task in Path(f"/proc/{self.child.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def memory(self) -> float:
        """Resident MiB."""
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.child.pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0

    def send(self, keys: str) -> None:
        self.child.send(keys)

    def _listen(self) -> None:
        """Read as it comes, in a thread: parsing here must not count as the program's time."""
        while True:
            try:
                data = os.read(self.child.fileno(), 1 << 16)
            except OSError:
                data = b""
            self._came.put((time.monotonic(), data))
            if not data:
                return

    def read(self, seconds: float = 0.02) -> float:
        """Parse the next piece, waiting for it so long; when it came, 0.0 for nothing."""
        try:
            at, data = self._came.get(timeout=seconds)
        except queue.Empty:
            return 0.0
        if not data:
            raise SystemExit(f"the program ended:\n{self.text}")
        self.bytes += len(data)
        self._stream.feed(data)
        return at

    def until(self, pattern: str, patience: float = 120.0) -> float:
        """Wait until the screen matches; when the bytes that made it so came."""
        end, at = time.monotonic() + patience, time.monotonic()
        while not re.search(pattern, self.text):
            came = 0.0
            while not came:
                if time.monotonic() > end:
                    raise SystemExit(f"never saw {pattern!r} on\n{self.text}")
                came = self.read()
            at = came
        return at

    def until_silent(self, patience: float = 120.0) -> None:
        """Wait until the kernel echoes no more: the program has the terminal."""
        end = time.monotonic() + patience
        while termios.tcgetattr(self.child.fileno())[3] & termios.ECHO:
            if time.monotonic() > end:
                raise SystemExit("the program never took the terminal")
            time.sleep(0.001)

    def quiet(self, seconds: float) -> int:
        """Bytes that came within so many seconds."""
        before, end = self.bytes, time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
        return self.bytes - before

    def key(self, char: str, place: str) -> float:
        """Seconds from a key to its echo behind `place` (what was typed before it)."""
        at = time.monotonic()
        self.send(char)
        return self.until(re.escape(place + char)) - at

    def end(self) -> None:
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()


def python(*arguments: str) -> list[str]:
    """A command that runs this interpreter."""
    return [sys.executable, *arguments]

"""One writer per session, across processes; freed by the system when its holder dies."""

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from neocode.config.atomic import FILE_MODE
from neocode.config.paths import make_private_folder

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int, *, shared: bool = False) -> bool:
        """Windows knows no shared lock here: whoever comes second is told so."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return shared
        return True

else:
    import fcntl

    def _try_lock(handle: int, *, shared: bool = False) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@dataclass(slots=True)
class SessionLock:
    """The right to write to a session. Held until release, or until the process ends."""

    path: Path
    _handle: int

    @classmethod
    def acquire(cls, folder: Path, session_id: str) -> "SessionLock | None":
        """Take the lock, or None when another process (or another store here) holds it.

        Raises OSError, or StoreError, when the folder cannot be written.
        """
        make_private_folder(folder)
        path = lock_path(folder, session_id)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
            if not _try_lock(handle):
                os.close(handle)
                return None
            if _is_still(handle, path):
                os.truncate(handle, 0)
                os.write(handle, str(os.getpid()).encode())
                return cls(path, handle)
            os.close(handle)  # its last holder removed the file meanwhile

    def release(self) -> None:
        """Let go; harmless when repeated."""
        if self._handle < 0:
            return
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self._handle)
        self._handle = -1


class UseLock:
    """Who has the database open: many users at once, or one that replaces the file."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)

    def share(self) -> bool:
        """Become one of the users; False while somebody replaces the file."""
        return _try_lock(self._handle, shared=True)

    def claim(self) -> bool:
        """Become the only user; False while there are others."""
        return _try_lock(self._handle)

    def close(self) -> None:
        """Let go; harmless when repeated."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


def lock_path(folder: Path, session_id: str) -> Path:
    """Where a session's lock lies."""
    return folder / f"{session_id}.lock"


def holder(folder: Path, session_id: str) -> int | None:
    """Process id of the one that holds the lock, for words on the screen; None if nobody does."""
    try:
        return int(lock_path(folder, session_id).read_text())
    except (OSError, ValueError):
        return None


def _is_still(handle: int, path: Path) -> bool:
    """The locked file is the one that stands at path."""
    if os.name == "nt":
        return True
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False

"""Files that are whole or absent: written beside, synced, renamed."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from neocode.config.paths import make_private_folder

FILE_MODE = 0o600


def sync_folder(folder: Path) -> None:
    """Put the folder's names on disk; nothing to do where folders cannot be opened (Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes path's place when the block ends well.

    An existing file keeps its mode, a new one has 0600; a link is followed. A reader sees
    the old file or the whole new one, after a power cut too. When the block or the disk
    fails, path is untouched, the temporary file is gone, and the error is raised as it
    came (OSError for the disk's; StoreError when the folder cannot be made).
    """
    target = Path(os.path.realpath(path))
    make_private_folder(target.parent)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else FILE_MODE
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(target.parent)


def write_atomically(path: Path, data: str | bytes) -> None:
    """Replace path with data (text as UTF-8); see replacing for what is promised."""
    with replacing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)

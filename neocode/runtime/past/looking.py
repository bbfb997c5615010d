"""A path as it is now, without following what was put in its way."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from neocode.domain.checkpoints import FileState
from neocode.store.checkpoints.blobs import sha256_of
from neocode.tools.files.text_file import EDITED_BYTES


class Blocked(Exception):
    """No regular file stands at a path, but something else; the text says what."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A path's state, and its bytes; None where nothing stands, or over 64 MB."""

    state: FileState
    data: bytes | None = None


def look(path: Path) -> Seen:
    """What stands at a real path. Raises Blocked, or OSError when it cannot be read."""
    if os.path.realpath(path) != str(path):
        raise Blocked(f"a link leads from {path} to another place")
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return Seen(FileState(missing_folders=_missing_folders(path)))
    if not stat.S_ISREG(status.st_mode):
        raise Blocked(f"{path} is not a regular file")
    mode = stat.S_IMODE(status.st_mode)
    if status.st_size > EDITED_BYTES:
        return Seen(FileState(sha256=_digest(path), size=status.st_size, mode=mode))
    data = path.read_bytes()
    return Seen(FileState(sha256=sha256_of(data), size=len(data), mode=mode), data)


def _digest(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _missing_folders(path: Path) -> int:
    return sum(not folder.exists() for folder in path.parents)

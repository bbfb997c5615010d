"""Replace a file so that a reader sees the old one or the new one, never half."""

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from neocode.config.paths import make_private_folder


def replace_file(path: Path, data: bytes) -> None:
    """Write data to a temporary neighbour, fsync, rename over path, fsync the folder.

    A link is followed, so that what it points at changes and the link stays. An existing
    file keeps its mode, a new one has 0600. Raises OSError (the old file is untouched)
    or StoreError when the folder cannot be made.
    """
    real = Path(os.path.realpath(path))
    make_private_folder(real.parent)
    mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o600
    handle, name = tempfile.mkstemp(prefix=f".{real.name[:40]}.", dir=real.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode)
        temporary.replace(real)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(real.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

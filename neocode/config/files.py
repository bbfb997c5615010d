"""Configuration files as text, and how a later change is noticed."""

import stat
from dataclasses import dataclass
from pathlib import Path

from neocode.config.problems import Faults
from neocode.config.tree import LayerKind, Origin

MAX_BYTES = 1_048_576
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was when it was read; both None when there was none.

    mtime_ns: nanoseconds. size: bytes.
    """

    path: Path
    mtime_ns: int | None
    size: int | None


def stamp_of(path: Path) -> Stamp:
    """The file's stamp now; a file that cannot be looked at counts as absent."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        return Stamp(path, None, None)
    return Stamp(path, state.st_mtime_ns, state.st_size)


def read_text(path: Path, kind: LayerKind, faults: Faults) -> str | None:
    """The file's text without a byte order mark; None when there is no file.

    A folder, a device, an unreadable file, over MAX_BYTES, other encodings than UTF-8: a
    fault, and None. Line ends stay as they are.
    """
    origin = Origin(kind=kind, where=str(path))
    try:
        state = path.stat()
        if stat.S_ISDIR(state.st_mode):
            faults.add(origin, "", "a folder stands where the file should be; move it away")
        elif not stat.S_ISREG(state.st_mode):
            faults.add(origin, "", "this is not a regular file")
        elif state.st_size > MAX_BYTES:
            faults.add(origin, "", f"the file is over {MAX_BYTES} bytes")
        else:
            return _decode(path.read_bytes(), path, kind, faults)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        faults.add(origin, "", f"the file cannot be read: {reason}; check its owner and mode")
    return None


def _decode(data: bytes, path: Path, kind: LayerKind, faults: Faults) -> str | None:
    try:
        return data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        origin = Origin(kind=kind, where=str(path), line=line, column=column)
        faults.add(origin, "", "the file is not UTF-8 text; save it as UTF-8")
        return None

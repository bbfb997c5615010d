"""A text file as it is changed: loaded whole, stamped, written back with care (B48)."""

import contextlib
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from neocode.tools.base import FileStamps, ToolError
from neocode.tools.files.line_ends import FlatText, flatten
from neocode.tools.files.paths import check_regular
from neocode.tools.files.text_codec import Codec, detect

HASHED_BYTES = 16 * 1024 * 1024
EDITED_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes as they were read, and its text.

    path: real path, so that a link's target is written. name: how it is called to people.
    """

    path: Path
    name: str
    data: bytes
    codec: Codec
    text: FlatText

    def encode(self, original: str) -> bytes:
        """The bytes of a changed text; raises ToolError for what the encoding lacks."""
        codec = self.codec
        try:
            return codec.encode(original)
        except UnicodeEncodeError as error:
            char = error.object[error.start]
            label = codec.label or "UTF-8"
            raise ToolError(
                f"{self.name} is {label}, which has no {char!r} (U+{ord(char):04X}). "
                "The file was not changed. Use other characters, or convert the file first."
            ) from error


def load(path: Path, name: str) -> TextFile:
    """Read a whole text file; raises ToolError when it is none, or over 64 MB."""
    status = check_regular(path, name)
    if status.st_size > EDITED_BYTES:
        raise ToolError(f"{name} is too large to edit whole ({status.st_size:,} bytes). Use bash.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror or error}.") from error
    codec = detect(data)
    if codec is None:
        raise ToolError(f"{name} is not a text file. It was not changed.")
    return TextFile(path, name, data, codec, flatten(codec.decode(data)))


def stamp_of(path: Path, data: bytes | None = None) -> str:
    """What tells one state of a file from another.

    The sha256 of its bytes; for files over 16 MB their size, time and inode.
    data: the bytes, when they are at hand.
    """
    if data is None:
        status = path.stat()
        if status.st_size > HASHED_BYTES:
            return f"stat:{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
        data = path.read_bytes()
    if len(data) > HASHED_BYTES:
        return stamp_of(path)
    import hashlib  # 4 ms that the first paint need not wait for

    return hashlib.sha256(data).hexdigest()


def check_unchanged(file: TextFile, stamps: FileStamps) -> None:
    """Raises ToolError when the model has not seen the file as it is now."""
    seen = stamps.stamps.get(file.path)
    if seen is None:
        raise ToolError(
            f"{file.name} has not been read in this session. Read it first, then change it."
        )
    if seen != stamp_of(file.path, file.data):
        raise ToolError(
            f"{file.name} has changed since it was last read. It was not touched. Read it again."
        )


def save(file: TextFile, data: bytes, stamps: FileStamps) -> None:
    """Replace the file by data and stamp it; mode, owner and links stay.

    Raises ToolError when it changed meanwhile or cannot be written; it is whole then.
    """
    try:
        if file.path.exists() and file.path.read_bytes() != file.data:
            raise ToolError(f"{file.name} changed just now. It was not touched. Read it again.")
        if not file.path.exists() and file.data:
            raise ToolError(f"{file.name} has vanished. Use write to make it anew.")
        replace_bytes(file.path, data)
    except OSError as error:
        words = error.strerror or str(error)
        raise ToolError(f"{file.name} cannot be written: {words}. It is as it was.") from error
    stamps.stamps[file.path] = stamp_of(file.path, data)


def create(path: Path, name: str, data: bytes, stamps: FileStamps) -> None:
    """Write a new file, its folders too; raises ToolError when that fails or it exists now."""
    try:
        create_bytes(path, data)
    except FileExistsError as error:
        raise ToolError(f"{name} cannot be made: a file is in the way.") from error
    except OSError as error:
        raise ToolError(f"{name} cannot be written: {error.strerror or error}.") from error
    stamps.stamps[path] = stamp_of(path, data)


def create_bytes(path: Path, data: bytes) -> None:
    """Write a new file, its folders too; raises OSError when that fails or it exists.

    A file that could not be written whole is not left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
        except OSError:
            path.unlink()
            raise


def with_text(file: TextFile, original: str) -> TextFile:
    """The file as it would be with another text; its bytes stay the old ones."""
    return replace(file, text=flatten(original))


def replace_bytes(path: Path, data: bytes) -> None:
    """Give an existing file other bytes; mode, owner, attributes and hard links stay.

    Raises OSError, and it is whole then.
    """
    status = path.stat()
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "it is write-protected")
    if status.st_nlink > 1 or not _beside(path, data, status):
        _in_place(path, data)


def _beside(path: Path, data: bytes, status: os.stat_result) -> bool:
    """Write a new file and put it in path's place; False where only path may be written."""
    temporary = path.with_name(f".{path.name[:200]}.{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except PermissionError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if not _same_attributes(path, temporary, status):
                return False
            os.fsync(file.fileno())
        temporary.replace(path)
    except PermissionError:
        return False
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return True


def _same_attributes(path: Path, temporary: Path, status: os.stat_result) -> bool:
    """Give the new file owner, mode and extended attributes of the old; False: not allowed."""
    mine = temporary.stat()
    try:
        if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
            os.chown(temporary, status.st_uid, status.st_gid)
        temporary.chmod(stat.S_IMODE(status.st_mode))
        if hasattr(os, "listxattr"):
            for name in os.listxattr(path):
                os.setxattr(temporary, name, os.getxattr(path, name))
    except OSError:
        return False
    return True


def _in_place(path: Path, data: bytes) -> None:
    """Overwrite the bytes of the file itself; the old ones are put back when that fails."""
    old = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        try:
            _overwrite(file.fileno(), data)
        except OSError:
            _overwrite(file.fileno(), old)
            raise


def _overwrite(handle: int, data: bytes) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.ftruncate(handle, len(data))
    os.fsync(handle)

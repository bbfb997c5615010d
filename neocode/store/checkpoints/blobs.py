"""Bytes under the name of their SHA-256: written once, whole or absent, private."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from neocode.config.atomic import write_atomically
from neocode.store.failures import explained

MOST_FILE_BYTES = 16 * 1024 * 1024
MOST_BYTES = 1024 * 1024 * 1024
_NAME = re.compile(r"[0-9a-f]{64}")


def sha256_of(data: bytes) -> str:
    """The name of these bytes, 64 hexadecimal digits."""
    import hashlib  # 4 ms that the first paint need not wait for

    return hashlib.sha256(data).hexdigest()


class Blobs:
    """A folder of blobs, <folder>/ab/<sha256>; folders 0700, files 0600.

    most_file, most: bytes of one blob, of all together. Nothing is removed by itself.
    """

    def __init__(
        self, folder: Path, *, most_file: int = MOST_FILE_BYTES, most: int = MOST_BYTES
    ) -> None:
        self.folder = folder
        self.most_file, self.most = most_file, most
        self._used: int | None = None

    def refusal(self, size: int) -> str:
        """Why a blob of so many bytes is not taken, in words; "" when it is."""
        if size > self.most_file:
            return f"it is larger than the {self.most_file:,} bytes that are kept of one file"
        if self._used is None:
            self._used = sum(path.stat().st_size for path in self._files())
        if self._used + size > self.most:
            return (
                f"the checkpoints in {self.folder} have reached {self.most:,} bytes; "
                "deleting old sessions frees room (`neocode sessions delete ID`)"
            )
        return ""

    def put(self, data: bytes) -> str:
        """Keep bytes, on disk when this returns; their name. Raises StoreError.

        A blob that is there and sound is not written again; a damaged one is.
        """
        name = sha256_of(data)
        if self.get(name) is None:
            path = self._path(name)
            with explained(path):
                write_atomically(path, data)
            if self._used is not None:
                self._used += len(data)
        return name

    def get(self, name: str) -> bytes | None:
        """The bytes of that name; None when they are missing, unreadable or not the same."""
        try:
            data = self._path(name).read_bytes()
        except OSError:
            return None
        return data if sha256_of(data) == name else None

    def remove(self, names: Iterable[str]) -> int:
        """Remove these blobs; returns how many bytes that freed. What is in use stays absent."""
        freed = 0
        for name in names:
            path = self._path(name)
            with contextlib.suppress(OSError):
                size = path.stat().st_size
                path.unlink()
                freed += size
        self._used = None
        return freed

    def names(self) -> frozenset[str]:
        """The names of all blobs."""
        return frozenset(path.name for path in self._files())

    def _files(self) -> Iterator[Path]:
        return (path for path in self.folder.glob("??/*") if _NAME.fullmatch(path.name))

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / name

"""What went wrong on disk, in words: cause and remedy (spec/safety "Nothing is lost")."""

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from neocode.domain.errors import StoreError

_FULL = "The disk is full"
_FREE_SPACE = "Free some space on that disk and try again; what was stored before is whole."
_READ_ONLY = "It cannot be written"
_PERMISSIONS = (
    "Check the owner and the permissions of the file and its folder, or set NEOCODE_HOME "
    "to a folder that you can write."
)
_DAMAGED_HINT = (
    "Start neocode again: a database that cannot be opened is set aside and a new one is begun. "
    "Transcripts are not affected: `neocode transcripts list`."
)

_SQLITE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: (_FULL, _FREE_SPACE),
    sqlite3.SQLITE_READONLY: (_READ_ONLY, _PERMISSIONS),
    sqlite3.SQLITE_PERM: (_READ_ONLY, _PERMISSIONS),
    sqlite3.SQLITE_CANTOPEN: ("It cannot be opened", _PERMISSIONS),
    sqlite3.SQLITE_BUSY: (
        "Another program keeps it locked",
        "Wait until the other neocode has finished its step, or close it, and try again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        "Another program keeps it locked",
        "Wait until the other neocode has finished its step, or close it, and try again.",
    ),
    sqlite3.SQLITE_CORRUPT: ("It is damaged", _DAMAGED_HINT),
    sqlite3.SQLITE_NOTADB: ("It is not a database any more", _DAMAGED_HINT),
    sqlite3.SQLITE_IOERR: (
        "The disk could not be read or written",
        "Check the disk, and that its folder still exists, and try again.",
    ),
}
_OS: dict[int, tuple[str, str]] = {
    errno.ENOSPC: (_FULL, _FREE_SPACE),
    errno.EDQUOT: ("Your disk quota is used up", _FREE_SPACE),
    errno.EROFS: (_READ_ONLY, _PERMISSIONS),
    errno.EACCES: (_READ_ONLY, _PERMISSIONS),
    errno.EPERM: (_READ_ONLY, _PERMISSIONS),
    errno.ENOENT: ("It is not there", "Check the path."),
}


def is_damage(error: sqlite3.Error) -> bool:
    """True when the file itself is broken, so that trying again cannot help."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explain(error: sqlite3.Error | OSError, path: Path) -> StoreError:
    """The error as a StoreError that names the file, the cause and the remedy."""
    if isinstance(error, OSError):
        cause, hint = _OS.get(error.errno or 0, (error.strerror or str(error), _PERMISSIONS))
        named = Path(str(error.filename)) if error.filename else path
        return StoreError(f"{cause}: {named}", hint=hint)
    code = _primary_code(error)
    cause, hint = _SQLITE.get(code, (f"The database refused ({error})", "Try again."))
    return StoreError(f"{cause}: {path}", hint=hint)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise inside into StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from error


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF

"""Paths as a model gives them: resolved, shown, and kept away from what is no file."""

import os
import stat
from pathlib import Path

from neocode.tools.base import ToolError

_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe; reading it would wait for a writer"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
)


def resolve(root: Path, given: str) -> Path:
    """The real path that is meant: "~" and links resolved, relative to root.

    The last part need not exist. Raises ToolError for an empty or impossible path.
    """
    if not given.strip():
        raise ToolError("The path is empty.")
    try:
        return (root / Path(given).expanduser()).resolve()
    except (ValueError, OSError, RuntimeError) as error:
        raise ToolError(f"{printable(given)!r} is no usable path: {error}") from error


def shown(root: Path, path: Path) -> str:
    """The path for people: relative inside root, else whole; never with broken characters."""
    inside = path.is_relative_to(root) and path != root
    return printable(str(path.relative_to(root) if inside else path))


def printable(text: str) -> str:
    """Text without lone surrogates, which stand for undecodable bytes and break UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def check_regular(path: Path, name: str) -> os.stat_result:
    """The status of a regular file; raises ToolError for anything else, without opening it."""
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise ToolError(f"{name} does not exist.{_neighbours(path)}") from error
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror or error}.") from error
    for is_kind, words in _SPECIAL:
        if is_kind(status.st_mode):
            raise ToolError(f"{name} is {words}. It was not opened.")
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name} is a folder.")
    return status


def _neighbours(path: Path) -> str:
    """A hint at names that are nearly the same, as " Did you mean ...?"."""
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return " Its folder does not exist either."
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(path.name.casefold(), list(folded), 2, 0.7)
    return f" Did you mean {' or '.join(printable(folded[n]) for n in near)}?" if near else ""

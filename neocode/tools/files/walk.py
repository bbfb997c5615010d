"""The search without ripgrep: slower, the same answers."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from neocode.tools.base import ToolError
from neocode.tools.files.glob_match import matcher

if TYPE_CHECKING:
    from neocode.tools.files.ripgrep import Search

_MOST = 5000
_FILE_BYTES = 4 * 1024 * 1024


def walk_records(search: "Search", limit_s: float) -> list[str]:
    """What ripgrep.records yields, at most 5,000; raises TimeoutError when it takes too long."""
    started = time.monotonic()
    wanted = matcher(search.file_type) if search.file_type else None
    pattern = _compiled(search.pattern) if search.pattern is not None else None
    found: list[str] = []
    for path, name in _files(search.folder):
        if time.monotonic() - started > limit_s:
            raise TimeoutError
        if wanted is not None and not wanted.fullmatch(name):
            continue
        found.extend([name] if pattern is None else _matches(path, name, pattern))
        if len(found) >= _MOST:
            break
    return found


def _compiled(pattern: str) -> "re.Pattern[str]":
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ToolError(f"Not a usable regular expression: {pattern!r}: {error}") from error


def _matches(path: Path, name: str, pattern: "re.Pattern[str]") -> Iterator[str]:
    try:
        data = path.read_bytes() if path.stat().st_size <= _FILE_BYTES else b"\0"
    except OSError:
        return
    if b"\0" in data[:8192]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if pattern.search(line):
            yield f"{name}\0{number}:{line[:400]}"


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Regular files that no .gitignore on the way names, sorted."""
    if folder.is_file():
        yield folder, folder.name
        return
    from pathspec import GitIgnoreSpec

    specs: dict[Path, GitIgnoreSpec] = {}
    for base, folders, names in os.walk(folder):
        here = Path(base)
        ignore = here / ".gitignore"
        if ignore.is_file():
            lines = ignore.read_text("utf-8", "replace").splitlines()
            specs[here] = GitIgnoreSpec.from_lines(lines)

        def ignored(path: Path, mark: str = "") -> bool:
            return any(
                spec.match_file(path.relative_to(top).as_posix() + mark)
                for top, spec in specs.items()
                if path.is_relative_to(top)
            )

        folders[:] = sorted(f for f in folders if f != ".git" and not ignored(here / f, "/"))
        for name in sorted(names):
            path = here / name
            if path.is_file() and not path.is_symlink() and not ignored(path):
                yield path, path.relative_to(folder).as_posix()

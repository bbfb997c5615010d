"""Searching: ripgrep from its wheel, or Python where there is none."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from neocode.tools.base import ToolError

LIMIT_S = 30.0
_LINE_BYTES = 1 << 20
_COMMON = ("--no-config", "--hidden", "--no-require-git", "--color", "never", "--glob", "!.git")


@dataclass(frozen=True, slots=True)
class Search:
    """folder: where it starts, or the one file; pattern: a regular expression, None: any file."""

    folder: Path
    pattern: str | None = None
    file_type: str = ""


def find_rg() -> str | None:
    """ripgrep beside this Python (its wheel), else on PATH, else None."""
    name = "rg.exe" if os.name == "nt" else "rg"
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which("rg")


async def records(search: Search) -> AsyncGenerator[str, None]:
    """File names, or "FILE\\0LINE:TEXT" for matches, relative to the folder; as they are found.

    Ignored files, .git and binary files are left out; links are not followed. Closing the
    iterator ends the search. Raises ToolError for a bad regular expression.
    The caller sets the time limit (LIMIT_S).
    """
    rg = find_rg()
    if rg is None:
        from neocode.tools.files.walk import walk_records

        for record in await asyncio.to_thread(walk_records, search, LIMIT_S):
            yield record
        return
    async with aclosing(_lines(rg, search)) as lines:
        async for line in lines:
            yield line


async def _lines(rg: str, search: Search) -> AsyncGenerator[str, None]:
    is_file = search.folder.is_file()
    process = await asyncio.create_subprocess_exec(
        rg,
        *arguments(search, search.folder.name if is_file else ""),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=search.folder.parent if is_file else search.folder,
        limit=_LINE_BYTES,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async for line in process.stdout:
            yield line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("./")
        complaint = (await process.stderr.read()).decode("utf-8", "replace")
        if await process.wait() == 2 and "regex" in complaint:
            raise ToolError(f"Not a usable regular expression: {search.pattern!r}\n{complaint}")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def arguments(search: Search, target: str = "") -> Iterator[str]:
    """What ripgrep is called with; pure."""
    yield from _COMMON
    if search.file_type:
        yield from ("--type-add", f"wanted:{search.file_type}", "--type", "wanted")
    if search.pattern is None:
        yield "--files"
    else:
        yield from ("--null", "--line-number", "--with-filename", "--no-heading", "--sort", "path")
        yield from ("--max-columns", "400", "--max-columns-preview")
        if re.search(r"\\n|\n", search.pattern):
            yield "--multiline"
        yield from ("--regexp", search.pattern)
    yield from ("--", f"./{target}")

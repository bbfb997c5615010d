"""glob: files by name, the newest first."""

import asyncio
import os
from contextlib import aclosing
from pathlib import Path

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, text_arg
from neocode.tools.files.glob_match import matcher
from neocode.tools.files.paths import printable, resolve, shown
from neocode.tools.files.ripgrep import LIMIT_S, Search, records
from neocode.tools.truncate import estimate_tokens

_MOST = 100
_HELD = 20_000


class GlobTool:
    """Finds files by pattern; ignored files are left out."""

    spec = ToolSpec(
        name="glob",
        description="Find files by pattern, newest first: *.py, src/**/test_*.{js,ts}.",
        parameters={
            "type": "object",
            "properties": {"pattern": {"type": "string"}, "path": {"type": "string"}},
            "required": ["pattern"],
        },
    )

    def summary(self, args: JsonObject) -> str:
        """glob *.py in src"""
        where = f" in {args['path']}" if args.get("path") else ""
        return f"glob {args.get('pattern', '')}{where}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The folder is read."""
        return [Access(kind="read", tool="glob", target=text_arg(args, "path", "."))]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """The newest 100 names; raises ToolError when there is no such folder."""
        folder = search_folder(context, text_arg(args, "path", "."))
        pattern = matcher(text_arg(args, "pattern"))
        if folder.is_file():
            raise ToolError(f"{shown(context.root, folder)} is a file; path must be a folder.")
        names: list[str] = []
        note = ""
        try:
            async with asyncio.timeout(LIMIT_S), aclosing(records(Search(folder))) as found:
                async for name in found:
                    if pattern.fullmatch(name):
                        names.append(name)
                    if len(names) >= _HELD:
                        note = f"[stopped at {_HELD:,} files; narrow the pattern]"
                        break
        except TimeoutError:
            note = f"[stopped after {LIMIT_S:.0f} s; narrow the pattern or the path]"
        newest = sorted(names, key=lambda name: _age(folder / name))
        return _listed(newest, folder, context, note)


def search_folder(context: ToolContext, given: str) -> Path:
    """The folder or file to search; raises ToolError when it does not exist."""
    folder = resolve(context.root, given)
    if not folder.exists():
        raise ToolError(f"{shown(context.root, folder)} does not exist.")
    return folder


def _age(path: Path) -> float:
    try:
        return -os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _listed(names: list[str], folder: Path, context: ToolContext, note: str) -> ToolOutcome:
    lines: list[str] = []
    room = context.result_tokens - 60
    for name in names[:_MOST]:
        line = printable(shown(context.root, folder / name))
        room -= estimate_tokens(line) + 1
        if room < 0:
            break
        lines.append(line)
    if len(lines) < len(names):
        lines.append(f"[{len(lines)} newest of {len(names)} files; narrow the pattern]")
    if note:
        lines.append(note)
    content = "\n".join(lines) or "No file matches (ignored files are not searched)."
    return ToolOutcome(content=content, metadata={"matches": len(names)})

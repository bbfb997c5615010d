"""grep: lines that match a regular expression."""

import asyncio
from contextlib import aclosing

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, text_arg
from neocode.tools.files.glob_match import matcher
from neocode.tools.files.paths import printable, shown
from neocode.tools.files.ripgrep import LIMIT_S, Search, records
from neocode.tools.glob import search_folder
from neocode.tools.screen_text import ScreenText
from neocode.tools.truncate import estimate_tokens

_MOST = 200


class GrepTool:
    """Searches file contents; ignored and binary files are left out."""

    spec = ToolSpec(
        name="grep",
        description="Search file contents by regular expression ((?i) ignores case).",
        parameters={
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "path": {"type": "string"},
                "glob": {"type": "string", "description": "only files like *.py"},
            },
            "required": ["pattern"],
        },
    )

    def summary(self, args: JsonObject) -> str:
        """grep "def main" in src"""
        where = args.get("path") or args.get("glob")
        return f'grep "{args.get("pattern", "")}"' + (f" in {where}" if where else "")

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The folder is read."""
        return [Access(kind="read", tool="grep", target=text_arg(args, "path", "."))]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Matches by file, at most 200; raises ToolError for a bad expression."""
        pattern, glob = text_arg(args, "pattern"), text_arg(args, "glob", "")
        if not pattern:
            raise ToolError("The pattern is empty.")
        folder = search_folder(context, text_arg(args, "path", "."))
        base = folder.parent if folder.is_file() else folder
        by_name = glob if "/" not in glob else ""
        wanted = matcher(glob) if glob else None
        page = _Page(context.result_tokens - 80)
        try:
            search = Search(folder, pattern, by_name)
            async with asyncio.timeout(LIMIT_S), aclosing(records(search)) as found:
                async for record in found:
                    name, _, line = record.partition("\0")
                    if wanted is not None and not wanted.fullmatch(name):
                        continue
                    if not page.add(shown(context.root, base / name), line):
                        break
        except TimeoutError:
            page.note = f"[stopped after {LIMIT_S:.0f} s; narrow the path or the glob]"
        return ToolOutcome(content=page.text(), metadata={"matches": page.matches})


class _Page:
    """Matches under their file's name, as many as fit."""

    def __init__(self, tokens: int) -> None:
        self._room = tokens
        self._lines: list[str] = []
        self._name = ""
        self.matches = 0
        self.note = ""

    def add(self, name: str, line: str) -> bool:
        """Take a match; False, with a note, when there is no more room."""
        screen = ScreenText()
        clean = printable(screen.feed(line) + screen.finish())
        lines = [clean] if name == self._name else [name, clean]
        cost = sum(estimate_tokens(part) + 1 for part in lines)
        if self.matches >= _MOST or cost > self._room:
            self.note = f"[first {self.matches} matches; there are more: narrow the search]"
            return False
        self._room -= cost
        self._lines += lines
        self._name = name
        self.matches += 1
        return True

    def text(self) -> str:
        """The page for the model."""
        lines = [*self._lines, self.note] if self.note else self._lines
        return "\n".join(lines) or "No match (ignored and binary files are not searched)."

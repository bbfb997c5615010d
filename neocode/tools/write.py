"""write: a whole file, new or in place of one that was read (B48)."""

import threading

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, text_arg
from neocode.tools.edit import check_no_loss, diff_outcome
from neocode.tools.files.diff import unified
from neocode.tools.files.line_ends import flatten, splice
from neocode.tools.files.paths import resolve, shown
from neocode.tools.files.text_codec import Codec
from neocode.tools.files.text_file import TextFile, check_unchanged, create, load, save
from neocode.tools.files.threaded import in_thread


class WriteTool:
    """Writes a whole file; an existing one keeps encoding, BOM, line ends and mode."""

    spec = ToolSpec(
        name="write",
        description=(
            "Write a whole file; folders are made. An existing file must have been read. "
            "Prefer edit for changes."
        ),
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    )

    def summary(self, args: JsonObject) -> str:
        """write src/app.py"""
        return f"write {args.get('path', '')}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The file is changed."""
        return [Access(kind="edit", tool="write", target=text_arg(args, "path"))]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """The diff against what is there, or why the write is going to fail."""
        try:
            file, changed, _ = _prepare(args, context)
        except ToolError as error:
            return f"This write will fail: {error}"
        return unified(file.text.flat, changed.replace("\r\n", "\n"), file.name).text

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Write the file; raises ToolError, and it is as it was then."""
        return await in_thread(lambda stop: self._run(args, context, stop))

    def _run(self, args: JsonObject, context: ToolContext, stop: threading.Event) -> ToolOutcome:
        file, changed, is_new = _prepare(args, context)
        data = file.encode(changed)
        if stop.is_set():
            raise ToolError("Stopped; nothing was changed.")
        context.before_change(file.path, data)
        if is_new:
            create(file.path, file.name, data, context.stamps)
        else:
            save(file, data, context.stamps)
        context.stamps.misses.pop(file.path, None)
        diff = unified(file.text.flat, changed.replace("\r\n", "\n"), file.name)
        verb = "Created" if is_new else "Wrote" if diff.text else "Unchanged:"
        return diff_outcome(file, diff, verb, context)


def _prepare(args: JsonObject, context: ToolContext) -> tuple[TextFile, str, bool]:
    """The file as it is, its new original text, and whether it is new; nothing is written."""
    content = text_arg(args, "content")
    path = resolve(context.root, text_arg(args, "path"))
    name = shown(context.root, path)
    if not path.exists():
        file = TextFile(path, name, b"", Codec(), flatten(""))
        file.encode(content)
        return file, content, True
    file = load(path, name)
    if file.data:
        check_unchanged(file, context.stamps)
    check_no_loss(file, "", content)
    changed = _in_file_style(file, content)
    file.encode(changed)
    return file, changed, False


def _in_file_style(file: TextFile, content: str) -> str:
    """Content with the file's line ends, unless it brings its own CRLFs."""
    if "\r\n" in content:
        return content
    return splice(file.text, 0, len(file.text.flat), content)

"""edit: an exact replacement in a file; every other byte stays (B48, B49)."""

import threading
from dataclasses import dataclass

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, text_arg
from neocode.tools.files.diff import Diff, unified
from neocode.tools.files.line_ends import FlatText, splice
from neocode.tools.files.near_miss import explain, line_of
from neocode.tools.files.paths import printable, resolve, shown
from neocode.tools.files.text_file import TextFile, check_unchanged, load, save
from neocode.tools.files.threaded import in_thread
from neocode.tools.truncate import shorten

_TRIES = 2
_DIFF_SHARE = 2


@dataclass(frozen=True, slots=True)
class _Edit:
    """What is asked, with LF line ends."""

    old: str
    new: str
    replace_all: bool

    @property
    def key(self) -> str:
        return f"{hash((self.old, self.new)):x}"


class EditTool:
    """Replaces one text in a file by another, where it stands exactly once."""

    spec = ToolSpec(
        name="edit",
        description=(
            "Replace old_text in a file you have read. It must match exactly (blanks, tabs) "
            "and once; add lines around it to make it unique, or set replace_all."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "old_text": {"type": "string"},
                "new_text": {"type": "string"},
                "replace_all": {"type": "boolean"},
            },
            "required": ["path", "old_text", "new_text"],
        },
    )

    def summary(self, args: JsonObject) -> str:
        """edit src/app.py"""
        return f"edit {args.get('path', '')}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The file is changed."""
        return [Access(kind="edit", tool="edit", target=text_arg(args, "path"))]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """The diff, or why the edit is going to fail."""
        try:
            file, changed = _prepare(args, context)
        except ToolError as error:
            return f"This edit will fail: {error}"
        return _diff(file, changed).text

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Change the file; raises ToolError, and the file is untouched then."""
        return await in_thread(lambda stop: self._run(args, context, stop))

    def _run(self, args: JsonObject, context: ToolContext, stop: threading.Event) -> ToolOutcome:
        edit = _edit_from(args)
        path = resolve(context.root, text_arg(args, "path"))
        tries = context.stamps.misses.setdefault(path, {})
        if tries.get(edit.key, 0) >= _TRIES:
            raise ToolError(
                f"This same edit of {shown(context.root, path)} has failed {_TRIES} times and "
                "was not tried again. Read the file, then write old_text as it stands there."
            )
        try:
            file, changed = _prepare(args, context)
        except ToolError:
            tries[edit.key] = tries.get(edit.key, 0) + 1
            raise
        data = file.encode(changed)
        if stop.is_set():
            raise ToolError("Stopped; nothing was changed.")
        context.before_change(file.path, data)
        save(file, data, context.stamps)
        tries.clear()
        return diff_outcome(file, _diff(file, changed), "Edited", context)


def diff_outcome(file: TextFile, diff: Diff, verb: str, context: ToolContext) -> ToolOutcome:
    """The result of a change: one line, then the diff within a part of the limit."""
    text = shorten(printable(diff.text), context.result_tokens // _DIFF_SHARE)
    label = f", {file.codec.label}" if file.codec.label else ""
    return ToolOutcome(
        content=f"{verb} {file.name} (+{diff.added} -{diff.removed}{label})\n{text}",
        metadata={
            "path": str(file.path),
            "diff": printable(diff.text),
            "added": diff.added,
            "removed": diff.removed,
        },
    )


def replaced(text: FlatText, old: str, new: str, *, replace_all: bool) -> str:
    """The original text with old replaced by new (both flat); pure.

    Raises ToolError when old does not occur, or more than once without replace_all.
    """
    places = _places(text.flat, old, len(old) if replace_all else 1)
    if not places:
        raise ToolError(f"old_text was not found. {explain(text.flat, old)}")
    if len(places) > 1 and not replace_all:
        lines = ", ".join(str(line_of(text.flat, place)) for place in places[:20])
        more = ", ..." if len(places) > 20 else ""
        raise ToolError(
            f"old_text occurs {len(places)} times, in lines {lines}{more}. Add lines around it "
            "to say which one, or set replace_all."
        )
    parts: list[str] = []
    done = 0
    for place in places:
        parts.append(text.cut(done, place))
        done = place + len(old)
        parts.append(splice(text, place, done, new))
    parts.append(text.original[text.position(done) :])
    return "".join(parts)


def _places(flat: str, old: str, step: int) -> list[int]:
    """Where old begins; step 1 finds overlapping hits too, which make an edit ambiguous."""
    places: list[int] = []
    found = flat.find(old)
    while found >= 0:
        places.append(found)
        found = flat.find(old, found + step)
    return places


def _edit_from(args: JsonObject) -> _Edit:
    old = text_arg(args, "old_text").replace("\r\n", "\n")
    new = text_arg(args, "new_text").replace("\r\n", "\n")
    if not old:
        raise ToolError("old_text is empty. To make a file or replace all of it, use write.")
    if old == new:
        raise ToolError("old_text and new_text are the same; nothing would change.")
    return _Edit(old, new, bool(args.get("replace_all")))


def _prepare(args: JsonObject, context: ToolContext) -> tuple[TextFile, str]:
    """The file as it is and its changed original text; nothing is written."""
    edit = _edit_from(args)
    path = resolve(context.root, text_arg(args, "path"))
    name = shown(context.root, path)
    file = load(path, name)
    check_unchanged(file, context.stamps)
    check_no_loss(file, edit.old, edit.new)
    try:
        changed = replaced(file.text, edit.old, edit.new, replace_all=edit.replace_all)
    except ToolError as error:
        raise ToolError(f"{name}: {error}") from error
    file.encode(changed)
    return file, changed


def check_no_loss(file: TextFile, old: str, new: str) -> None:
    """Refuse a text that would put U+FFFD in place of bytes that could not be shown."""
    if file.codec.damaged and new.count("\ufffd") > old.count("\ufffd"):
        raise ToolError(
            f"{file.name} holds bytes that are not text; U+FFFD only stands for them. The file "
            "was not changed. Edit the lines around them, or use bash."
        )


def _diff(file: TextFile, changed: str) -> Diff:
    return unified(file.text.flat, changed.replace("\r\n", "\n"), file.name)

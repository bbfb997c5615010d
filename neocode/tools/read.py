"""read: a file as the model may see it, never more than the limit (B50)."""

import base64
import io
import os
import threading
from pathlib import Path
from typing import BinaryIO

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Image
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, int_arg, text_arg
from neocode.tools.files.kinds import ImageKind, binary_kind, image_kind
from neocode.tools.files.paths import check_regular, printable, resolve, shown
from neocode.tools.files.text_codec import Codec, detect, detect_sample
from neocode.tools.files.text_file import HASHED_BYTES, stamp_of
from neocode.tools.files.threaded import in_thread
from neocode.tools.files.window import LINE_CHARS, Window, read_window
from neocode.tools.truncate import estimate_tokens

_SAMPLE = 65_536
_NOTE_TOKENS = 120
_IMAGE_BYTES = 3_700_000  # under 5 MB as base64
_IMAGE_PIXELS = 8000
_MANY = 10**9


class ReadTool:
    """Shows a file with line numbers, a picture, or the names in a folder."""

    spec = ToolSpec(
        name="read",
        description=(
            "Read a file: lines as NUMBER, tab, text. Also images; a folder is listed. "
            "offset: first line, from 1; limit: number of lines."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer"},
                "limit": {"type": "integer"},
            },
            "required": ["path"],
        },
    )

    def summary(self, args: JsonObject) -> str:
        """read src/app.py, with the lines when they were given"""
        lines = f" from line {args['offset']}" if args.get("offset") else ""
        return f"read {args.get('path', '')}{lines}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The file is read."""
        return [Access(kind="read", tool="read", target=text_arg(args, "path"))]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Read; a cancelled call lets go of the file at the next 256 KB."""
        offset = int_arg(args, "offset", 1, least=0, most=_MANY)
        limit = int_arg(args, "limit", _MANY, least=1, most=_MANY)
        path = text_arg(args, "path")
        return await in_thread(lambda stop: read_path(path, context, max(offset, 1), limit, stop))


def read_path(
    given: str,
    context: ToolContext,
    offset: int = 1,
    limit: int = _MANY,
    stop: threading.Event | None = None,
) -> ToolOutcome:
    """What stands at a path, within context.result_tokens; the file is stamped as seen.

    Raises ToolError for what does not exist or would hang.
    """
    path = resolve(context.root, given)
    name = shown(context.root, path)
    if path.is_dir():
        return _listing(path, name, context.result_tokens)
    check_regular(path, name)
    try:
        with _open(path) as stream:
            return _read(stream, path, name, context, (offset, limit), stop or threading.Event())
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror or error}.") from error


def _open(path: Path) -> BinaryIO:
    """Opened without waiting: what looks like a file may be a kernel's queue."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    return os.fdopen(handle, "rb")


def _read(
    stream: BinaryIO,
    path: Path,
    name: str,
    context: ToolContext,
    lines: tuple[int, int],
    stop: threading.Event,
) -> ToolOutcome:
    size = os.fstat(stream.fileno()).st_size
    data = stream.read(HASHED_BYTES if size <= HASHED_BYTES else _SAMPLE) or b""
    whole = size <= HASHED_BYTES and len(data) < HASHED_BYTES
    stamp = stamp_of(path, data if whole else None)
    if not data:
        _seen(context, path, stamp)
        return ToolOutcome(content=f"{name} is empty (0 bytes).", metadata={"path": str(path)})
    image = image_kind(data)
    if image is not None:
        return _picture(path, name, image, size, context)
    codec = detect(data) if whole else detect_sample(data)
    known = binary_kind(data)
    if codec is None or (known is not None and known[0].startswith("PDF")):
        return _binary(path, name, known, size)
    rest = io.BytesIO(data) if whole else stream
    rest.seek(0)
    room = max(context.result_tokens - _NOTE_TOKENS - estimate_tokens(name), 50)
    window = read_window(rest, codec, *lines, room, stop)
    _seen(context, path, stamp)
    return ToolOutcome(
        content=_text(window, name, codec, size, lines[0]), metadata={"path": str(path)}
    )


def _seen(context: ToolContext, path: Path, stamp: str) -> None:
    context.stamps.stamps[path] = stamp
    context.stamps.misses.pop(path, None)


def _text(window: Window, name: str, codec: Codec, size: int, offset: int) -> str:
    """The lines and what must be known about them, in this order."""
    if not window.lines:
        return f"{name} has {window.total} lines; there is no line {offset}."
    notes: list[str] = []
    if codec.label:
        notes.append(f"Encoding: {codec.label}; edit and write keep it.")
    if window.total is None:
        notes.append(
            f"Lines {offset}-{window.last} of {name} ({size:,} bytes). "
            f"More follows: offset={window.last + 1}."
        )
    if window.cut:
        number, length = next(iter(window.cut.items()))
        more = f" and {len(window.cut) - 1} more" if len(window.cut) > 1 else ""
        notes.append(
            f"Line {number}{more} cut ({length:,}+ characters). Read on: limit=1, or bash: "
            f"sed -n {number}p FILE | cut -c{LINE_CHARS + 1}-{LINE_CHARS * 3}"
        )
    body = "\n".join(window.lines)
    return printable(body + "".join(f"\n[{note}]" for note in notes))


def _listing(path: Path, name: str, tokens: int) -> ToolOutcome:
    try:
        with os.scandir(path) as found:
            entries = sorted((entry.name, entry.is_dir()) for entry in found)
    except OSError as error:
        raise ToolError(f"{name} cannot be listed: {error.strerror or error}.") from error
    lines = [f"{name}: folder, {len(entries)} entries"]
    spent = 60
    for entry, is_folder in entries:
        line = printable(entry) + ("/" if is_folder else "")
        spent += estimate_tokens(line) + 1
        if spent > tokens:
            lines.append(f"[{len(entries) - len(lines) + 1} more; glob narrows it down]")
            break
        lines.append(line)
    return ToolOutcome(content="\n".join(lines), metadata={"path": str(path)})


def _picture(
    path: Path, name: str, image: ImageKind, size: int, context: ToolContext
) -> ToolOutcome:
    words = f"{name}: {image.media_type}, {image.width}x{image.height} pixels, {size:,} bytes."
    metadata = {"path": str(path)}
    if not context.see_images:
        return ToolOutcome(content=f"{words} This model cannot see images.", metadata=metadata)
    if size > _IMAGE_BYTES or max(image.width, image.height) > _IMAGE_PIXELS:
        return ToolOutcome(
            content=f"{words} Too large to be shown; make a smaller copy with bash first.",
            metadata=metadata,
        )
    encoded = base64.b64encode(path.read_bytes()).decode("ascii")
    picture = Image(
        media_type=image.media_type, data=encoded, width=image.width, height=image.height
    )
    return ToolOutcome(content=words, images=(picture,), metadata=metadata)


def _binary(path: Path, name: str, known: tuple[str, str] | None, size: int) -> ToolOutcome:
    words, hint = known or ("binary file", "bash: file FILE; xxd FILE | head")
    look = f" To look inside, {hint}" if hint else ""
    return ToolOutcome(
        content=f"{name}: {words}, {size:,} bytes; not shown as text.{look}",
        metadata={"path": str(path)},
    )

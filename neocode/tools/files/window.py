"""A window of lines out of a stream of any size, with flat memory (B50)."""

import codecs
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from neocode.tools.base import ToolError
from neocode.tools.files.text_codec import Codec
from neocode.tools.truncate import estimate_tokens, head_only

_CHUNK = 1 << 18
LINE_CHARS = 2000


@dataclass(slots=True)
class Window:
    """Numbered lines, as many as fit.

    last: number of the last line shown, 0 for none. total: lines of the file, or None
    when its end was not reached. cut: lines shown in part -> their length so far as known.
    """

    lines: list[str] = field(default_factory=list)
    last: int = 0
    total: int | None = None
    cut: dict[int, int] = field(default_factory=dict)


def read_window(
    stream: BinaryIO, codec: Codec, offset: int, limit: int, tokens: int, stop: threading.Event
) -> Window:
    """Lines offset .. offset+limit-1 (from 1), within tokens, each shown to 2,000 characters.

    A window of one line may use all of the room for it. Raises ToolError when stop is set.
    """
    window = Window()
    spent = 0
    line_chars = tokens * 8 if limit == 1 else LINE_CHARS
    number = 0
    for number, text, size in _lines(stream, codec, line_chars, stop):
        if number < offset:
            continue
        if number >= offset + limit:
            return window
        line = f"{number}\t{text.removesuffix(chr(13))}"
        cost = estimate_tokens(line) + 1
        if spent + cost > tokens:
            if window.lines:
                return window
            line = head_only(line, tokens)
        shown = len(line) - len(str(number)) - 1
        if shown < len(text.removesuffix("\r")) or size > len(text):
            window.cut[number] = size
            line += " [...]"
        spent += cost
        window.lines.append(line)
        window.last = number
    window.total = number
    return window


def _lines(
    stream: BinaryIO, codec: Codec, most_chars: int, stop: threading.Event
) -> Iterator[tuple[int, str, int]]:
    """(number from 1, text to most_chars, whole length) of each line."""
    decoder = codecs.getincrementaldecoder(codec.name)(errors="replace")
    number, kept, size = 1, "", 0
    lone_cr: bool | None = None
    skip = len(codec.bom)
    while True:
        chunk = stream.read(_CHUNK) or b""
        if stop.is_set():
            raise ToolError("Stopped.")
        text = decoder.decode(chunk[skip:], final=not chunk)
        skip = 0
        if lone_cr is None:
            lone_cr = "\r" in text and "\n" not in text
        first, *others = (text.replace("\r", "\n") if lone_cr else text).split("\n")
        kept += first[: most_chars - len(kept)]
        size += len(first)
        for part in others:
            yield number, kept, size
            number, kept, size = number + 1, part[:most_chars], len(part)
        if not chunk:
            break
    if size:
        yield number, kept, size

"""Line ends: texts are compared with LF alone and written back as they were. Pure.

original   a CRLF b LF c     what the file holds
flat       a LF   b LF c     what the model sees and sends
"""

import bisect
import difflib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FlatText:
    """A text and its form with LF alone; lone CRs are ordinary characters.

    crlf: positions in flat of the newlines that are CRLF in original, rising.
    """

    original: str
    flat: str
    crlf: list[int] = field(repr=False)

    @property
    def is_mixed(self) -> bool:
        """True when both kinds of line end occur."""
        return bool(self.crlf) and len(self.crlf) < self.flat.count("\n")

    @property
    def newline(self) -> str:
        """The line end of most lines; LF when there is none."""
        return "\r\n" if len(self.crlf) * 2 > self.flat.count("\n") else "\n"

    def position(self, flat_position: int) -> int:
        """Where a position in flat lies in original."""
        return flat_position + bisect.bisect_left(self.crlf, flat_position)

    def cut(self, start: int, stop: int) -> str:
        """The original characters of flat[start:stop]."""
        return self.original[self.position(start) : self.position(stop)]


def flatten(original: str) -> FlatText:
    """The text with its flat form."""
    crlf: list[int] = []
    found = original.find("\r\n")
    while found >= 0:
        crlf.append(found - len(crlf))
        found = original.find("\r\n", found + 2)
    return FlatText(original, original.replace("\r\n", "\n"), crlf)


def splice(text: FlatText, start: int, stop: int, new: str) -> str:
    """The original characters that replace flat[start:stop] when it becomes new (flat).

    Lines that stay the same keep their own line end; new ones get the file's.
    """
    if not text.crlf:
        return new
    if not text.is_mixed:
        return new.replace("\n", "\r\n")
    old_lines = _lines(text.flat[start:stop])
    new_lines = _lines(new)
    offsets = [start]
    for line in old_lines:
        offsets.append(offsets[-1] + len(line))
    parts: list[str] = []
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag == "equal":
            parts.append(text.cut(offsets[low], offsets[high]))
        else:
            parts.extend(
                line.replace("\n", _nearest(text, offsets[low]))
                for line in new_lines[new_low:new_high]
            )
    return "".join(parts)


def _lines(flat: str) -> list[str]:
    """Lines with their LF; other separators of str.splitlines are no line ends here."""
    lines = [line + "\n" for line in flat.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _nearest(text: FlatText, position: int) -> str:
    """The line end in use at a position of flat, or else the file's."""
    newline = text.flat.find("\n", position)
    if newline < 0:
        return text.newline
    index = bisect.bisect_left(text.crlf, newline)
    return "\r\n" if index < len(text.crlf) and text.crlf[index] == newline else "\n"

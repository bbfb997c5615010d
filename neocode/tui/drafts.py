"""What is being written: folded pastes and earlier prompts. Values and one small file."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from neocode.tui.present import counted, size

FOLD_LINES = 10
FOLD_CHARS = 2000
_KEPT = 1000


class Pastes:
    """Large pastes stand in the prompt as a chip and are put back when it is sent."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """The text itself, or a chip such as "[Pasted text #1 +120 lines, 5 kB]"."""
        rows = text.count("\n")
        if rows < FOLD_LINES and len(text) < FOLD_CHARS:
            return text
        known = next((chip for chip, whole in self._texts.items() if whole == text), None)
        if known is not None:
            return known
        about = f"+{counted(rows, 'line')}, {size(len(text.encode()))}"
        chip = f"[Pasted text #{len(self._texts) + 1} {about}]"
        self._texts[chip] = text
        return chip

    def expand(self, text: str) -> str:
        """Every chip replaced by what it stands for."""
        if "[Pasted text #" in text:
            for chip, whole in self._texts.items():
                text = text.replace(chip, whole)
        return text

    def chip_at_end(self, text: str) -> str:
        """The chip that text ends with, or ""."""
        return next((chip for chip in self._texts if text.endswith(chip)), "")


class Recall:
    """Earlier prompts, walked with Up and Down; what was being written is kept meanwhile."""

    def __init__(self, entries: Sequence[str] = ()) -> None:
        self.entries = list(entries)
        self._at: int | None = None
        self._draft = ""

    @property
    def active(self) -> bool:
        """Whether an earlier prompt is in the prompt now."""
        return self._at is not None

    def older(self, current: str) -> str | None:
        """The entry before; None at the oldest."""
        if self._at is None:
            self._draft = current
        at = len(self.entries) if self._at is None else self._at
        if at == 0:
            return None
        self._at = at - 1
        return self.entries[self._at]

    def newer(self) -> str | None:
        """The entry after, the draft at last; None when nothing is walked."""
        if self._at is None:
            return None
        if self._at + 1 < len(self.entries):
            self._at += 1
            return self.entries[self._at]
        self._at = None
        return self._draft

    def add(self, text: str) -> None:
        """A prompt was sent (or thrown away: it can be had back)."""
        self._at = None
        if text.strip() and self.entries[-1:] != [text]:
            self.entries.append(text)


class Stash:
    """Drafts that were put aside, the newest last; kept in a file (0600) when there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @property
    def drafts(self) -> list[str]:
        """What is there now, also from another program of ours."""
        return read_history(self._path) if self._path is not None else list(self._memory)

    def push(self, text: str) -> None:
        """Put a draft aside. Raises OSError."""
        if self._path is not None:
            append_history(self._path, text)
        else:
            self._memory.append(text)

    def pop(self) -> str:
        """The newest draft, taken out; "" when there is none. Raises OSError."""
        drafts = self.drafts
        if not drafts:
            return ""
        if self._path is None:
            return self._memory.pop()
        rest = "".join(json.dumps(d, ensure_ascii=False) + "\n" for d in drafts[:-1])
        self._path.write_text(rest, encoding="utf-8")
        return drafts[-1]

    @cached_property
    def _memory(self) -> list[str]:
        return []


def read_history(path: Path) -> list[str]:
    """Earlier prompts, oldest first; what cannot be read is skipped."""
    try:
        rows = path.read_text(encoding="utf-8", errors="replace").splitlines()[-_KEPT:]
    except OSError:
        return []
    found = []
    for row in rows:
        try:
            entry = json.loads(row)
        except ValueError:
            continue
        if isinstance(entry, str):
            found.append(entry)
    return found


def append_history(path: Path, text: str) -> None:
    """One prompt more; the file is the user's alone (0600). Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(text, ensure_ascii=False) + "\n")

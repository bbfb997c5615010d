"""What became of the files that a session changed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from neocode.domain.checkpoints import FileChange, FileDiff, FileState
from neocode.runtime.past.looking import Blocked, Seen, look
from neocode.store.checkpoints.blobs import Blobs
from neocode.tools.files.diff import unified
from neocode.tools.files.line_ends import flatten
from neocode.tools.files.paths import printable, shown
from neocode.tools.files.text_codec import detect


def diffs(changes: Iterable[FileChange], blobs: Blobs, root: Path) -> list[FileDiff]:
    """Each file before its first change against now, in order of first change.

    Files that are as they were are left out.
    """
    first: dict[Path, FileState] = {}
    for change in changes:
        first.setdefault(change.path, change.before)
    found = (_diff(path, before, blobs, shown(root, path)) for path, before in first.items())
    return [diff for diff in found if diff is not None]


def _diff(path: Path, before: FileState, blobs: Blobs, name: str) -> FileDiff | None:
    try:
        now = look(path)
    except (Blocked, OSError) as error:
        return FileDiff(path=path, name=name, kind="changed", note=f"cannot be read: {error}")
    if now.state.sha256 == before.sha256:
        return None
    old = blobs.get(before.sha256) if before.sha256 else b""
    if old is None:
        note = f"what it was is not kept ({before.size:,} bytes)"
        return FileDiff(path=path, name=name, kind=_kind(before, now), note=note)
    if now.state.sha256 and now.data is None:
        note = f"too large to compare ({now.state.size:,} bytes)"
        return FileDiff(path=path, name=name, kind=_kind(before, now), note=note)
    old_text, new_text = _text(old), _text(now.data or b"")
    if old_text is None or new_text is None:
        note = f"not text: {before.size:,} -> {now.state.size:,} bytes"
        return FileDiff(path=path, name=name, kind=_kind(before, now), note=note)
    diff = unified(old_text, new_text, name)
    return FileDiff(
        path=path,
        name=name,
        kind=_kind(before, now),
        text=printable(diff.text),
        added=diff.added,
        removed=diff.removed,
        note="" if diff.text or not before.sha256 else "only line ends or encoding differ",
    )


def _kind(before: FileState, now: Seen) -> Literal["new", "changed", "deleted"]:
    if not before.sha256:
        return "new"
    return "changed" if now.state.sha256 else "deleted"


def _text(data: bytes) -> str | None:
    """Decoded, with LF line ends; None for bytes that are no text."""
    codec = detect(data)
    return None if codec is None else flatten(codec.decode(data)).flat

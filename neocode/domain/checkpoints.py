"""Files as they were: what a rewind goes back to, and what it says about it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from neocode.domain.messages import Image

OnConflict = Literal["stop", "overwrite", "keep"]
"""What a rewind does with files that were changed by others since: nothing at all and name
them, overwrite them too (their bytes are kept as a checkpoint), or leave only those alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A path at one moment. sha256: of the file's bytes; "" when nothing stood there.

    mode: permission bits. kept: the bytes are in the checkpoint store.
    missing_folders: how many of the folders above it, counted from the file, were absent.
    """

    sha256: str = ""
    size: int = 0
    mode: int = 0o644
    kept: bool = False
    missing_folders: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One change of a file by a tool of ours, or by a rewind; on disk before it is made.

    message_id: the user's prompt whose run made it. path: real path. after: sha256 of the
    bytes that were going to be written, "" for a deletion. place: order in time of the
    prompt within its session; -1 when it is not known.
    """

    message_id: str
    path: Path
    before: FileState
    after: str
    place: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class RewindPoint:
    """A prompt that can be gone back to. prompt: as it was typed. created_at: RFC 3339, UTC.

    files: what the tools changed in its run, as shown to people, in order.
    """

    message_id: str
    created_at: str
    prompt: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A file that a rewind will not touch by itself.

    changed: its bytes are not those that our tools wrote last (the user's own edit, or a
        shell line's). not_kept: what it was is not in the store; cannot be forced.
    blocked: no regular file stands there now (a link, a folder); cannot be forced.
    """

    path: Path
    name: str
    reason: Literal["changed", "not_kept", "blocked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound:
    """What a rewind did. done: false when conflicts stopped it and nothing was changed.

    prompt, images: of the message gone back to, to be edited again. restored: names of the
    files that are as they were; conflicts: those that were left alone.
    """

    done: bool
    prompt: str
    images: tuple[Image, ...] = field(default=(), repr=False)
    restored: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """What became of a file since the session first changed it.

    text: a unified diff, "" where none can be shown; note says why ("binary", "not kept").
    added, removed: lines.
    """

    path: Path
    name: str
    kind: Literal["new", "changed", "deleted"]
    text: str = ""
    added: int = 0
    removed: int = 0
    note: str = ""

"""Which files a rewind has to touch, and where others changed them since. Pure but for looks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from neocode.domain.checkpoints import FileChange, FileState
from neocode.runtime.past.looking import Blocked, Seen

Trouble = Literal["", "changed", "not_kept", "blocked"]


@dataclass(frozen=True, slots=True)
class Step:
    """One file to be brought back. trouble: why it may not be, "" when nothing is in the way."""

    path: Path
    now: Seen
    target: FileState
    trouble: Trouble


def plan(changes: Iterable[FileChange], place: int, look: Callable[[Path], Seen]) -> list[Step]:
    """The steps to the files as they were at a place in time, in the order of first change.

    A file that is as it was needs no step. Raises OSError when one cannot be read.
    """
    since: dict[Path, list[FileChange]] = {}
    for change in changes:
        if change.place >= place:
            since.setdefault(change.path, []).append(change)
    steps = (_step(path, chain, look) for path, chain in since.items())
    return [step for step in steps if step is not None]


def _step(path: Path, chain: Sequence[FileChange], look: Callable[[Path], Seen]) -> Step | None:
    target = chain[0].before
    try:
        now = look(path)
    except Blocked:
        return Step(path, Seen(FileState()), target, "blocked")
    if now.state.sha256 == target.sha256:
        return None
    if target.sha256 and not target.kept:
        return Step(path, now, target, "not_kept")
    return Step(path, now, target, "changed" if was_changed(chain, now.state) else "")


def was_changed(chain: Sequence[FileChange], now: FileState) -> bool:
    """Somebody else gave the file bytes that none of these changes gave it, then or since.

    What a change was to replace counts as known only when it was there at the beginning or
    an earlier change made it: a user's edit between two of ours would be lost as well.
    """
    known = {chain[0].before.sha256}
    for change in chain:
        if change.before.sha256 not in known:
            return True
        known.add(change.after)
    return now.sha256 not in known

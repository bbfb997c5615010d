"""Paths, resolved before they are judged: links, "..", ~, case (spec/safety "Permissions").

Looks at the file system (lstat, readlink) and changes nothing.
"""

import os
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_MAX_LINKS = 40
_STREAMS = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"}
    | {"/dev/random", "/dev/urandom", "/dev/full"}
    | {f"/dev/fd/{number}" for number in range(10)}
)


@dataclass(frozen=True, slots=True)
class Ground:
    """What counts as inside.

    root: the project, real path. home: the user's home, real path.
    readable: real paths of further folders that may be read, such as the tools' outputs.
    fold_case: the file system does not tell upper from lower case.
    """

    root: str
    home: str
    readable: tuple[str, ...] = ()
    fold_case: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path really leads.

    given: absolute, as written, without links followed. real: links followed.
    sure: false when it cannot be told (a loop of links, a way through /proc).
    """

    given: str
    real: str
    inside: bool
    readable: bool
    exists: bool
    is_dir: bool
    links: int
    sure: bool

    @property
    def stream(self) -> bool:
        """True for /dev/null and the like: nothing is lost or told by using them."""
        return self.given in _STREAMS


def is_below(path: str, folder: str) -> bool:
    """True when the absolute path is the folder itself or in it; by text only."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def locate(path: str, ground: Ground, cwd: str = "", *, follow: bool = True) -> Place:
    """Resolve a path as a program would that stands in cwd (the root when empty).

    A leading ~ is the home; a missing file is judged by the folder it would be in.
    follow: a link as the last name is followed; deleting a link does not.
    """
    if path == "~" or path.startswith("~/"):
        path = ground.home + path[1:]
    given = str(Path(cwd or ground.root) / path) if path else (cwd or ground.root)
    if "\0" in given:
        return Place(given, given, False, False, False, False, 0, sure=False)
    if follow or given.rsplit("/", 1)[-1] in ("", ".", ".."):
        real, sure = _follow(given)
    else:
        folder, name = given.rsplit("/", 1)
        parent, sure = _follow(folder)
        real = parent.rstrip("/") + "/" + name
    inside = sure and _inside(real, ground.root, fold_case=ground.fold_case)
    readable = inside or (sure and any(is_below(real, extra) for extra in ground.readable))
    found = _status(real)
    return Place(
        given=os.path.normpath(given),
        real=real,
        inside=inside,
        readable=readable,
        exists=found is not None,
        is_dir=found is not None and stat.S_ISDIR(found.st_mode),
        links=found.st_nlink if found and stat.S_ISREG(found.st_mode) else 1,
        sure=sure,
    )


def _follow(path: str) -> tuple[str, bool]:
    """Real path, and whether it holds for another process too.

    /proc/self and /dev/fd mean another thing in the process that will use the path.
    """
    todo = [name for name in reversed(path.split("/")) if name not in ("", ".")]
    real = "/"
    links = 0
    sure = True
    while todo:
        name = todo.pop()
        if name == "..":
            real = real.rsplit("/", 1)[0] or "/"
            continue
        step = real.rstrip("/") + "/" + name
        sure = sure and step != "/proc" and step != "/dev/fd"
        target = _link(step)
        if target is None:
            real = step
            continue
        links += 1
        if links > _MAX_LINKS:
            return step, False
        if target.startswith("/"):
            real = "/"
        todo += [part for part in reversed(target.split("/")) if part not in ("", ".")]
    return real, sure


def _link(path: str) -> str | None:
    try:
        return str(Path(path).readlink())
    except (OSError, ValueError):
        return None


def _status(path: str) -> os.stat_result | None:
    try:
        return Path(path).lstat()
    except (OSError, ValueError):
        return None


def _inside(real: str, root: str, *, fold_case: bool) -> bool:
    if is_below(real, root):
        return True
    if not fold_case or not is_below(real.casefold(), root.casefold()):
        return False
    head = "/".join(real.split("/")[: len(root.rstrip("/").split("/"))])
    ours, theirs = _status(root), _status(head)
    return bool(ours and theirs and (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino))


@lru_cache(maxsize=16)
def folds_case(folder: str) -> bool:
    """True when the folder's file system takes "A" and "a" for one name."""
    swapped = str(Path(folder).with_name(Path(folder).name.swapcase()))
    if swapped == folder:
        return False
    ours, theirs = _status(folder), _status(swapped)
    return bool(ours and theirs and (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino))


def make_ground(root: Path, home: Path | None = None, readable: tuple[Path, ...] = ()) -> Ground:
    """The ground of a project; every path is made real."""
    real_root = os.path.realpath(root)
    return Ground(
        root=real_root,
        home=os.path.realpath(home or Path.home()),
        readable=tuple(os.path.realpath(path) for path in readable),
        fold_case=folds_case(real_root),
    )

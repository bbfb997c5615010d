"""The project's files for @ completion; ignore files are respected. Runs in a thread."""

import subprocess
from pathlib import Path

from neocode.tools.files.ripgrep import find_rg

MOST_FILES = 200_000
_SECONDS = 20


def list_files(root: Path) -> list[str]:
    """Paths below root with "/" between parts, folders after files and with "/" at the end.

    From git where root is in a repository, else from ripgrep; empty when neither is there.
    """
    found = _lines(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root)
    if found is None:
        rg = find_rg()
        found = (
            _lines([str(rg), "--files", "--hidden", "--null", "--glob", "!.git"], root)
            if rg
            else []
        )
    files = sorted(set(found or ()))[:MOST_FILES]
    return files + folders_of(files)


def folders_of(files: list[str]) -> list[str]:
    """Every folder that holds one of the files, with "/" at the end."""
    folders: set[str] = set()
    for name in files:
        at = name.rfind("/")
        while at > 0 and name[: at + 1] not in folders:
            folders.add(name[: at + 1])
            at = name.rfind("/", 0, at)
    return sorted(folders)


def _lines(command: list[str], root: Path) -> list[str] | None:
    try:
        done = subprocess.run(
            command,
            cwd=root,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode not in (0, 1):
        return None
    return [part for part in done.stdout.decode(errors="replace").split("\0") if part]


def branch_of(root: Path) -> str:
    """The git branch checked out at root, a short commit when there is none, or ""."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.exists():
            return _branch_in(git)
    return ""


def _branch_in(git: Path) -> str:
    try:
        if git.is_file():
            git = (git.parent / git.read_text().removeprefix("gitdir:").strip()).resolve()
        head = (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:8]

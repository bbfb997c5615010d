"""Branch and short status of the project, for the environment part of the prompt."""

import os
import subprocess
from pathlib import Path

_TIMEOUT_S = 3.0
_MAX_LINES = 15
# a repository's own configuration must not start programs just because it was opened
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def git_root(cwd: Path) -> Path | None:
    """The folder that holds .git, at cwd or above it; None outside a repository."""
    return next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)


def git_summary(cwd: Path) -> str:
    """Branch and up to 15 lines of short status, or that there is no repository.

    Never raises and takes at most a few seconds: without git, or when it does not
    answer, only the repository is named.
    """
    root = git_root(cwd)
    if root is None:
        return "Git: not a repository"
    lines = _status(cwd)
    if not lines:
        return f"Git: repository at {root}"
    branch, changes = lines[0].removeprefix("## "), lines[1:]
    if not changes:
        return f"Git: repository at {root}, branch {branch}, nothing changed"
    shown = changes[:_MAX_LINES]
    more = [f"... and {len(changes) - len(shown)} more"] if len(changes) > len(shown) else []
    head = f"Git: repository at {root}, branch {branch}, {len(changes)} changed:"
    return "\n".join([head, *shown, *more])


def _status(cwd: Path) -> list[str]:
    command = ["git", *_SAFE, "status", "--short", "--branch", "--untracked-files=normal"]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines()

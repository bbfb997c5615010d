"""bubblewrap around a shell line: the project writable, the rest read-only (spec/safety)."""

import asyncio
import functools
import shutil
from pathlib import Path

from neocode.tools.base import ToolError

_PROBE_S = 10


def wrap(bwrap: str, argv: list[str], root: Path, *, network: bool) -> list[str]:
    """The argument list that runs argv in the sandbox; pure."""
    line = [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    line += ["--tmpfs", "/tmp", "--bind", str(root), str(root), "--chdir", str(root)]
    line += ["--unshare-pid", "--unshare-ipc", "--die-with-parent"]
    if not network:
        line.append("--unshare-net")
    return [*line, "--", *argv]


async def sandboxed(argv: list[str], root: Path, *, network: bool) -> list[str]:
    """argv inside the sandbox; raises ToolError in one line when there can be none.

    Never runs without the sandbox in silence.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise ToolError(
            "Not run: permissions.sandbox is on, but bubblewrap (bwrap) is not installed. "
            "Install it, or set permissions.sandbox to false."
        )
    fault = await asyncio.to_thread(_fault, bwrap, root, network)
    if fault:
        raise ToolError(
            f"Not run: permissions.sandbox is on, but bubblewrap does not work here: {fault}. "
            "Set permissions.sandbox to false to run without it."
        )
    return wrap(bwrap, argv, root, network=network)


@functools.lru_cache(maxsize=8)
def _fault(bwrap: str, root: Path, network: bool) -> str:
    """Why the sandbox cannot start, or ""."""
    import subprocess

    try:
        done = subprocess.run(
            wrap(bwrap, ["true"], root, network=network),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode == 0:
        return ""
    return lines[0] if lines else f"exit status {done.returncode}"

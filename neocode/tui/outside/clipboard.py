"""Where a copy can go: a program, the terminal (OSC 52), and always a file to fall back on."""

import base64
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

MOST_OSC52 = 74_994
"""Characters of base64 that the strictest common terminals take in one sequence."""
_SECONDS = 2.0
_NO_OSC52 = ("Apple_Terminal",)


@dataclass(frozen=True, slots=True)
class Ways:
    """program: a command that takes the text on its standard input, () for none.

    osc52: whether the terminal may take the sequence; wrap: "", "tmux" or "screen".
    """

    program: tuple[str, ...] = ()
    osc52: bool = True
    wrap: str = ""


def ways(
    environ: Mapping[str, str], platform: str, which: Callable[[str], str | None] = shutil.which
) -> Ways:
    """What this terminal offers; over ssh a local program would fill the wrong clipboard."""
    multiplexer = "tmux" if environ.get("TMUX") else ""
    if not multiplexer and environ.get("TERM", "").startswith("screen"):
        multiplexer = "screen"
    vte = environ.get("VTE_VERSION", "")
    osc52 = (
        environ.get("TERM_PROGRAM") not in _NO_OSC52
        and environ.get("TERM") != "linux"
        and not (vte.isdigit() and int(vte) < 7600)
    )
    remote = bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))
    candidates: list[tuple[bool, tuple[str, ...]]] = [
        (multiplexer == "tmux", ("tmux", "load-buffer", "-w", "-")),
        (platform == "darwin" and not remote, ("pbcopy",)),
        (platform == "win32" and not remote, ("clip.exe",)),
        (bool(environ.get("WAYLAND_DISPLAY")) and not remote, ("wl-copy",)),
        (bool(environ.get("DISPLAY")) and not remote, ("xclip", "-selection", "clipboard")),
        (bool(environ.get("DISPLAY")) and not remote, ("xsel", "--clipboard", "--input")),
        (bool(environ.get("WSL_DISTRO_NAME")), ("clip.exe",)),
    ]
    program = next((c for wanted, c in candidates if wanted and which(c[0])), ())
    return Ways(program, osc52, multiplexer)


def sequence(text: str, wrap: str) -> str:
    """OSC 52 for this text, "" when it is too long for terminals; wrapped for a multiplexer."""
    coded = base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()
    if len(coded) > MOST_OSC52:
        return ""
    return wrapped(f"\x1b]52;c;{coded}\x07", wrap)


def wrapped(raw: str, wrap: str) -> str:
    """A sequence as a multiplexer passes it on to the terminal around it."""
    if wrap == "tmux":
        return "\x1bPtmux;" + raw.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return f"\x1bP{raw}\x1b\\" if wrap == "screen" else raw


def run_program(program: tuple[str, ...], text: str) -> bool:
    """Whether the program took the text; blocks for at most two seconds."""
    try:
        done = subprocess.run(
            program,
            input=text.encode("utf-8", "surrogateescape"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def save(text: str, path: Path) -> None:
    """The text as a file of the user alone (0600). Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def words(what: str, *, program: bool, sent: bool, path: Path | None, problem: str = "") -> str:
    """What is said about a copy; what: "the last answer (1.2k characters)" (B40)."""
    if program:
        return f"Copied {what}."
    kept = f"It is also in {path}" if path else f"It cannot be kept in a file: {problem}"
    if sent:
        return f"Copied {what} through the terminal. {kept}, should the terminal not take it."
    where = f"It is in {path}." if path else f"It cannot be kept in a file either: {problem}."
    return f"This terminal takes no copy of {what}. {where}"

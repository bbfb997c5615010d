"""What the system prompt is made of; the caller reads, this renders (spec/context 4.1)."""

import platform
import sys
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from neocode.context.git_state import git_root, git_summary

INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md")
MAX_INSTRUCTION_BYTES = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemParts:
    """The system prompt in its parts; "" for a part that is left out.

    environment is taken once a session, so that the prompt stays byte for byte the same;
    instructions are read afresh for every request.
    """

    base: str
    environment: str = ""
    instructions: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """The project's instructions. files: what was read, outermost folder first.

    notes: what the user should know: a file cut to its limit, or one that cannot be read.
    """

    text: str = ""
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = field(default=())


def render(parts: SystemParts) -> str:
    """The system prompt; what changes least stands first."""
    return "\n\n".join(filter(None, (render_own(parts), parts.instructions)))


def render_own(parts: SystemParts) -> str:
    """The system prompt without the project's instructions, for the breakdown."""
    agent = f"# Agent profile\n{parts.agent.strip()}" if parts.agent.strip() else ""
    return "\n\n".join(filter(None, (parts.base.strip(), parts.environment, agent)))


@cache
def base_prompt() -> str:
    """NeoCode's own part, from prompts/system.md."""
    return (files("neocode.context") / "prompts" / "system.md").read_text("utf-8")


def gather_environment(cwd: Path, today: str) -> str:
    """Folder, platform, day and git state as the session begins; runs git once.

    today: YYYY-MM-DD, given so that it does not change within the session.
    """
    lines = [
        "# Environment (as the session began)",
        f"Working folder: {cwd}",
        f"Platform: {platform.system()} {platform.machine()}; Python {sys.version_info.major}."
        f"{sys.version_info.minor}",
        f"Date: {today}",
        git_summary(cwd),
    ]
    return "\n".join(lines)


def read_instructions(cwd: Path, limit: int = MAX_INSTRUCTION_BYTES) -> Instructions:
    """AGENTS.md, else CLAUDE.md, of each folder from the git root down to cwd.

    limit: bytes of all of them together; the innermost, which rule what is nearest, keep
    their room first. Outside a repository only cwd is looked at. Whether a folder is
    trusted enough to be read is the caller's question.
    """
    found = [file for folder in _folders(cwd) if (file := _instruction_file(folder))]
    pieces: list[str] = []
    read: list[Path] = []
    notes: list[str] = []
    left = limit
    for file in reversed(found):
        try:
            raw = file.read_bytes()
        except OSError as error:
            notes.append(f"{file} could not be read ({error.strerror}).")
            continue
        text = raw[:left].decode("utf-8", "replace" if len(raw) <= left else "ignore").strip()
        if len(raw) > left:
            notes.append(f"{file} is cut to {left:,} of its {len(raw):,} bytes.")
            text += f"\n[cut: {left:,} of {len(raw):,} bytes; read the file for the rest]"
        left = max(0, left - len(raw))
        if text:
            pieces.append(f"# Project instructions from {file}\n{text}")
            read.append(file)
    return Instructions(
        text="\n\n".join(reversed(pieces)), files=tuple(reversed(read)), notes=tuple(notes)
    )


def _folders(cwd: Path) -> list[Path]:
    root = git_root(cwd) or cwd
    inside = [folder for folder in (cwd, *cwd.parents) if folder.is_relative_to(root)]
    return list(reversed(inside))


def _instruction_file(folder: Path) -> Path | None:
    return next((f for name in INSTRUCTION_FILES if (f := folder / name).is_file()), None)

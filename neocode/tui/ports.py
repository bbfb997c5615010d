"""What the app is given from outside."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from neocode.domain.messages import Message
    from neocode.domain.session import Hit, SessionInfo
    from neocode.runtime.api import EngineApi


class Shelf(Protocol):
    """All sessions there are, also those that no engine has open. Its errors are NeoCodeErrors."""

    async def sessions(self) -> Sequence["SessionInfo"]:
        """Newest first."""
        ...

    async def search(self, text: str) -> Sequence["Hit"]:
        """Messages of all sessions that fit, best first."""
        ...

    async def newest(self, session_id: str, count: int) -> Sequence["Message"]:
        """The last messages of a session, in order."""
        ...

    async def rename(self, session_id: str, title: str) -> None:
        """Give it a title; "" goes back to its first words."""
        ...

    async def fork(self, session_id: str) -> str:
        """A copy; its id."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove it for good; its transcripts stay."""
        ...

    async def export(self, session_id: str, style: str) -> Path:
        """Write it to a new file in the current folder: "jsonl", "md" or "html"."""
        ...


EngineFactory = Callable[[], Awaitable["EngineApi"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the app may use besides the engine; every part may be missing.

    shelf: all sessions, for the picker. history_path: JSON lines of earlier
    prompts. logs_dir: where crash reports go. prompt: sent as soon as the engine is ready.
    theme: ui.theme as far as it is known at start.
    mouse: ui.mouse, likewise. copy_path: the file that a copy falls back on.
    drafts_path: where drafts that were put aside are kept.
    approval_guard_s: seconds in which a question that pops up under typing fingers takes
    no key.
    """

    shelf: Shelf | None = None
    history_path: Path | None = None
    logs_dir: Path | None = None
    prompt: str = ""
    theme: str = "auto"
    mouse: bool = True
    copy_path: Path | None = None
    drafts_path: Path | None = None
    approval_guard_s: float = 0.5

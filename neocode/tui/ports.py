"""What the app is given from outside."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neocode.domain.session import SessionInfo
    from neocode.runtime.api import EngineApi


EngineFactory = Callable[[], Awaitable["EngineApi"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the app may use besides the engine; every part may be missing.

    list_sessions: rows for the picker, newest first. history_path: JSON lines of earlier
    prompts. logs_dir: where crash reports go. prompt: sent as soon as the engine is ready.
    theme: ui.theme as far as it is known at start.
    mouse: ui.mouse, likewise. copy_path: the file that a copy falls back on.
    drafts_path: where drafts that were put aside are kept.
    approval_guard_s: seconds in which a question that pops up under typing fingers takes
    no key.
    """

    list_sessions: Callable[[], Awaitable[Sequence["SessionInfo"]]] | None = None
    history_path: Path | None = None
    logs_dir: Path | None = None
    prompt: str = ""
    theme: str = "auto"
    mouse: bool = True
    copy_path: Path | None = None
    drafts_path: Path | None = None
    approval_guard_s: float = 0.5

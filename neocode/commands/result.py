"""What a slash command gives back to its front end."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CommandResult:
    """text: to be shown, plain. show: the screen to open, "" for none; argument is for it."""

    text: str = ""
    show: str = ""
    argument: str = ""
    level: Literal["info", "error"] = "info"

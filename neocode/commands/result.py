"""What a slash command gives back to its front end."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CommandResult:
    """text: to be shown, plain. show: the screen to open, "" for none; argument is for it.

    fill: for the input line, to be edited and sent again; "" for nothing.
    """

    text: str = ""
    show: str = ""
    argument: str = ""
    fill: str = ""
    level: Literal["info", "error"] = "info"

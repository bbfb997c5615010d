"""A slash command that somebody wrote as a Markdown file: a prompt with places for words."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Origin = Literal["user", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCommand:
    """One file. name: with ":" for the sub-folders, lower case ("git:review").

    hint: what its arguments are, "" when it says nothing. model, mode: for its run only,
    "" for those in force. origin: "user" (the configuration folder), "project" (.neocode/).
    """

    name: str
    description: str
    body: str
    origin: Origin
    path: Path
    hint: str = ""
    model: str = ""
    mode: str = ""

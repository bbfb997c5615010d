"""The Tool protocol and what a tool gets to work with."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Message
from neocode.domain.session import Hit
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec


class ToolError(Exception):
    """A tool cannot do what was asked; the text goes to the model as an error result."""


@dataclass(slots=True)
class FileStamps:
    """What the model has seen of each file, so that a change since then is noticed.

    stamps: real path -> sha256 of the bytes as last read or written by a tool.
    misses: real path -> edits that did not match since it was last read, with how often.
    """

    stamps: dict[Path, str] = field(default_factory=dict)
    misses: dict[Path, dict[str, int]] = field(default_factory=dict)


def keep_nothing(_: Path, __: bytes) -> None:
    """Stands in where no checkpoints are kept."""


class Archive(Protocol):
    """Archived and cleared text (spec/context 11). May be asked in a thread."""

    def search(self, text: str) -> Sequence[Hit]:
        """Records that fit words or a question, best first."""
        ...

    def record(self, handle: str) -> Message | None:
        """The whole record of a message's or a tool call's id."""
        ...


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """The surroundings of one call.

    root: the project folder, real path; relative paths start there.
    outputs: folder for whole texts of shortened results (0700; files 0600).
    emit: called with live output, already free of control sequences.
    ask: puts a question to the user and waits; raises ToolError without a screen.
    result_tokens: limit of one result as it enters the history.
    see_images: the model can be shown pictures.
    recall: the text of this session that the model does not see any more, or None.
    before_change: told the real path of a file and the bytes it is about to be given, right
        before that, in the thread of the change; raises ToolError when it must not be made.
    """

    root: Path
    outputs: Path
    call_id: str
    session_id: str
    stamps: FileStamps
    emit: Callable[[str], None]
    ask: Callable[[str, tuple[str, ...]], Awaitable[str]]
    result_tokens: int = 8000
    see_images: bool = False
    bash_timeout_s: float = 120.0
    sandbox: bool = False
    sandbox_network: bool = False
    recall: Archive | None = None
    before_change: Callable[[Path, bytes], None] = keep_nothing


class Tool(Protocol):
    """One ability of the model. Registering an instance is all that is needed.

    accesses and preview never change anything. run may be cancelled at any await and
    must leave nothing running then.
    """

    spec: ToolSpec

    def summary(self, args: JsonObject) -> str:
        """One line for the screen: "read src/app.py"."""
        ...

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """What the call would do, to be judged. Empty: needs no permission."""
        ...

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """What the question shows: a unified diff, the whole shell line, or ""."""
        ...

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Do it. Raises ToolError with words for the model."""
        ...


def text_arg(args: JsonObject, name: str, default: str | None = None) -> str:
    """A string argument; raises ToolError when it is missing or not a string."""
    value: Any = args.get(name, default)
    if not isinstance(value, str):
        raise ToolError(f"argument {name!r} must be a string")
    return value


def int_arg(args: JsonObject, name: str, default: int, *, least: int, most: int) -> int:
    """An integer argument within bounds; numeric strings are taken, as small models send them."""
    value: Any = args.get(name, default)
    if isinstance(value, str) and value.strip().lstrip("-").isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ToolError(f"argument {name!r} must be a whole number from {least} to {most}")
    return value

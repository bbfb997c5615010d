"""What the other layers know about tools: their face to the model and to the rules."""

from dataclasses import dataclass, field
from typing import Literal

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Image

AccessKind = Literal["none", "read", "edit", "run", "network"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it, and how its results age.

    parameters: JSON Schema of the arguments object.
    preserve_history: its old results are never cleared by micro compact.
    """

    name: str
    description: str
    parameters: JsonObject
    preserve_history: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One thing that a call is about to do, to be judged before it runs.

    target: the path as given (read, edit), the whole shell line (run), a host (network).
    tool: the tool's name, as permission rules name it.
    """

    kind: AccessKind
    tool: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a tool gives back; content is for the model, metadata for screen and ledger.

    metadata: known keys are "path", "diff", "exit_status", "full_output", "added",
        "removed", "matches", "duration_s", "timed_out", "todos".
    """

    content: str
    is_error: bool = False
    images: tuple[Image, ...] = ()
    metadata: JsonObject = field(default_factory=dict)

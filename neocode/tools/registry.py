"""Tools by name."""

from collections.abc import Sequence

from neocode.domain.tooling import ToolSpec
from neocode.tools.arguments import parse_arguments
from neocode.tools.ask_user import AskUserTool
from neocode.tools.base import Tool
from neocode.tools.bash import BashTool
from neocode.tools.edit import EditTool
from neocode.tools.glob import GlobTool
from neocode.tools.grep import GrepTool
from neocode.tools.read import ReadTool
from neocode.tools.recall import RecallTool
from neocode.tools.todo import TodoTool
from neocode.tools.write import WriteTool

__all__ = ["Registry", "default_tools", "parse_arguments"]


class Registry:
    """The tools of a session, in the order in which the model sees them.

    Raises ValueError when two tools have one name.
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name")

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told; the same order every time, for the prompt cache."""
        return tuple(tool.spec for tool in self._tools.values())

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    def names(self) -> tuple[str, ...]:
        """The tools' names."""
        return tuple(self._tools)

    @property
    def preserving(self) -> frozenset[str]:
        """Names of the tools whose old results are never cleared (spec/context 5)."""
        return frozenset(name for name, tool in self._tools.items() if tool.spec.preserve_history)


def default_tools() -> list[Tool]:
    """A fresh set of the built-in tools."""
    return [
        ReadTool(),
        EditTool(),
        WriteTool(),
        GlobTool(),
        GrepTool(),
        BashTool(),
        TodoTool(),
        AskUserTool(),
        RecallTool(),
    ]

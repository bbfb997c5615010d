"""Choices for a completion query: commands from the registry, files from an index."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from neocode.tui.dropped import quoted
from neocode.tui.files import list_files
from neocode.tui.fuzzy import Names, best
from neocode.tui.widgets.completions import MOST, Choice


class CommandInfo(Protocol):
    """A slash command as it is offered; name without the slash."""

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def arguments(self) -> str:
        """A hint, or ""."""
        ...

    @property
    def help(self) -> str:
        """One sentence."""
        ...


def command_choices(letters: str, commands: Iterable[CommandInfo]) -> list[Choice]:
    """Commands whose name matches; every one for no letters, in the table's order."""
    known = {command.name: command for command in commands}
    first = [name for name in known if name.startswith(letters.lower())]
    names = first + [name for name in best(letters, known) if name not in first]
    return [
        Choice(
            f"/{name}{' ' if known[name].arguments else ''}",
            f"/{name} {known[name].arguments}".rstrip(),
            known[name].help,
        )
        for name in names
    ]


def argument_choices(
    letters: str, command: CommandInfo | None, values: Sequence[tuple[str, str]]
) -> tuple[list[Choice], str]:
    """What an argument may be, and what is said when there is nothing to choose.

    values: known values with a word about each; an argument that is one already is done.
    """
    if command is None:
        return [], ""
    hint = f"/{command.name} {command.arguments}".rstrip() + f" · {command.help}"
    low = letters.lower()
    if any(value.lower() == low for value, _ in values):
        return [], hint
    fitting = [Choice(value, value, about) for value, about in values if low in value.lower()]
    return fitting, hint


class FileIndex:
    """The files of a project; read once in a thread, again when it is asked to."""

    def __init__(self) -> None:
        self.found = Names()
        self.loaded = False

    def read(self, root: Path) -> None:
        """List the files (blocks: call it in a thread)."""
        self.found = Names(list_files(root))
        self.loaded = True

    def choices(self, letters: str) -> list[Choice]:
        """Files and folders that match, best first; without letters the first ones."""
        return [Choice(f"@{quoted(name)}", name) for name in self.found.best(letters, MOST)]

"""Choices for a completion query: commands from the registry, files from an index."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from neocode.tui.files import list_files
from neocode.tui.fuzzy import best
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


class FileIndex:
    """The files of a project; read once in a thread, again when it is asked to."""

    def __init__(self) -> None:
        self.names: Sequence[str] = ()
        self.loaded = False
        self._query = ""
        self._kept: Sequence[str] = ()

    def read(self, root: Path) -> None:
        """List the files (blocks: call it in a thread)."""
        self.names, self._query = list_files(root), ""
        self.loaded = True

    def choices(self, letters: str) -> list[Choice]:
        """Files that match, best first; without letters the first ones."""
        if not letters:
            return [Choice(f"@{name}", name) for name in self.names[:MOST]]
        pool = self._kept if self._query and letters.startswith(self._query) else self.names
        lowered = letters.lower()
        self._kept = [name for name in pool if is_subsequence(lowered, name.lower())]
        self._query = letters
        return [Choice(f"@{name}", name) for name in best(letters, self._kept, MOST)]


def is_subsequence(letters: str, name: str) -> bool:
    """Whether all letters stand in name in their order."""
    rest = iter(name)
    return all(letter in rest for letter in letters)

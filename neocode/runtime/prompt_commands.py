"""The user's and the project's own slash commands: read when they change, spelled out."""

import re
import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from neocode.config.prompt_files import files_in, read_commands
from neocode.domain.errors import NeoCodeError
from neocode.domain.prompt_command import PromptCommand
from neocode.tools.mentions import mentions

_WIDTH = ("plan", "ask", "accept-edits", "auto")
_PLACE = re.compile(r"\$(?:(ARGUMENTS)\b|([1-9])(?![0-9]))")
_CALL = re.compile(r"/([A-Za-z0-9][\w:-]*)(?:\s+(.*))?\s*", re.DOTALL)


@dataclass(slots=True)
class PromptCommands:
    """The commands of two folders; the user's own come first and keep their names.

    reserved: names of the built-in commands. is_trusted: the project's may be read.
    may_read: a path that a project's file mentions may be read without a question.
    """

    user_folder: Path
    root: Path
    reserved: Collection[str]
    is_trusted: Callable[[], bool]
    may_read: Callable[[str], bool]
    _commands: tuple[PromptCommand, ...] = ()
    _notes: tuple[str, ...] = ()
    _print: object = field(default=None)

    @property
    def commands(self) -> tuple[PromptCommand, ...]:
        """All that may be used now."""
        self._read()
        return self._commands

    @property
    def notes(self) -> tuple[str, ...]:
        """Which files were not taken, and why; a line each."""
        self._read()
        return self._notes

    def find(self, text: str) -> tuple[PromptCommand, str] | None:
        """The command that a prompt calls, and its arguments; None for any other prompt.

        The "/" stands first: a blank before it makes an ordinary prompt of the text.
        """
        call = _CALL.fullmatch(text)
        if call is None:
            return None
        name = call[1].lower()
        found = next((command for command in self.commands if command.name == name), None)
        return None if found is None else (found, (call[2] or "").strip())

    def spelled_out(self, text: str) -> str:
        """The prompt that a call stands for; any other text as it is.

        Raises NeoCodeError when a project's file mentions what it may not read.
        """
        called = self.find(text)
        if called is None:
            return text
        command, arguments = called
        prompt = fill(command.body, arguments)
        if command.origin == "project":
            self._check(command, prompt, arguments)
        return prompt

    def _check(self, command: PromptCommand, prompt: str, arguments: str) -> None:
        """What the user mentions is their wish; what the file mentions is judged."""
        own = {mention.candidates for mention in mentions(arguments)}
        for mention in mentions(prompt):
            path = mention.candidates[-1]
            exists = any((self.root / Path(p).expanduser()).exists() for p in mention.candidates)
            if mention.candidates in own or not exists:
                continue
            if not all(self.may_read(candidate) for candidate in mention.candidates):
                raise NeoCodeError(
                    f"/{command.name} of this project mentions @{path}, which may not be read "
                    "without your permission; nothing was sent.",
                    hint="Mention it yourself in a prompt if you want it read.",
                )

    def _read(self) -> None:
        project = self.root / ".neocode" / "commands"
        is_trusted = self.is_trusted()
        folders = (self.user_folder, project)
        fingerprint = (is_trusted, [_stat(p) for folder in folders for p in files_in(folder)])
        if fingerprint == self._print:
            return
        self._print = fingerprint
        commands, notes = read_commands(self.user_folder, "user", self.reserved)
        if is_trusted:
            taken = {*self.reserved, *(command.name for command in commands)}
            more, more_notes = read_commands(project, "project", taken, self.root)
            commands, notes = commands + more, notes + more_notes
        elif files_in(project):
            notes.append(
                f"{project}: this folder's own commands are read once you trust it; you are "
                "asked before the first prompt."
            )
        self._commands, self._notes = tuple(commands), tuple(notes)


def fill(body: str, arguments: str) -> str:
    """The body with $ARGUMENTS and $1 to $9 filled in, in one pass; pure.

    $1 to $9 are words, or quoted texts; those that are not there are empty. A body without
    a place gets the arguments at its end.
    """
    words = _words(arguments)

    def put(place: "re.Match[str]") -> str:
        if place[1]:
            return arguments
        number = int(place[2])
        return words[number - 1] if number <= len(words) else ""

    filled, count = _PLACE.subn(put, body)
    return f"{filled}\n\n{arguments}" if arguments and not count else filled


def wider(mode: str, than: str) -> bool:
    """The first permission mode lets more pass than the second."""
    return _WIDTH.index(mode) > _WIDTH.index(than)


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # an apostrophe, not a quote
        return arguments.split()


def _stat(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), status.st_mtime_ns, status.st_size)

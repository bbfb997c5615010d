"""Slash commands: one table for the screen, the palette, /help and `neocode run`."""

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from neocode.commands import (
    compact_commands,
    context_commands,
    past_commands,
    project_commands,
    recall_commands,
    session_commands,
    setting_commands,
    task_commands,
)
from neocode.commands.result import CommandResult
from neocode.domain.errors import NeoCodeError
from neocode.domain.prompt_command import PromptCommand
from neocode.runtime.api import EngineApi

Action = Callable[[EngineApi, str], Awaitable[CommandResult]]


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. arguments: a hint such as "[focus]"; "" for none."""

    name: str
    arguments: str
    help: str
    run: Action


def _show(screen: str) -> Action:
    async def run(_: EngineApi, argument: str) -> CommandResult:
        return CommandResult(show=screen, argument=argument)

    return run


COMMANDS: tuple[Command, ...] = (
    Command("help", "", "commands and keys", _show("help")),
    Command("new", "", "begin an empty session", session_commands.new),
    Command("clear", "", "the same as /new", session_commands.new),
    Command("sessions", "", "choose a session", session_commands.sessions),
    Command("resume", "[id]", "continue a session", session_commands.resume),
    Command(
        "rewind",
        "[N [conversation|files|both]]",
        "back to before an earlier prompt",
        past_commands.rewind,
    ),
    Command("fork", "", "go on in a copy of this session", past_commands.fork),
    Command(
        "export", "[jsonl|md|html] [path]", "write this session to a file", past_commands.export
    ),
    Command("rename", "title", "give this session a title", session_commands.rename),
    Command("model", "[name]", "show or change the model", setting_commands.model),
    Command("agent", "[name]", "show or change the agent profile", setting_commands.agent),
    Command("mode", "[mode]", "ask, accept-edits, plan or auto", setting_commands.mode),
    Command(
        "compact",
        "[focus|preview|undo|redo|log]",
        "shrink the context now, look first, take it back",
        compact_commands.compact,
    ),
    Command("context", "", "what fills the context", context_commands.context),
    Command(
        "task",
        "[set|add|drop FIELD VALUE]",
        "the task state, and edits of it",
        task_commands.task,
    ),
    Command("pin", "[text]", "a rule that goes with every request", task_commands.pin),
    Command("unpin", "number|text", "take a pinned rule away", task_commands.unpin),
    Command(
        "recall",
        "[--all] text|id",
        "find what was archived or cleared",
        recall_commands.recall,
    ),
    Command("diff", "[file]", "what this session changed", past_commands.diff),
    Command("init", "[force]", "have a first AGENTS.md written", project_commands.init),
    Command("cost", "", "tokens and cost by kind", context_commands.cost),
    Command("permissions", "", "mode and rules in force", setting_commands.permissions),
    Command("config", "", "where the configuration is", setting_commands.config),
    Command("settings", "", "change the configuration", _show("settings")),
    Command("view", "[full|compacted]", "the whole history, or what is live", _show("view")),
    Command("theme", "[name]", "change the colours", _show("theme")),
    Command("copy", "[code [N]]", "copy the last answer, or a piece of its code", _show("copy")),
    Command("find", "[text]", "find words in the conversation", _show("find")),
    Command("doctor", "", "is everything there, and how to mend it", project_commands.doctor),
    Command("quit", "", "leave", _show("quit")),
)
ALIASES = {"exit": "quit", "q": "quit", "branch": "fork"}
RESERVED = frozenset({*(command.name for command in COMMANDS), *ALIASES})
"""Names that a command from a file cannot have."""

LISTED_WIDTH = 34
"""Columns of a command in a listing; a longer one pushes its explanation on."""


@dataclass(frozen=True, slots=True)
class CommandTable:
    """The commands that may be typed now. notes: which command files were not taken, and why."""

    commands: tuple[Command, ...] = COMMANDS
    notes: tuple[str, ...] = ()

    def find(self, name: str) -> Command | None:
        """The command of this name or alias, whatever its case."""
        lowered = name.lower()
        wanted = ALIASES.get(lowered, lowered)
        return next((command for command in self.commands if command.name == wanted), None)

    def suggest(self, name: str) -> str | None:
        """The nearest command's name, or None when nothing is near."""
        names = [command.name for command in self.commands]
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        return near[0] if near else None

    def is_command(self, line: str) -> bool:
        """True for a line that is exactly a slash command, with or without arguments.

        The "/" stands first: a blank before it makes an ordinary prompt of the line.
        """
        text = line.rstrip()
        if not text.startswith("/"):
            return False
        name = text[1:].split(None, 1)[0] if len(text) > 1 else ""
        return self.find(name) is not None

    def listing(self) -> str:
        """Every command with its arguments and what it does, one a line."""
        heads = [f"/{each.name} {each.arguments}".rstrip() for each in self.commands]
        width = min(max(map(len, heads)), LISTED_WIDTH)
        lines = [
            f"{head:{width}}  {each.help}" for head, each in zip(heads, self.commands, strict=True)
        ]
        return "\n".join(lines)

    def unknown(self, name: str) -> str:
        """What to say about a name that is no command's."""
        near = self.suggest(name)
        hint = f" Did you mean /{near}?" if near else " /help lists them."
        blank = " A blank before the / sends the text as a prompt."
        return "\n".join([f"There is no command /{name}.{hint}{blank}", *self.notes[:3]])


BUILT_IN = CommandTable()


def table_for(engine: EngineApi) -> CommandTable:
    """The built-in commands, then the user's and the project's own."""
    own = tuple(_own(command) for command in engine.prompt_commands)
    return CommandTable((*COMMANDS, *own), tuple(engine.command_notes))


async def run_command(
    engine: EngineApi, line: str, table: CommandTable | None = None
) -> CommandResult:
    """Run a slash command. What went wrong is in the result, never raised."""
    name, *rest = line.strip().removeprefix("/").split(None, 1)
    table = table or table_for(engine)
    command = table.find(name)
    if command is None:
        return CommandResult(text=table.unknown(name), level="error")
    try:
        return await command.run(engine, rest[0].strip() if rest else "")
    except NeoCodeError as error:
        return CommandResult(text=error.sentences, level="error")


def _own(command: PromptCommand) -> Command:
    """A command from a file: the engine spells it out when its turn has come."""

    async def run(engine: EngineApi, argument: str) -> CommandResult:
        engine.submit(f"/{command.name} {argument}".rstrip())
        return CommandResult()

    whose = "yours" if command.origin == "user" else "this project's"
    return Command(command.name, command.hint, f"{command.description} ({whose})", run)

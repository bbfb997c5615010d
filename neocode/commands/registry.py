"""Slash commands: one table for the screen, the palette, /help and `neocode run`."""

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from neocode.commands import (
    compact_commands,
    context_commands,
    recall_commands,
    session_commands,
    setting_commands,
    task_commands,
)
from neocode.commands.result import CommandResult
from neocode.domain.errors import NeoCodeError
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
    Command("sessions", "", "choose a session", _show("sessions")),
    Command("resume", "[id]", "continue a session", session_commands.resume),
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
    Command("cost", "", "tokens and cost by kind", context_commands.cost),
    Command("permissions", "", "mode and rules in force", setting_commands.permissions),
    Command("config", "", "where the configuration is", setting_commands.config),
    Command("settings", "", "change the configuration", _show("settings")),
    Command("view", "[full|compacted]", "the whole history, or what is live", _show("view")),
    Command("theme", "[name]", "change the colours", _show("theme")),
    Command("copy", "[code [N]]", "copy the last answer, or a piece of its code", _show("copy")),
    Command("quit", "", "leave", _show("quit")),
)
BY_NAME = {command.name: command for command in COMMANDS}
ALIASES = {"exit": "quit", "q": "quit"}


def find(name: str) -> Command | None:
    """The command of this name or alias, whatever its case."""
    lowered = name.lower()
    return BY_NAME.get(ALIASES.get(lowered, lowered))


def suggest(name: str) -> str | None:
    """The nearest command's name, or None when nothing is near."""
    near = difflib.get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.5)
    return near[0] if near else None


def is_command(line: str) -> bool:
    """True for a line that is exactly a slash command, with or without arguments."""
    text = line.rstrip()
    if not text.startswith("/"):
        return False
    name = text[1:].split(None, 1)[0] if len(text) > 1 else ""
    return find(name) is not None


async def run_command(engine: EngineApi, line: str) -> CommandResult:
    """Run a slash command. What went wrong is in the result, never raised."""
    name, _, argument = line.strip().removeprefix("/").partition(" ")
    command = find(name)
    if command is None:
        near = suggest(name)
        hint = f" Did you mean /{near}?" if near else " /help lists them."
        return CommandResult(text=f"There is no command /{name}.{hint}", level="error")
    try:
        return await command.run(engine, argument.strip())
    except NeoCodeError as error:
        return CommandResult(text=f"{error.message} {error.hint}".strip(), level="error")

"""Opens screens by name: what commands, keys and buttons ask for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from neocode.commands.registry import BUILT_IN, CommandTable, table_for
from neocode.tui import pages
from neocode.tui.memory_openers import open_memory
from neocode.tui.present import figure
from neocode.tui.rows.talk import AnswerItem
from neocode.tui.saving import save, tilde
from neocode.tui.screens.drawer import Drawer
from neocode.tui.screens.picker import Entry, Picker
from neocode.tui.text.lines import Block, lines

if TYPE_CHECKING:
    from neocode.runtime.api import EngineApi
    from neocode.tui.screens.chat import ChatScreen

_MODES = {
    "ask": "asks before it changes or runs anything",
    "accept-edits": "changes files in the project, asks before commands",
    "plan": "reads only",
    "auto": "asks only what is dangerous",
}
_COMPACT = {
    "preview": "what would be archived and kept",
    "undo": "take the newest compaction back",
    "redo": "bring it back again",
    "log": "the compactions of this session",
}
THEMES = ("auto", "dark", "light", "ansi", "high-contrast")


def open_screen(chat: "ChatScreen", name: str, argument: str, text: str) -> None:
    """Open one; an unknown name shows the command's words instead."""
    opener = _OPENERS.get(name)
    if open_memory(chat, name, argument):
        return
    if opener is not None:
        opener(chat, argument)
    elif text:
        _page(chat, name.capitalize(), list(lines(text)))
    else:
        chat.note(f"There is no screen for {name} yet.", "warning")


def _page(chat: "ChatScreen", title: str, blocks: list[Block]) -> None:
    chat.app.push_screen(Drawer(title, blocks))


def _help(chat: "ChatScreen", _: str) -> None:
    _page(chat, "Help", pages.help_blocks(_table(chat).commands))


def _quit(chat: "ChatScreen", _: str) -> None:
    chat.app.exit()


def _copy(chat: "ChatScreen", argument: str) -> None:
    from neocode.tui.outside.copy_command import take

    answers = [i.copy_text for i in chat.transcript.items if isinstance(i, AnswerItem)]
    text, what = take(argument, [a for a in answers if a.strip()])
    if text:
        chat.copy(text, what)
    else:
        chat.note(what, "warning")


def _theme(chat: "ChatScreen", argument: str) -> None:
    if argument:
        _set_theme(chat, argument)
    else:
        _pick(chat, "Theme", [Entry(n, n) for n in THEMES], lambda n: _set_theme(chat, n))


def _set_theme(chat: "ChatScreen", name: str) -> None:
    if name not in THEMES:
        chat.note(f"There is no theme {name}. Themes: {', '.join(THEMES)}.", "error")
        return
    chat.nc_app.use_theme(name)
    if chat.engine is not None:
        done = save(chat.engine, "ui.theme", name)
        chat.note(
            f"Theme {name}. {done.words} ({tilde(chat.engine.config_file)})",
            "error" if done.failed else "info",
        )


def _model(chat: "ChatScreen", _: str) -> None:
    engine = chat.engine
    if engine is None:
        return
    entries = [Entry(m.name, m.name, f"{m.id} · {figure(m.window)} window") for m in engine.models]
    _pick(chat, "Model", entries, lambda name: chat.send(f"/model {name}"))


def _mode(chat: "ChatScreen", _: str) -> None:
    entries = [Entry(name, name, text) for name, text in _MODES.items()]
    _pick(chat, "Mode", entries, lambda name: chat.send(f"/mode {name}"))


def _palette(chat: "ChatScreen", _: str) -> None:
    entries = [
        Entry(f"/{c.name}", f"/{c.name} {c.arguments}".rstrip(), c.help)
        for c in _table(chat).commands
    ]
    _pick(chat, "Commands", entries, lambda line: _from_palette(chat, line))


def _from_palette(chat: "ChatScreen", line: str) -> None:
    command = _table(chat).find(line.removeprefix("/"))
    required = command and command.arguments and not command.arguments.startswith("[")
    if required:
        chat.prompt.fill(f"{line} ")
    else:
        chat.send(line)


def _table(chat: "ChatScreen") -> CommandTable:
    return table_for(chat.engine) if chat.engine is not None else BUILT_IN


def argument_values(engine: "EngineApi", command: str) -> list[tuple[str, str]]:
    """What the argument of a command may be, as far as it can be listed."""
    match command:
        case "model":
            return [(m.name, f"{m.id} · {figure(m.window)} window") for m in engine.models]
        case "mode":
            return list(_MODES.items())
        case "theme":
            return [(name, "") for name in THEMES]
        case "agent":
            return [(a.name, a.model or "") for a in engine.config.agents]
        case "view":
            return [("full", "everything that was said"), ("compacted", "what is live")]
        case "compact":
            return list(_COMPACT.items())
        case "export":
            return [(name, "") for name in ("md", "html", "jsonl")]
        case "copy":
            return [("code", "the last piece of code of the newest answer that has some")]
    return []


def _history(chat: "ChatScreen", _: str) -> None:
    seen = dict.fromkeys(reversed(chat.prompt.recall.entries))
    entries = [Entry(text, text, "", text if "\n" in text else "") for text in seen]
    _pick(chat, "Earlier prompts", entries, chat.prompt.fill, empty="Nothing was sent yet.")


def _find(chat: "ChatScreen", words: str) -> None:
    chat.find_in(words)


def _output(chat: "ChatScreen", key: str) -> None:
    from neocode.tui.rows.tools import ToolItem

    item = chat.transcript.find(key)
    if isinstance(item, ToolItem):
        _page(chat, item.summary, item.whole())


def _rewind(chat: "ChatScreen", _: str) -> None:
    from neocode.tui.screens.rewind import rewind

    chat.run_worker(rewind(chat), name="rewind", group="rewind", exclusive=True)


def _sessions(chat: "ChatScreen", _: str) -> None:
    from neocode.tui.screens.sessions import choose_session

    chat.run_worker(choose_session(chat), name="sessions", group="sessions", exclusive=True)


def _pick(
    chat: "ChatScreen",
    title: str,
    entries: list[Entry],
    take: Callable[[str], object],
    *,
    empty: str = "",
) -> None:
    def taken(value: str | None) -> None:
        if value is not None:
            take(value)

    chat.app.push_screen(Picker(title, entries, empty=empty), taken)


_OPENERS: dict[str, Callable[["ChatScreen", str], None]] = {
    "help": _help,
    "quit": _quit,
    "copy": _copy,
    "theme": _theme,
    "model": _model,
    "mode": _mode,
    "palette": _palette,
    "history": _history,
    "sessions": _sessions,
    "rewind": _rewind,
    "find": _find,
    "output": _output,
}

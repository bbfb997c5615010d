"""Opens the screens about what the model remembers: settings, context, task, compactions."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from neocode.tui.present import compact_done_words, compact_figures
from neocode.tui.saving import turn_automatic_on
from neocode.tui.screens.page import Page
from neocode.tui.screens.picker import Entry, Picker

if TYPE_CHECKING:
    from neocode.runtime.api import EngineApi
    from neocode.tui.screens.chat import ChatScreen


def _push(chat: "ChatScreen", page: Page) -> None:
    def closed(action: str | None) -> None:
        if chat.stage is not None:
            chat.stage.refresh_facts()
        if action:
            chat.act(action)

    chat.app.push_screen(page, closed)


def _settings(chat: "ChatScreen", engine: "EngineApi", argument: str) -> None:
    from neocode.tui.screens.settings import SettingsScreen

    _push(chat, SettingsScreen(engine, argument.lower()))


def _context(chat: "ChatScreen", engine: "EngineApi", _: str) -> None:
    from neocode.tui.screens.context import ContextScreen

    _push(chat, ContextScreen(engine))


def _task(chat: "ChatScreen", engine: "EngineApi", _: str) -> None:
    from neocode.tui.screens.task import TaskScreen

    _push(chat, TaskScreen(engine))


def _preview(chat: "ChatScreen", engine: "EngineApi", focus: str) -> None:
    from neocode.tui.screens.preview import PreviewScreen

    _push(chat, PreviewScreen(engine, focus))


def _summary(chat: "ChatScreen", engine: "EngineApi", wanted: str) -> None:
    from neocode.tui.screens.summary import SummaryScreen

    _push(chat, SummaryScreen(engine, wanted))


def _compactions(chat: "ChatScreen", engine: "EngineApi", _: str) -> None:
    """A list of all of them; one leads to its drawer."""
    entries = [
        Entry(
            record.id,
            f"{record.created_at[:16].replace('T', ' ')}  {record.trigger_mode}, "
            f"{record.strategy}{' · undone' if record.undone_at else ''}",
            f"{compact_done_words(record.metrics).partition(' · ')[2]} · "
            f"{compact_figures(record.metrics)}",
        )
        for record in reversed(engine.compactions())
    ]

    def taken(record_id: str | None) -> None:
        if record_id is not None:
            _summary(chat, engine, record_id)

    empty = "There is no compaction in this session yet. /compact makes one."
    chat.app.push_screen(Picker("Compactions", entries, empty=empty), taken)


def _view(chat: "ChatScreen", _: "EngineApi", argument: str) -> None:
    stage = chat.stage
    if stage is None:
        return
    if argument not in ("", "full", "compacted"):
        chat.note(f"There is no view {argument}. /view full or /view compacted.", "error")
    elif argument != stage.views.name:
        stage.toggle_view()


def _archive(chat: "ChatScreen", _engine: "EngineApi", _: str) -> None:
    if chat.stage is not None:
        chat.stage.views.load_archived()


def _auto_on(chat: "ChatScreen", engine: "EngineApi", _: str) -> None:
    done = turn_automatic_on(engine)
    chat.note(done.words, "error" if done.failed else "info")
    if chat.stage is not None:
        chat.stage.refresh_facts()


MEMORY: dict[str, Callable[["ChatScreen", "EngineApi", str], None]] = {
    "settings": _settings,
    "context": _context,
    "task": _task,
    "preview": _preview,
    "summary": _summary,
    "compactions": _compactions,
    "view": _view,
    "archive": _archive,
    "auto_on": _auto_on,
}


def open_memory(chat: "ChatScreen", name: str, argument: str) -> bool:
    """Open one of them; False when the name is none, or there is no engine yet."""
    opener = MEMORY.get(name)
    if opener is None or chat.engine is None:
        return False
    opener(chat, chat.engine, argument)
    return True

"""The Textual app: start, theme, title, end. What is heavy is imported after the first paint."""

import asyncio
import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from textual import events, work
from textual.app import App
from textual.worker import WorkerFailed

from neocode.tui.ports import EngineFactory, Surroundings
from neocode.tui.screens.chat import ChatScreen
from neocode.tui.text.clean import one_line
from neocode.tui.themes import PALETTES, chosen, textual_theme

if TYPE_CHECKING:
    from textual.driver import Driver

    from neocode.runtime.api import EngineApi
    from neocode.tui.outside.copier import Copier


_PAINT_S = 0.05


class NeoCodeApp(App[None], inherit_bindings=False):
    """The terminal program.

    make_engine is awaited after the first paint; until it is there, what is sent waits.
    Its errors end the app with a readable cause.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "NeoCode"
    CSS = "ChatScreen { background: $background; color: $foreground; }"

    def __init__(self, make_engine: EngineFactory, around: Surroundings | None = None) -> None:
        super().__init__()
        self.around = around or Surroundings()
        self._make_engine = make_engine
        self.engine: EngineApi | None = None
        self.failure: BaseException | None = None
        self._takes_keys = False
        self._early: list[events.Event] = []
        for palette in PALETTES.values():
            self.register_theme(textual_theme(palette))
        self.use_theme(self.around.theme)
        self._copier: Copier | None = None
        self.chat = ChatScreen(self.around)

    def get_default_screen(self) -> ChatScreen:
        """The chat is there from the first paint on."""
        return self.chat

    def get_driver_class(self) -> "type[Driver]":
        """The platform's driver, made safe against pastes with stray end marks."""
        from neocode.tui.terminal import calm

        return calm(super().get_driver_class())

    def use_theme(self, name: str) -> None:
        """Change the colours: auto, dark, light, ansi or high-contrast."""
        palette = chosen(name, os.environ.get("COLORFGBG", ""))
        self.theme = f"neocode-{palette.name}"

    def use_mouse(self, wanted: bool) -> None:  # a setting, as it is read
        """Take the mouse, or leave it to the terminal."""
        from neocode.tui.terminal import set_mouse

        set_mouse(self._driver, wanted)

    @property
    def copier(self) -> "Copier":
        """Copies text out of the program."""
        if self._copier is None:
            from neocode.tui.outside.copier import Copier

            self._copier = Copier(self._write, self.around.copy_path)
        return self._copier

    async def copy(self, text: str, what: str) -> str:
        """Copy, and say in words where the text is now; also for Ctrl+V in the input."""
        self._clipboard = text
        return await self.copier.copy(text, what)

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual's own widgets call (Ctrl+C, Ctrl+X in the input)."""
        self.run_worker(self.copy(text, "the text"), name="copy")

    def notify_outside(self, words: str) -> None:
        """Bell and OSC 9, for somebody who looks elsewhere."""
        from neocode.tui.outside.notify import notice

        self._write(notice(f"NeoCode {words}", self.copier.ways.wrap))

    async def on_event(self, event: events.Event) -> None:
        """Keys that come before there is an input to take them wait for it.

        Enter typed before the program had the terminal arrives as a line feed.
        """
        if not self._takes_keys and isinstance(event, events.Key | events.Paste):
            enter = isinstance(event, events.Key) and event.key == "ctrl+j"
            self._early.append(events.Key("enter", "\r") if enter else event)
            return
        await super().on_event(event)

    def on_ready(self) -> None:
        """The first paint is done."""
        self._takes_keys = True
        for event in self._early:
            self.post_message(event)
        self._push_title()
        self._catch_signals()
        # what was typed meanwhile is painted before the imports compete with it
        if self._early:
            self.set_timer(_PAINT_S, self._start_engine)
        else:
            self._start_engine()

    @work(exit_on_error=False)
    async def _start_engine(self) -> None:
        """Import what events need, make the engine, show its session."""
        try:
            stage = await asyncio.to_thread(importlib.import_module, "neocode.tui.stage")
            self.engine = await self._make_engine()
            self.chat.attach(stage.ChatStage(self.chat, self.engine))
            self.use_theme(self.engine.config.ui.theme)
            self.use_mouse(self.engine.config.ui.mouse)
        except Exception as error:
            self.failure = error
            self.exit(return_code=_status(error))

    # --- the terminal around it

    def _catch_signals(self) -> None:
        if os.name != "posix" or self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._signalled, number)

    def _signalled(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _push_title(self) -> None:
        self._write("\x1b[22;2t")
        self._show_title()

    def _show_title(self) -> None:
        state = f" · {self.sub_title}" if self.sub_title else ""
        self._write(f"\x1b]2;{one_line(self.title, 80)}{state}\x07")

    def watch_title(self, _: str) -> None:
        """The terminal's title says what is going on."""
        self._show_title()

    def watch_sub_title(self, _: str) -> None:
        """See watch_title."""
        self._show_title()

    def _write(self, sequence: str) -> None:
        if self._driver is not None and self.is_running and not self.is_headless:
            self._driver.write(sequence)

    async def on_unmount(self, _: events.Unmount) -> None:
        """Let go of the session; give the title back."""
        self._write("\x1b[23;2t")
        self.chat.keep_draft()
        if self.engine is not None:
            await self.engine.close()

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours: leave the screen first, run_app says the rest."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        self.failure = self.failure or cause
        super()._handle_exception(error)
        self._exit_renderables.clear()


def _status(error: BaseException) -> int:
    from neocode.domain.errors import ConfigError

    return 2 if isinstance(error, ConfigError) else 1


def run_app(app: NeoCodeApp, *, mouse: bool = True) -> int:
    """Run it to its end; the exit status. A crash is reported in the terminal it left."""
    from neocode.tui.crash import say_farewell

    options: dict[str, Any] = {"mouse": mouse}
    try:
        app.run(**options)
    except Exception as error:
        app.failure = app.failure or error
    failure = app.failure
    if failure is None:
        return app.return_code or 0
    message = getattr(failure, "message", None)
    if message is not None:
        print(f"{message}\n{getattr(failure, 'hint', '')}".strip(), file=sys.stderr)
        return _status(failure)
    say_farewell(failure, app.around.logs_dir)
    return 1

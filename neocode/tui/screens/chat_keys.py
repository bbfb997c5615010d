"""The keys of the chat: what each one asks of the engine, the conversation and the input."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import work
from textual.binding import Binding, BindingType
from textual.screen import Screen

from neocode.tui.keymap import KEYS
from neocode.tui.present import figure
from neocode.tui.rows.marks import NoticeItem
from neocode.tui.widgets.context_bar import StatusLine
from neocode.tui.widgets.prompt import Prompt
from neocode.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from neocode.runtime.api import EngineApi
    from neocode.tui.app import NeoCodeApp
    from neocode.tui.screens.chat import ChatScreen
    from neocode.tui.stage import ChatStage

_LATE = ("escape",)
"""Keys that a focused widget may take first."""


class ChatKeys(Screen[None], inherit_bindings=False):
    """One action a key; keymap.KEYS says which key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.help, show=False, priority=key.keys not in _LATE)
        for key in KEYS
        if key.binds
    ]
    transcript: Transcript
    prompt: Prompt
    status: StatusLine
    stage: "ChatStage | None" = None
    _leaving = False

    @property
    def nc_app(self) -> "NeoCodeApp":
        """The app, by its own type."""
        return cast("NeoCodeApp", self.app)

    @property
    def engine(self) -> "EngineApi | None":
        """The engine once it is there."""
        return self.stage.engine if self.stage is not None else None

    def note(self, words: str, level: str = "info") -> None:
        """A row of our own in the conversation; it is not stored."""
        self.transcript.add(NoticeItem(f"note-{len(self.transcript.items)}", words, level))
        self.transcript.to_end()

    def action_stop(self) -> None:
        """Esc: stop what runs."""
        if self.engine is not None and self.engine.busy:
            self.engine.cancel()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy a selection, else clear the input, else stop, else leave the second time."""
        selected = self.get_selected_text()
        if selected:
            self.copy(selected, "the selection", brief=True)
            self.clear_selection()
        elif self.prompt.text:
            self.prompt.recall.add(self.prompt.take())
        elif self.engine is not None and self.engine.busy:
            self.engine.cancel()
        elif self._leaving:
            self.app.exit()
        else:
            self._leaving = True
            self._flash("Press Ctrl+C again to leave")

    @work(group="copy")
    async def copy(self, text: str, what: str, *, brief: bool = False) -> None:
        """Copy, and say where the text is; brief: in the status line, for a moment."""
        said = await self.nc_app.copier.copy(text, what)
        if brief:
            self._flash(said)
        else:
            self.note(said)

    def on_text_selected(self) -> None:
        """The mouse let go of a selection: it is copied, as terminals do."""
        selected = self.get_selected_text()
        if selected and selected.strip():
            self.copy(selected, f"{figure(len(selected))} characters", brief=True)

    def _flash(self, words: str) -> None:
        self.status.set_flash(words)
        self.set_timer(2.0, self._end_flash)

    def _end_flash(self) -> None:
        self._leaving = False
        self.status.set_flash("")

    def action_cycle_mode(self) -> None:
        """Shift+Tab: the next permission mode."""
        if self.stage is not None:
            self.stage.cycle_mode()

    def action_unfold(self) -> None:
        """Ctrl+O: unfold all tool output and reasoning, or fold it again."""
        foldable = [i for i in self.transcript.items if i.kind in ("tool", "reasoning", "user")]
        unfold = not any(item.unfolded for item in foldable)
        for item in foldable:
            if item.unfolded != unfold:
                item.unfolded = unfold
                item.touch()
        self.transcript.changed()

    def action_todo(self) -> None:
        """Ctrl+T: the todo list."""
        if self.stage is not None:
            self.stage.toggle_todo()

    def action_page(self, direction: int) -> None:
        """PageUp and PageDown: a long question first, else the conversation."""
        if self.stage is None or not self.stage.scroll_question(direction):
            self.transcript.page(direction)

    def action_top(self) -> None:
        """Ctrl+Home."""
        self.transcript.load_all()
        self.transcript.scroll_home(animate=False, immediate=True)

    def action_end(self) -> None:
        """Ctrl+End."""
        self.transcript.to_end()

    def action_summary(self, message_id: str = "") -> None:
        """F2, and the button of a compaction."""
        if self.stage is not None:
            self.stage.open("summary", message_id, "")

    def action_toggle_view(self) -> None:
        """F4: the compacted or the full history."""
        if self.stage is not None:
            self.stage.toggle_view()

    def action_help(self) -> None:
        """F1."""
        self.open("help")

    def action_palette(self) -> None:
        """Ctrl+P."""
        self.open("palette")

    def action_search_history(self) -> None:
        """Ctrl+R."""
        self.open("history")

    def open(self, name: str) -> None:
        """Open a screen that needs no argument."""
        from neocode.tui.openers import open_screen

        open_screen(cast("ChatScreen", self), name, "", "")

    def action_editor(self) -> None:
        """Ctrl+G."""
        from neocode.tui.editor import edit_in_editor

        text, problem = edit_in_editor(self.app, self.prompt.pastes.expand(self.prompt.text))
        if problem:
            self.note(problem, "error")
        self.prompt.fill(text)

    def action_redraw(self) -> None:
        """Ctrl+L."""
        self.refresh(layout=True)

    def action_suspend(self) -> None:
        """Ctrl+Z."""
        self.app.action_suspend_process()

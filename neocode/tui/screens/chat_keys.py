"""The keys of the chat: what each one asks of the engine, the conversation and the input."""

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, cast

from textual import work
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer

from neocode.tui.drafts import Stash
from neocode.tui.keymap import KEYS
from neocode.tui.ports import Surroundings
from neocode.tui.present import figure
from neocode.tui.rows.marks import NoticeItem
from neocode.tui.widgets.context_bar import StatusLine
from neocode.tui.widgets.prompt import Prompt
from neocode.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neocode.runtime.api import EngineApi
    from neocode.tui.app import NeoCodeApp
    from neocode.tui.rows.base import Item
    from neocode.tui.screens.chat import ChatScreen
    from neocode.tui.stage import ChatStage

_LATE = ("escape",)
"""Keys that a focused widget may take first."""


_SOON_S = 0.4


class ChatKeys(Screen[None], inherit_bindings=False):
    """One action a key; keymap.KEYS says which key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.help, show=False, priority=key.keys not in _LATE)
        for key in KEYS
        if key.binds
    ]
    around: Surroundings
    transcript: Transcript
    prompt: Prompt
    status: StatusLine
    stage: "ChatStage | None" = None
    _flash_timer: Timer | None = None
    _later = ("", "")
    _armed = ""
    """What the same key would do when it is pressed again: "leave", "rewind" or ""."""

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

    def note_later(self, words: str, level: str = "info") -> None:
        """A row that belongs below the history that is about to be shown."""
        self._later = (words, level)
        self.set_timer(_SOON_S, self.say_later)

    def say_later(self) -> None:
        """That history is there (or does not come)."""
        later, self._later = self._later, ("", "")
        if later[0]:
            self.note(*later)

    def action_stop(self) -> None:
        """Esc: stop what runs; twice with nothing running and nothing typed: an earlier prompt."""
        if self.engine is not None and self.engine.busy:
            self.engine.cancel()
        elif self.engine is None or self.prompt.text:
            return
        elif self._armed == "rewind":
            self._end_flash()
            self.open("rewind")
        else:
            self._armed = "rewind"
            self._flash("Press Esc again to go back to an earlier prompt")

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
        elif self._armed == "leave":
            self.app.exit()
        else:
            self._armed = "leave"
            self._flash("Press Ctrl+C again to leave")

    @work(group="copy")
    async def copy(self, text: str, what: str, *, brief: bool = False) -> None:
        """Copy, and say where the text is; brief: in the status line, for a moment."""
        said = await self.nc_app.copy(text, what)
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
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(max(2.0, len(words) / 20), self._end_flash)

    def _end_flash(self) -> None:
        self._armed = ""
        self.status.set_flash("")

    def action_cycle_mode(self) -> None:
        """Shift+Tab: the next permission mode."""
        if self.stage is not None:
            self.stage.cycle_mode()

    def action_unfold(self) -> None:
        """Ctrl+O: unfold the newest row on the screen; again: all of them; again: fold all."""
        rows = [i for i in self.transcript.items if i.kind in ("tool", "reasoning", "user")]
        if not any(row.unfolded for row in rows):
            last = self.transcript.last_visible()
            near = [i for i in self.transcript.items[: last + 1] if i in rows and i.foldable]
            self._fold(near[-1:] or rows, unfold=True)
        else:
            self._fold(rows, unfold=not all(row.unfolded for row in rows if row.foldable))

    def action_reasoning(self) -> None:
        """Alt+T: unfold all reasoning, or fold it."""
        rows = [i for i in self.transcript.items if i.kind == "reasoning"]
        if not rows:
            self.note("There is no reasoning in this conversation.")
            return
        self._fold(rows, unfold=not all(row.unfolded for row in rows))

    def _fold(self, rows: "Sequence[Item]", *, unfold: bool) -> None:
        for row in rows:
            if row.unfolded != unfold:
                row.unfolded = unfold
                row.touch()
        self.transcript.changed()

    def action_output(self) -> None:
        """Alt+O: the newest tool output on the screen, whole, in a page."""
        last = self.transcript.last_visible()
        tools = [i for i in self.transcript.items[: last + 1] if i.kind == "tool" and i.copy_text]
        if tools:
            self.open_with("output", tools[-1].key)
        else:
            self.note("There is no tool output above.")

    def action_find(self) -> None:
        """Ctrl+F."""
        self.open("find")

    def action_jump(self, direction: int) -> None:
        """Ctrl+Up and Ctrl+Down: the prompt before or after."""
        self.transcript.jump(direction)

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
        if self.stage is not None:
            self.stage.views.load_archived()
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

    def action_compact(self) -> None:
        """F3: compact the context now."""
        cast("ChatScreen", self).send("/compact")

    def on_transcript_top(self, message: Transcript.Top) -> None:
        """The first row was scrolled to: the archive follows above it."""
        if self.stage is not None and self.stage.views.load_archived() and message.paged:
            self.transcript.page(-1)

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
        self.open_with(name, "")

    def open_with(self, name: str, argument: str) -> None:
        """Open a screen."""
        from neocode.tui.openers import open_screen

        open_screen(cast("ChatScreen", self), name, argument, "")

    def action_editor(self) -> None:
        """Ctrl+G."""
        from neocode.tui.editor import edit_in_editor

        text, problem = edit_in_editor(self.app, self.prompt.pastes.expand(self.prompt.text))
        if problem:
            self.note(problem, "error")
        self.prompt.fill(text)

    def action_stash(self) -> None:
        """Ctrl+S: put the draft aside; on an empty input bring the newest one back."""
        stash = Stash(self.around.drafts_path)
        try:
            if self.prompt.text.strip():
                stash.push(self.prompt.take())
                count = len(stash.drafts)
                self._flash(f"Draft put aside ({count}). Ctrl+S on an empty input brings it back")
            elif text := stash.pop():
                self.prompt.fill(text)
            else:
                self._flash("No draft was put aside. Ctrl+S keeps what stands in the input")
        except OSError as error:
            self.note(f"Drafts cannot be kept: {error}.", "error")

    def keep_draft(self) -> None:
        """The program ends with text in the input: it is a draft for the next time."""
        if self.prompt.text.strip() and self.around.drafts_path is not None:
            with suppress(OSError):
                Stash(self.around.drafts_path).push(self.prompt.pastes.expand(self.prompt.text))

    def action_redraw(self) -> None:
        """Ctrl+L."""
        self.refresh(layout=True)

    def action_suspend(self) -> None:
        """Ctrl+Z."""
        self.app.action_suspend_process()

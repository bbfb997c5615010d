"""The chat screen with its engine: what events show and what keys ask for.

Imported after the first paint, since it needs the vocabulary of events.
"""

from collections.abc import Callable
from time import monotonic

from textual.timer import Timer

from neocode.commands.registry import table_for
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import PermissionRequest, Question, TokenUpdate
from neocode.runtime.api import EngineApi
from neocode.tui.advice import AutoHint
from neocode.tui.bridge import Bridge
from neocode.tui.completing import FileIndex, argument_choices, command_choices
from neocode.tui.files import branch_of
from neocode.tui.openers import argument_values, open_screen
from neocode.tui.pages import todo_lines, token_words
from neocode.tui.present import MODES, Facts, Gauge
from neocode.tui.rows import ask
from neocode.tui.screens.chat import ChatScreen
from neocode.tui.views import HistoryView
from neocode.tui.widgets.ask_panel import AskPanel
from neocode.tui.widgets.completions import Choice, Query

_AFTER_S = 0.2
"""The engine says that a job ends a moment before it is idle; then facts are read again."""


class ChatStage:
    """One per engine."""

    def __init__(self, chat: ChatScreen, engine: EngineApi) -> None:
        self.chat, self.engine = chat, engine
        self.transcript, self.activity = chat.transcript, chat.activity
        self.gauge = Gauge()
        self.views = HistoryView(chat, engine)
        self._hint = AutoHint(engine, chat.transcript)
        self._session = ""
        self._todo: tuple[tuple[str, str], ...] = ()
        self._todo_hidden = False
        self._panels: list[AskPanel] = []
        self._index = FileIndex()
        self._branch = ""
        self.bridge = Bridge(engine, self, show_reasoning=engine.config.ui.show_reasoning)

    def begin(self) -> None:
        """Show the session and listen."""
        self._branch = branch_of(self.engine.root)
        self.chat.prompt.root = self.engine.root
        self.gauge = self._first_gauge()
        self.chat.status.explain = lambda: token_words(self.engine)
        self.reload()
        self.refresh_facts()
        self.chat.run_worker(self.bridge.run(), name="events", exit_on_error=True)

    def _first_gauge(self) -> Gauge:
        model, session = self.engine.model, self.engine.session
        return Gauge(
            used=sum(self.engine.breakdown().values()) if session.messages else 0,
            maximum=model.window if model else 0,
            threshold=self.engine.config.context.auto_compact.threshold_percent,
            compactions=session.compactions,
            cost=session.cost_usd,
        )

    # --- what events ask for (bridge.Stage)

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """A one-shot timer."""
        return self.chat.set_timer(delay, callback)

    def when_painted(self, callback: Callable[[], None]) -> None:
        """After the next paint."""
        self.chat.call_after_refresh(callback)

    def set_interval(self, interval: float, callback: Callable[[], None]) -> Timer:
        """A repeating timer."""
        return self.chat.set_interval(interval, callback)

    def refresh_facts(self, update: TokenUpdate | None = None) -> None:
        """Bar, status line, queue and title, all from the engine's own figures."""
        engine = self.engine
        if update is not None:
            self.gauge = Gauge(
                used=update.used_tokens,
                maximum=update.max_tokens,
                threshold=update.threshold_percent,
                compactions=update.compactions,
                estimated=update.estimated,
                cost=update.cost_usd,
            )
        auto = engine.config.context.auto_compact
        starts = auto.enabled and auto.trigger != "session_input"
        self.gauge = self.gauge._replace(auto=starts)
        self._hint.look(self.gauge)
        model = engine.model.name if engine.model else "no model"
        self.chat.bar.set_gauge(self.gauge, compacting=self.bridge.compacting)
        self.chat.status.set_facts(
            self.gauge, Facts(model, engine.mode, self._branch, engine.agent)
        )
        self.chat.queue_list.set_queue(engine.queue if engine.busy else ())
        state = {"run": "working", "compact": "compacting"}.get(engine.busy, "")
        if self._panels:
            state = "waits for you"
        self.chat.app.sub_title = state
        self.chat.app.title = engine.session.title or "NeoCode"

    def ask_permission(self, request: PermissionRequest) -> None:
        """A panel with the whole command or the diff."""
        self._ask(
            AskPanel(
                "permission",
                request.request_id,
                ask.permission_blocks(request, self.engine.root),
                ask.permission_options(request.rule, hard=request.hard),
                hard=request.hard,
                guard_until=self._guard(),
                hint="Digit, or Up/Down and Enter · y once · a always · n or Esc: no"
                if not request.hard
                else "Digit, or Up/Down and Enter · n or Esc: no",
            )
        )

    def ask_question(self, question: Question) -> None:
        """A panel with the model's question."""
        self.activity.begin("Waiting for your answer", stops=False)
        self.attention("asks a question")
        self._ask(
            AskPanel(
                "question",
                question.request_id,
                ask.question_blocks(question),
                ask.question_options(question),
                guard_until=self._guard(),
                hint="Digit, or Up/Down and Enter · o: your own words · Esc: no answer",
            )
        )

    def _guard(self) -> float:
        return monotonic() + self.chat.around.approval_guard_s

    def _ask(self, panel: AskPanel) -> None:
        self._panels.append(panel)
        if len(self._panels) == 1:
            self._mount(panel)

    def _mount(self, panel: AskPanel) -> None:
        self.chat.completions.close()
        self.chat.prompt.completing = False
        self.chat.mount(panel, before=self.chat.bar)
        panel.focus()

    def drop_question(self, request_id: str) -> None:
        """Take panels away; the input gets the focus back."""
        gone = [p for p in self._panels if request_id in ("", p.request_id)]
        self._panels = [p for p in self._panels if p not in gone]
        for panel in gone:
            if panel.is_attached:
                panel.remove()
        if self._panels and not self._panels[0].is_attached:
            self._mount(self._panels[0])
        elif gone and not self._panels:
            self.chat.prompt.focus()

    def answer(self, message: AskPanel.Answered) -> None:
        """Pass an answer on; no answer to a permission is no."""
        option, words = message.option, message.words
        self.drop_question(message.request_id)
        if message.kind == "question":
            text = words if option is None else option.answer or words
            self.engine.answer_question(message.request_id, text)
        elif option is None:
            self.engine.answer_permission(message.request_id, "no")
        else:
            self.engine.answer_permission(message.request_id, ask.answer_of(option), words)

    def scroll_question(self, direction: int) -> bool:
        """Scroll an open question's text; False when there is nothing to scroll."""
        return bool(self._panels) and self._panels[0].scroll_text(direction)

    def show_todo(self, items: tuple[tuple[str, str], ...]) -> None:
        """The model's list, newest state."""
        self._todo = items
        self._draw_todo()

    def toggle_todo(self) -> None:
        """Show or hide it."""
        if not self._todo:
            self.chat.note("The todo list is empty. The model fills it in longer tasks.")
            return
        self._todo_hidden = not self._todo_hidden
        self._draw_todo()

    def _draw_todo(self) -> None:
        lines = [] if self._todo_hidden else todo_lines(self._todo)
        self.chat.todo.show(lines)

    def reload(self) -> None:
        """Rows of the session in front."""
        if self.engine.session.id != self._session:
            self._session = self.engine.session.id
            self.views.opened()
        self.views.reload()
        self.show_todo(())
        self.chat.say_later()

    def mark_boundary(self) -> None:
        """From where the model still sees."""
        self.views.compacted()

    def attention(self, words: str) -> None:
        """Ring when the window is not looked at."""
        self.chat.set_timer(_AFTER_S, self.refresh_facts)
        app = self.chat.app
        if not app.app_focus and self.engine.config.ui.bell:
            self.chat.nc_app.notify_outside(words)
        self._branch = branch_of(self.engine.root)

    # --- what keys ask for

    def submit(self, text: str) -> None:
        """A prompt, sent or queued."""
        if self.engine.model is None and not text.startswith("!"):
            self.chat.note(
                "There is no model yet. The five lines above say how to get one.", "error"
            )
            self.chat.prompt.fill(text)
            return
        self.engine.submit(text)
        self.transcript.to_end()

    def cycle_mode(self) -> None:
        """The next mode."""
        at = MODES.index(self.engine.mode)
        self.engine.set_mode(MODES[(at + 1) % len(MODES)])  # type: ignore[arg-type]
        self.refresh_facts()

    def toggle_view(self) -> None:
        """The other view of the history."""
        if not self.engine.session.compactions:
            self.chat.note("Nothing was compacted in this session: this is the full history.")
            return
        self.views.switch("full" if self.views.name == "compacted" else "compacted")

    def choices(self, query: Query) -> list[Choice]:
        """Completions for a query; files are read in a thread the first time."""
        if query.kind == "command":
            return command_choices(query.letters, table_for(self.engine).commands)
        if query.kind == "argument":
            return self._arguments(query)
        if not self._index.loaded:
            self._index.loaded = True
            self.chat.run_worker(self._read_files, thread=True, name="files")
            return []
        return self._index.choices(query.letters)

    def _arguments(self, query: Query) -> list[Choice]:
        command = table_for(self.engine).find(query.command)
        values = argument_values(self.engine, command.name if command else "")
        found, hint = argument_choices(query.letters, command, values)
        if not found:
            self.chat.completions.hint(query, hint)
        return found

    def _read_files(self) -> None:
        self._index.read(self.engine.root)
        self.chat.app.call_from_thread(self._files_read)

    def _files_read(self) -> None:
        self.chat.completions.query_now = None
        self.chat.on_prompt_edited()

    def open(self, name: str, argument: str, text: str) -> None:
        """A screen by its name; errors of the engine become words."""
        try:
            open_screen(self.chat, name, argument, text)
        except NeoCodeError as error:
            self.chat.note(f"{error.message} {error.hint}".strip(), "error")

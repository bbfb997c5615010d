"""The conversation and the input: lays them out, turns keys into calls on the engine."""

import re
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.widgets import Input

from neocode.tui.drafts import append_history, read_history
from neocode.tui.ports import Surroundings
from neocode.tui.screens.chat_keys import ChatKeys
from neocode.tui.widgets.activity import Activity, QueueList
from neocode.tui.widgets.completions import Completions, query_at
from neocode.tui.widgets.context_bar import ContextBar, StatusLine
from neocode.tui.widgets.line_view import LineView
from neocode.tui.widgets.prompt import Prompt
from neocode.tui.widgets.row_strip import is_safe
from neocode.tui.widgets.span_lines import SpanLines
from neocode.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from neocode.tui.screens.finding import Finding
    from neocode.tui.stage import ChatStage
    from neocode.tui.widgets.ask_panel import AskPanel
    from neocode.tui.widgets.find_bar import FindBar

_COMMAND = re.compile(r"/[A-Za-z][\w:-]*(?:\s|$)")


class ChatScreen(ChatKeys):
    """The screen that is there from the first paint on."""

    CSS = "ChatScreen { layout: vertical; } #todo { display: none; }"

    def __init__(self, around: Surroundings) -> None:
        super().__init__()
        self.around = around
        self.stage: ChatStage | None = None
        self.finding: Finding | None = None
        self.unsent: list[str] = [around.prompt] if around.prompt.strip() else []
        self.transcript = Transcript(id="transcript")
        self.activity = Activity()
        self.todo = SpanLines(id="todo")
        self.queue_list = QueueList()
        self.completions = Completions()
        self.bar = ContextBar()
        self.prompt = Prompt()
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Conversation, what goes on, what waits, completions, bar, input, status."""
        yield self.transcript
        yield self.activity
        yield self.todo
        yield self.queue_list
        yield self.completions
        yield self.bar
        yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        """The input has the focus from the first paint on."""
        self.prompt.focus()
        if self.around.history_path is not None:
            self.call_after_refresh(self._read_history)

    def _read_history(self) -> None:
        if self.around.history_path is not None:
            self.prompt.recall.entries[:0] = read_history(self.around.history_path)

    def attach(self, stage: "ChatStage") -> None:
        """The engine is ready: send what was typed before."""
        self.stage = stage
        stage.begin()
        unsent, self.unsent = self.unsent, []
        self.queue_list.set_queue(())
        for text in unsent:
            self.send(text)

    # --- sending

    def on_prompt_sent(self, message: Prompt.Sent) -> None:
        """Enter: send, or steer with what waits when nothing was typed."""
        engine = self.engine
        if not message.text.strip():
            if engine is not None and engine.queue and engine.busy:
                newest = len(engine.queue) - 1
                text = engine.queue[newest]
                engine.edit_queue(newest, None)
                engine.steer(text)
            return
        text = self.prompt.take()
        self._remember(text)
        self.completions.close()
        self.send(text)

    def _remember(self, text: str) -> None:
        self.prompt.recall.add(text)
        if self.around.history_path is not None:
            try:
                append_history(self.around.history_path, text)
            except OSError as error:
                words = f"The prompt history cannot be written: {error}. Nothing else is affected."
                self.note(words, "warning")

    def send(self, text: str) -> None:
        """A command, a shell line or a prompt; kept until the engine is there."""
        if self.stage is None:
            self.unsent.append(text)
            self.queue_list.set_queue(self.unsent, "is sent when everything is loaded")
        elif _COMMAND.match(text) and "\n" not in text.strip():
            self.run_command(text.strip())
        else:
            self.stage.submit(text)

    @work
    async def run_command(self, line: str) -> None:
        """Run a slash command and show what it gave back."""
        from neocode.commands.registry import run_command

        if self.stage is None:
            return
        before = self.stage.engine.session.id
        result = await run_command(self.stage.engine, line)
        self.stage.refresh_facts()
        if result.fill:
            self.prompt.fill(result.fill)
        if result.show:
            self.stage.open(result.show, result.argument, result.text)
        elif result.text and self.stage.engine.session.id != before:
            self.note_later(result.text, result.level)
        elif result.text:
            self.note(result.text, result.level)

    def on_prompt_unqueue(self) -> None:
        """Up on an empty prompt."""
        engine = self.engine
        if engine is not None and engine.queue:
            self._edit_waiting(len(engine.queue) - 1)
        else:
            self.prompt.older()

    def on_prompt_left(self) -> None:
        """Ctrl+D on an empty prompt."""
        self.app.exit()

    def _edit_waiting(self, index: int) -> None:
        engine = self.engine
        if engine is not None and index < len(engine.queue):
            text = engine.queue[index]
            engine.edit_queue(index, None)
            self.prompt.fill(text)

    # --- completion

    def on_prompt_edited(self) -> None:
        """Offer commands after "/", files after "@"."""
        query = query_at(self.prompt.before_cursor, self.prompt.text)
        if query is None or (self.prompt.recall.active and query.kind == "command"):
            if self.completions.lines:
                self.completions.close()
        elif self.stage is not None and query != self.completions.query_now:
            choices = self.stage.choices(query)
            if choices or query.kind != "argument":
                self.completions.open_for(query, choices)
        self.prompt.completing = self.completions.is_open

    def on_prompt_wanted(self, message: Prompt.Wanted) -> None:
        """A key for the open completion list."""
        if not self.completions.is_open:
            # it closed while the key was on its way: Enter means what it always means
            self.prompt.completing = False
            if message.key == "enter":
                self.prompt.enter()
            return
        match message.key:
            case "up" | "down":
                self.completions.move(1 if message.key == "down" else -1)
            case "escape":
                query = self.completions.query_now
                self.completions.close()
                self.completions.query_now = query
                self.prompt.completing = False
            case "enter" if self._is_whole_line():
                self.completions.close()
                self.prompt.completing = False
                self.prompt.post_message(Prompt.Sent(self.prompt.text.strip()))
            case key:
                self.complete(self.completions.marked, run=key == "enter")

    def _is_whole_line(self) -> bool:
        """Enter sends an argument as it was typed unless a choice was moved to."""
        query = self.completions.query_now
        return query is not None and query.kind == "argument" and not self.completions.moved

    def complete(self, index: int, *, run: bool = False) -> None:
        """Put a choice in; with Enter a command that is whole is sent at once."""
        query, choice = self.completions.query_now, self.completions.choices[index]
        if query is None:
            return
        self.completions.close()
        self.prompt.completing = False
        gap = "" if choice.text.endswith((" ", "/")) else " "
        self.prompt.replace_before_cursor(query.taken, choice.text + gap)
        whole = not choice.text.endswith(" ") or query.letters == choice.text[1:].rstrip()
        if run and (query.kind == "argument" or (query.kind == "command" and whole)):
            self.prompt.post_message(Prompt.Sent(self.prompt.text.strip()))

    # --- the search in the conversation

    def find_in(self, words: str) -> None:
        """Open the search with these words; once more: the next older place."""
        if self.finding is not None:
            self.finding.step(-1)
            return
        from neocode.tui.screens.finding import Finding

        self.finding = Finding(self, words)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Other words to find."""
        if self.finding is not None and event.input.id == "words":
            self.finding.look_for(event.value)

    def on_find_bar_stepped(self, message: "FindBar.Stepped") -> None:
        """Another place, or the end of the search."""
        if self.finding is None:
            return
        if message.step:
            self.finding.step(message.step)
        else:
            self.finding.close()
            self.finding = None

    # --- clicks

    def on_span_lines_acted(self, message: SpanLines.Acted) -> None:
        """A click in a bar or a list."""
        self.act(message.action)

    def on_line_view_acted(self, message: LineView.Acted) -> None:
        """A click in the conversation."""
        if message.action == "fold":
            message.item.unfolded = not message.item.unfolded
            message.item.touch()
            self.transcript.changed(message.item)
        else:
            self.act(message.action)

    def act(self, action: str) -> None:
        """What a clickable word stands for."""
        kind, _, rest = action.partition(":")
        match kind:
            case "command":
                self.send(rest)
            case "summary":
                self.action_summary(rest)
            case "mode":
                self.action_cycle_mode()
            case "context":
                self.send("/context")
            case "end":
                self.transcript.to_end()
            case "unqueue" if self.engine is not None:
                self.engine.edit_queue(int(rest), None)
            case "choose":
                self.complete(int(rest))
            case "view":
                self.action_toggle_view()
            case "archive" | "auto_on":
                self.open(kind)
            case "link" if is_safe(rest):
                self.app.open_url(rest)
            case "output":
                self.open_with("output", rest)

    def on_transcript_followed(self) -> None:
        """The end went out of view, or new text came below it."""
        self.activity.set_news(self.transcript.news)

    def on_ask_panel_answered(self, message: "AskPanel.Answered") -> None:
        """A question was answered."""
        if self.stage is not None:
            self.stage.answer(message)

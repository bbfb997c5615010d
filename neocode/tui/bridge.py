"""Engine events to the screen: reads the one stream, in order, and owns the live rows."""

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from textual.timer import Timer

from neocode.domain import events as ev
from neocode.domain.messages import Message
from neocode.runtime.api import EngineApi
from neocode.tui.compacting import CompactionRows
from neocode.tui.rows.history import finish_tool, message_items
from neocode.tui.rows.marks import NoticeItem
from neocode.tui.rows.talk import AnswerItem, ReasoningItem
from neocode.tui.rows.tools import ToolItem
from neocode.tui.widgets.activity import Activity
from neocode.tui.widgets.transcript import Transcript

FLUSH_S = 0.05
"""Least time between two redraws of a streaming answer; longer when drawing is slow."""


_MOST_COST_S = 0.1


class Stage(Protocol):
    """What the bridge needs of the chat screen besides its widgets."""

    transcript: Transcript
    activity: Activity

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """A one-shot timer."""
        ...

    def when_painted(self, callback: Callable[[], None]) -> None:
        """Call once what has changed is on the screen."""
        ...

    def set_interval(self, interval: float, callback: Callable[[], None]) -> Timer:
        """A repeating timer."""
        ...

    def ask_permission(self, request: ev.PermissionRequest) -> None:
        """Show a permission request."""
        ...

    def ask_question(self, question: ev.Question) -> None:
        """Show the model's question."""
        ...

    def drop_question(self, request_id: str) -> None:
        """A question was answered or has gone ("" for all of them)."""
        ...

    def refresh_facts(self, update: ev.TokenUpdate | None = None) -> None:
        """Draw bar, status line, queue and title again."""
        ...

    def show_todo(self, items: tuple[tuple[str, str], ...]) -> None:
        """The model's todo list changed."""
        ...

    def reload(self) -> None:
        """Another history is in front."""
        ...

    def mark_boundary(self) -> None:
        """Show from where the model still sees."""
        ...

    def attention(self, words: str) -> None:
        """Something ended or waits: ring when nobody looks."""
        ...


class Bridge:
    """One per engine; run() ends when the engine closes its stream."""

    def __init__(self, engine: EngineApi, stage: Stage, *, show_reasoning: bool) -> None:
        self._engine, self._stage, self._show_reasoning = engine, stage, show_reasoning
        self._stream = engine.subscribe()
        self._answer: AnswerItem | None = None
        self._reasoning: ReasoningItem | None = None
        self._thought_since = 0.0
        self._text, self._thought = "", ""
        self._flush_timer: Timer | None = None
        self._cost = 0.0
        self._count = 0
        self._compactions = CompactionRows(engine, stage, self._key)

    @property
    def compacting(self) -> bool:
        """Whether a compaction is going on, by the events so far."""
        return self._compactions.running

    async def run(self) -> None:
        """Handle every event from the moment this bridge was made."""
        async for event in self._stream:
            self.handle(event)

    def handle(self, event: ev.RuntimeEvent) -> None:
        """One event; kinds that are no text end the piece of text before them."""
        match event:
            case ev.TextDelta(text=text):
                self._text += text
                self._flush_soon()
                return
            case ev.ReasoningDelta(text=text):
                self._thought += text
                self._flush_soon()
                return
            case ev.TokenUpdate():
                self._stage.refresh_facts(event)
                return
        self.flush()
        if isinstance(event, (ev.CompactStart, ev.CompactDone, ev.CompactError)):
            self._compactions.show(event)
        elif isinstance(event, (ev.ToolCallEvent, ev.ToolOutput, ev.ToolResultEvent)):
            self._tool(event)
        else:
            self._other(event)

    def _other(self, event: ev.RuntimeEvent) -> None:
        stage = self._stage
        match event:
            case ev.RunStarted():
                stage.activity.begin("Working", restart=True)
            case ev.MessageEvent(message=message):
                self._message(message)
            case ev.PermissionRequest():
                self._waiting(event.call.id)
                stage.ask_permission(event)
            case ev.PermissionDecision():
                self._decided(event)
            case ev.Question():
                stage.ask_question(event)
            case ev.Retry():
                self._compactions.retry(event)
            case ev.NoticeEvent():
                self._add(NoticeItem(self._key(), event.message, event.level))
            case ev.RunFinished():
                self._finish(event)
            case ev.RunError():
                self._add(NoticeItem(self._key(), event.message, "error", event.hint))
            case ev.TodoUpdate(items=items):
                stage.show_todo(items)
            case ev.SessionChanged(reason=reason):
                self._changed(reason)
        stage.refresh_facts()

    def _changed(self, reason: str) -> None:
        if reason in ("opened", "undo", "redo", "rewind"):
            self._answer = self._reasoning = None
            self._stage.reload()
        elif reason == "compacted":
            self._stage.mark_boundary()

    def _key(self) -> str:
        self._count += 1
        return f"live-{self._count}"

    def _add(self, item: NoticeItem) -> None:
        self._stage.transcript.add(item)

    # --- text

    def _flush_soon(self) -> None:
        if self._flush_timer is None:
            delay = max(FLUSH_S, 3 * self._cost)
            self._flush_timer = self._stage.set_timer(delay, self.flush)

    def flush(self) -> None:
        """Draw what has come since the last time."""
        if self._flush_timer is not None:
            self._flush_timer.stop()
            self._flush_timer = None
        if not (self._text or self._thought):
            return
        began = perf_counter()
        if self._thought:
            self._grow_reasoning()
        if self._text:
            self._grow_answer()
        self._stage.when_painted(lambda: self._painted(perf_counter() - began))

    def _painted(self, seconds: float) -> None:
        """What a redraw costs, painting included, as a mean over the last few."""
        self._cost += (min(seconds, _MOST_COST_S) - self._cost) / 4

    def _grow_reasoning(self) -> None:
        transcript = self._stage.transcript
        if self._reasoning is None:
            self._reasoning = ReasoningItem(self._key(), unfolded=self._show_reasoning)
            self._thought_since = perf_counter()
            transcript.add(self._reasoning)
            self._stage.activity.begin("Thinking")
        self._reasoning.append(self._thought)
        self._reasoning.touch()
        self._thought = ""
        transcript.changed(self._reasoning)

    def _grow_answer(self) -> None:
        transcript = self._stage.transcript
        self._end_reasoning()
        if self._answer is None:
            if not self._text.strip():
                return
            self._answer = AnswerItem(self._key())
            transcript.add(self._answer)
            self._stage.activity.begin("Writing")
        self._answer.append(self._text)
        self._text = ""
        transcript.changed(self._answer)

    def _end_reasoning(self) -> None:
        if self._reasoning is not None:
            self._reasoning.finish(perf_counter() - self._thought_since)
            self._stage.transcript.changed(self._reasoning)
            self._reasoning = None

    def _message(self, message: Message) -> None:
        transcript = self._stage.transcript
        if message.role == "tool" or transcript.find(message.id) is not None:
            return
        if message.role == "user":
            for item in message_items(message, {}, show_reasoning=False):
                transcript.add(item)
            transcript.to_end()
            return
        self._end_reasoning()
        self._text = ""
        answer, self._answer = self._answer, None
        if answer is None:
            if message.content.strip():
                transcript.add(AnswerItem(message.id, message.content))
            return
        answer.interrupted = bool(message.metadata.get("interrupted"))
        transcript.rename(answer, message.id)
        answer.settle(message.content)
        transcript.changed(answer)

    # --- tools

    def _tool(self, event: ev.ToolCallEvent | ev.ToolOutput | ev.ToolResultEvent) -> None:
        transcript, activity = self._stage.transcript, self._stage.activity
        match event:
            case ev.ToolCallEvent(call=call, summary=summary):
                self._end_reasoning()
                item = ToolItem(call.id, call.name, summary)
                transcript.add(item)
                activity.begin(f"Running {call.name}")
            case ev.ToolOutput(call_id=call_id, text=text):
                self._on_tool(call_id, lambda item: item.add_output(text))
            case ev.ToolResultEvent(message=message, duration_s=seconds):
                call_id = message.tool_call_id or ""
                self._on_tool(call_id, lambda item: finish_tool(item, message, seconds))
                if activity.words:
                    activity.begin("Working")

    def _on_tool(self, call_id: str, change: Callable[[ToolItem], None]) -> None:
        item = self._stage.transcript.find(call_id)
        if isinstance(item, ToolItem):
            change(item)
            self._stage.transcript.changed(item)

    def _waiting(self, call_id: str) -> None:
        self._on_tool(call_id, ToolItem.wait)
        self._stage.activity.begin("Waiting for your answer", stops=False)
        self._stage.attention("asks for permission")

    def _decided(self, event: ev.PermissionDecision) -> None:
        self._on_tool(event.call_id, ToolItem.resume)
        self._stage.drop_question(event.request_id)
        if self._stage.activity.words:
            self._stage.activity.begin("Working")

    # --- ends

    def _finish(self, event: ev.RunFinished) -> None:
        stage = self._stage
        self._compactions.settle()
        self._end_reasoning()
        self._answer = None
        stage.activity.end()
        stage.drop_question("")
        words = {
            "cancelled": "Stopped. What was written so far is kept.",
            "max_turns": "Stopped: the limit of model calls for one run is reached.",
            "max_cost": "Stopped: the cost limit is reached.",
            "refused": "The model refused to answer.",
        }.get(event.stop_reason)
        if words:
            self._add(NoticeItem(self._key(), words, "warning"))
        stage.attention("is done")

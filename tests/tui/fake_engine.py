"""A small engine for the screen: it does what a test tells it, keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from neocode.compact.result import Preview
from neocode.config.schema import Config, Mode
from neocode.domain import events as ev
from neocode.domain.checkpoints import Conflict, FileDiff, OnConflict, RewindPoint, Rewound
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.prompt_command import PromptCommand
from neocode.domain.session import CompactionRecord, Hit, Notice, SessionInfo, SessionState
from neocode.domain.task_state import TaskState
from neocode.domain.tooling import Access, ToolSpec
from neocode.domain.usage import Usage
from neocode.runtime.compaction import Wanted
from neocode.runtime.doctor import Finding
from neocode.runtime.figures import ContextFigures

AT = "2026-11-30T10:00:00.000000Z"
SONNET = ModelInfo(name="sonnet", id="anthropic/claude-sonnet-4-5", window=200_000)


def message(number: int, role: str, content: str, **more: object) -> Message:
    """A message with id m_<number>."""
    return Message(id=f"m_{number}", created_at=AT, role=role, content=content, **more)  # type: ignore[arg-type]


@dataclass
class FakeEngine:
    """Implements EngineApi; emit() is what a real one would do by itself.

    echo: a submitted prompt starts a run (RunStarted and the user's message) at once.
    """

    root: Path = Path("/repo")
    config: Config = field(default_factory=Config)
    model: ModelInfo | None = SONNET
    models: Sequence[ModelInfo] = (SONNET,)
    mode: Mode = "ask"
    agent: str = ""
    busy: str = ""
    queue: tuple[str, ...] = ()
    tools: Sequence[ToolSpec] = ()
    session: SessionState = field(
        default_factory=lambda: SessionState(id="s_1", cwd="/repo", created_at=AT, updated_at=AT)
    )
    config_file: Path = Path("/home/me/config.yaml")
    history: list[Message] = field(default_factory=list)
    stored_notices: list[Notice] = field(default_factory=list)
    records: list[CompactionRecord] = field(default_factory=list)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    echo: bool = True
    _streams: list[asyncio.Queue[ev.RuntimeEvent | None]] = field(default_factory=list)
    _count: int = 100

    def subscribe(self) -> AsyncIterator[ev.RuntimeEvent]:
        """Every event from now on."""
        queue: asyncio.Queue[ev.RuntimeEvent | None] = asyncio.Queue()
        self._streams.append(queue)
        return self._read(queue)

    async def _read(
        self, queue: asyncio.Queue[ev.RuntimeEvent | None]
    ) -> AsyncIterator[ev.RuntimeEvent]:
        while (event := await queue.get()) is not None:
            yield event

    def emit(self, event_class: type[ev.Event], **fields: object) -> None:
        """Publish an event of this session."""
        event = event_class(session_id=self.session.id, at=AT, **fields)
        for queue in self._streams:
            queue.put_nowait(event)  # type: ignore[arg-type]

    # --- what a test makes happen

    def user(self, text: str) -> None:
        """A prompt is on disk and its run begins."""
        self._count += 1
        self.busy = "run"
        self._keep(message(self._count, "user", text))
        self.emit(ev.RunStarted, prompt=text, message_id=f"m_{self._count}", model="sonnet")

    def say(self, text: str, *, pieces: int = 0) -> None:
        """The model answers; in so many pieces first when pieces is set."""
        size = max(1, len(text) // pieces) if pieces else len(text)
        for at in range(0, len(text), size) if pieces else ():
            self.emit(ev.TextDelta, text=text[at : at + size])
        self._count += 1
        self._keep(message(self._count, "assistant", text))

    def call(self, call_id: str, name: str, summary: str, arguments: str = "{}") -> None:
        """The model calls a tool."""
        call = ToolCall(id=call_id, name=name, arguments=arguments)
        self.emit(ev.ToolCallEvent, call=call, summary=summary)

    def result(self, call_id: str, name: str, content: str, **metadata: object) -> None:
        """A tool's result; is_error and seconds are taken out of metadata."""
        self._count += 1
        error, seconds = bool(metadata.pop("is_error", False)), metadata.pop("seconds", 0.12)
        made = message(
            self._count, "tool", content, tool_call_id=call_id, tool_name=name, is_error=error,
            metadata=dict(metadata),
        )  # fmt: skip
        self._keep(made, announce=False)
        self.emit(ev.ToolResultEvent, message=made, duration_s=seconds)

    def permission(
        self, request_id: str, kind: str, target: str, detail: str = "", **more: object
    ) -> None:
        """The run waits for the user."""
        call = ToolCall(id=str(more.pop("call_id", "c1")), name=kind, arguments="{}")
        access = Access(kind=kind, tool="bash" if kind == "run" else "edit", target=target)  # type: ignore[arg-type]
        fields = {"reason": "", "hard": False, "rule": "", "detail": detail} | more
        self.emit(ev.PermissionRequest, request_id=request_id, call=call, access=access, **fields)

    def tokens(self, used: int, **more: object) -> None:
        """The next request has this size."""
        fields: dict[str, object] = {
            "input_tokens": used, "output_tokens": 200, "total_tokens": used + 200, "api_calls": 1,
            "cached_tokens": 0, "max_tokens": 200_000, "percent": used / 2000,
            "threshold_percent": 70, "estimated": True, "cost_usd": 0.0123, "compactions": 0,
        }  # fmt: skip
        self.emit(ev.TokenUpdate, used_tokens=used, **(fields | more))

    def finish(self, stop_reason: str = "done") -> None:
        """The turn is the user's again."""
        self.busy = ""
        self.emit(
            ev.RunFinished, stop_reason=stop_reason, answer="", usage=Usage(), cost_usd=0.0,
            tool_calls=0, compactions=0,
        )  # fmt: skip

    def _keep(self, made: Message, *, announce: bool = True) -> None:
        self.history.append(made)
        self.session = self.session.append(made)
        if announce:
            self.emit(ev.MessageEvent, message=made)

    # --- what the screen asks for

    def submit(self, text: str, images: tuple[Image, ...] = ()) -> None:
        """Kept in asked; starts a run, or waits while one goes on."""
        self.asked.append(("submit", text))
        if self.busy:
            self.queue += (text,)
            self.emit(ev.QueueUpdate, items=self.queue)
        elif self.echo:
            self.user(text)

    def steer(self, text: str) -> None:
        """Kept."""
        self.asked.append(("steer", text))

    def edit_queue(self, index: int, text: str | None) -> None:
        """Change or remove a waiting message."""
        items = list(self.queue)
        if index < len(items):
            items[index : index + 1] = [] if text is None else [text]
        self.queue = tuple(items)
        self.emit(ev.QueueUpdate, items=self.queue)

    def cancel(self) -> None:
        """Kept; ends a run or a compaction as a real one would."""
        self.asked.append(("cancel",))
        if self.busy == "compact":
            self.busy = ""
            self.emit(ev.CompactError, trigger_mode="manual", reason="cancelled", message="stopped")
        elif self.busy:
            self.finish("cancelled")

    def answer_permission(self, request_id: str, answer: ev.Answer, note: str = "") -> None:
        """Kept; the decision is announced."""
        self.asked.append(("permission", request_id, answer, note))
        self.emit(
            ev.PermissionDecision, request_id=request_id, call_id="c1", answer=answer,
            decided_by="user", note=note,
        )  # fmt: skip

    def answer_question(self, request_id: str, text: str) -> None:
        """Kept."""
        self.asked.append(("question", request_id, text))

    def preview_compaction(
        self, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> Preview:
        """Kept; all but the last messages would be archived."""
        self.asked.append(("preview", focus, strategy, keep))
        left = 2 if keep is None else keep
        messages = self.session.messages
        return Preview(
            strategy=strategy if strategy and strategy != "extractive" else "keep_recent",
            archived=messages[:-left], kept=messages[-left:], shortened=0, tokens_before=98_000,
            tokens_after=12_400, model="sonnet", request_tokens=80_000, form="flattened",
            cost_usd=0.27, next_cost_before=0.294, next_cost_after=0.037,
        )  # fmt: skip

    def compact(
        self, *, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> None:
        """Kept; begins."""
        self.asked.append(("compact", focus))
        self.busy = "compact"
        self.emit(ev.CompactStart, trigger_mode="manual", strategy="keep_recent")

    def compacted(self, **more: object) -> None:
        """A compaction ends well: all but the last two messages are archived."""
        self.busy = ""
        kept = self.session.messages[-2:]
        self.session = replace(self.session, messages=kept, compactions=1)
        fields: dict[str, object] = {
            "trigger_mode": "manual", "strategy": "keep_recent", "applied": True,
            "removed_count": 42, "tokens_before": 98_000, "tokens_after": 12_400,
            "summary_message_id": "m_sum", "transcript_path": "/data/t.jsonl", "duration_s": 6.2,
        }  # fmt: skip
        self.emit(ev.CompactDone, **(fields | more))

    def set_mode(self, mode: Mode) -> None:
        """Change it."""
        self.mode = mode

    def set_model(self, name: str) -> None:
        """Kept."""
        self.asked.append(("model", name))

    def set_agent(self, name: str) -> None:
        """Change it."""
        self.agent = name

    async def new_session(self) -> None:
        """An empty one."""
        self.history = []
        self.session = SessionState(id="s_2", cwd="/repo", created_at=AT, updated_at=AT)
        self.emit(ev.SessionChanged, reason="opened")

    async def open_session(self, session_id: str) -> None:
        """Kept."""
        self.asked.append(("open", session_id))

    async def rename(self, title: str) -> None:
        """Change the title."""
        self.session = replace(self.session, title=title)
        self.emit(ev.SessionChanged, reason="renamed")

    async def set_task_state(self, state: TaskState) -> None:
        """Change it."""
        self.session = replace(self.session, task_state=state)

    async def edit_task_state(self, edit: Callable[[TaskState], TaskState]) -> TaskState:
        """Change it."""
        await self.set_task_state(edit(self.session.task_state))
        return self.session.task_state

    async def recall(self, text: str, *, everywhere: bool = False) -> Sequence[Hit]:
        """Kept; nothing is found."""
        self.asked.append(("recall", text, everywhere))
        return ()

    async def record(self, handle: str) -> Message | None:
        """From the history."""
        return next((m for m in self.history if m.id == handle), None)

    @property
    def base_config(self) -> Config:
        """No profile is in force here."""
        return self.config

    def reload_config(self) -> None:
        """Kept."""
        self.asked.append(("reload",))

    def full_history(self) -> Sequence[Message]:
        """Everything."""
        return self.history

    def notices(self) -> Sequence[Notice]:
        """What was stored."""
        return self.stored_notices

    def compactions(self) -> Sequence[CompactionRecord]:
        """What was done."""
        return self.records

    def breakdown(self) -> dict[str, int]:
        """Some figures."""
        return {"system_prompt": 1800, "tools": 1150, "messages": 9200, "tool_results": 31000}

    def figures(self) -> ContextFigures:
        """Some figures."""
        parts = self.breakdown()
        return ContextFigures(
            parts=parts, next_request=sum(parts.values()), estimated=True, session_input=61_000,
            window=200_000, window_is_guessed=False, percent=21.6, threshold=140_000,
            auto=self.config.context.auto_compact, auto_paused=False, cleared=3,
            cleared_tokens=9_000, turns_left=12, forecast_of="automatic compaction",
        )  # fmt: skip

    def costs(self) -> dict[str, tuple[Usage, float | None]]:
        """Some figures."""
        return {"answers": (Usage(input_tokens=90_000, output_tokens=4_000, api_calls=7), 0.33)}

    async def idle(self) -> None:
        """Nothing runs here by itself."""

    async def undo_compaction(self) -> None:
        """Kept."""
        self.asked.append(("undo",))

    async def redo_compaction(self) -> None:
        """Kept."""
        self.asked.append(("redo",))

    @property
    def prompt_commands(self) -> Sequence[PromptCommand]:
        """None."""
        return []

    @property
    def command_notes(self) -> Sequence[str]:
        """None."""
        return []

    async def examine(self) -> Sequence[Finding]:
        """All is well."""
        return [Finding("python", True, "3.11")]

    async def export(self, style: str, path: Path) -> Path:
        """Kept."""
        self.asked.append(("export", style, path))
        return path

    def sessions(self, limit: int = 50) -> Sequence[SessionInfo]:
        """None."""
        return ()

    async def rewind_points(self) -> Sequence[RewindPoint]:
        """Every prompt of the history; files are what a test gave."""
        return [
            RewindPoint(
                message_id=m.id, created_at=AT, prompt=m.content, files=self.files.get(m.id, ())
            )
            for m in self.history
            if m.role == "user"
        ]

    async def rewind(
        self,
        message_id: str,
        *,
        conversation: bool = True,
        files: bool = True,
        on_conflict: OnConflict = "stop",
    ) -> Rewound:
        """Kept; conflicts stop it once when a test gave some."""
        self.asked.append(("rewind", message_id, conversation, files, on_conflict))
        at = next(i for i, m in enumerate(self.history) if m.id == message_id)
        prompt = self.history[at].content
        if files and self.conflicts and on_conflict == "stop":
            return Rewound(done=False, prompt=prompt, conflicts=self.conflicts)
        if conversation:
            self.history = self.history[:at]
            self.session = replace(self.session, messages=tuple(self.history))
            self.emit(ev.SessionChanged, reason="rewind")
        restored = ("src/a.py",) if files else ()
        left = self.conflicts if files and on_conflict == "keep" else ()
        return Rewound(done=True, prompt=prompt, restored=restored, conflicts=left)

    async def file_diffs(self) -> Sequence[FileDiff]:
        """None."""
        return ()

    async def fork(self) -> None:
        """Kept."""
        self.asked.append(("fork",))

    async def close(self) -> None:
        """End every stream."""
        for queue in self._streams:
            queue.put_nowait(None)

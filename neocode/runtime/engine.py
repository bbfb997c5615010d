"""The engine: one session, one thing at a time, everything said in events.

Prompts, shell lines and compactions are jobs. One job runs; what is typed meanwhile
waits in the inbox and goes out once each, in order, when the job ends, however it ends.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from neocode.compact.result import Preview
from neocode.config.schema import Mode
from neocode.domain.checkpoints import OnConflict, Rewound
from neocode.domain.errors import ConfigError
from neocode.domain.events import (
    Answer,
    NoticeEvent,
    QueueUpdate,
    RunError,
    RuntimeEvent,
    SessionChanged,
)
from neocode.domain.messages import Image
from neocode.domain.task_state import TaskState
from neocode.runtime.approvals import Decision, Tickets
from neocode.runtime.compaction import Wanted, Wish
from neocode.runtime.facts import Facts
from neocode.runtime.inbox import Prompt

log = logging.getLogger(__name__)
Job = Callable[[], Awaitable[object]]
T = TypeVar("T")


@dataclass(slots=True)
class Engine(Facts):
    """Implements runtime/api.EngineApi; the work itself is in Jobs."""

    permission_tickets: Tickets[Decision]
    question_tickets: Tickets[str]
    busy: str = ""
    _worker: asyncio.Task[None] | None = None
    _job: asyncio.Future[object] | None = None
    _compact_next: Job | None = None
    _between: deque[tuple[str, Job, "asyncio.Future[Any]"]] = field(default_factory=deque)

    def subscribe(self) -> AsyncIterator[RuntimeEvent]:
        """Every event from now on, beginning with the figures of the next request."""
        reader = self.bus.subscribe()
        self.jobs.refresh()
        return reader

    # --- what the user does

    def submit(self, text: str, images: tuple[Image, ...] = ()) -> None:
        """Send or queue a prompt or a "!" shell line."""
        self.inbox.waiting.append(Prompt(text, images))
        self._wake()

    def steer(self, text: str) -> None:
        """Put text before the model's next call."""
        self.inbox.steering.append(Prompt(text))
        self._wake()

    def edit_queue(self, index: int, text: str | None) -> None:
        """Change or remove a waiting message."""
        self.inbox.edit(index - len(self.inbox.steering), text)
        self._tell_queue()

    def cancel(self) -> None:
        """Stop the job that runs."""
        if self._job is not None:
            self._job.cancel()

    def compact(
        self, *, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> None:
        """A manual compaction: now, or as soon as the run has ended."""
        if self.busy == "compact" or self._compact_next is not None:
            self._notice("compact_skipped", "A compaction is already running or waiting.")
            return
        wish = Wish(focus, strategy, keep)
        self._compact_next = lambda: self.jobs.compact(wish)
        if self.busy:
            self._notice("compact_waits", "The context is compacted as soon as this run ends.")
        self._wake()

    def answer_permission(self, request_id: str, answer: Answer, note: str = "") -> None:
        """Answer a permission request."""
        self.permission_tickets.answer(request_id, Decision(answer, note))

    def answer_question(self, request_id: str, text: str) -> None:
        """Answer a question."""
        self.question_tickets.answer(request_id, text)

    def reload_config(self) -> None:
        """Read a changed configuration now, unless a job runs: the next run reads it."""
        if not self.busy and self.settings.refresh():
            self.jobs.apply_policy()
            self.jobs.refresh()

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode."""
        self.settings.chosen_mode = mode
        self.jobs.apply_policy()

    def set_model(self, name: str) -> None:
        """Change the model."""
        self.settings.choose_model(name)
        self.jobs.refresh()

    def set_agent(self, name: str) -> None:
        """Change the agent profile."""
        self.settings.choose_agent(name)
        self.jobs.apply_policy()
        self.jobs.refresh()

    async def new_session(self) -> None:
        """Begin an empty session."""
        await self._leave()
        await self.jobs.new_session()
        self._changed("opened")

    async def open_session(self, session_id: str) -> None:
        """Continue another session."""
        await self._leave()
        await self.jobs.open_session(session_id)
        self._changed("opened")

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        await self.jobs.live.change(lambda now: replace(now, title=title))
        self._changed("renamed")

    async def set_task_state(self, state: TaskState) -> None:
        """Replace the TaskState by the user's edit."""
        await self.edit_task_state(lambda _: state)

    async def edit_task_state(self, edit: Callable[[TaskState], TaskState]) -> TaskState:
        """Change the TaskState as it is when a compaction that goes on has ended."""
        if self.jobs.compactor.is_running:
            self._notice("change_waits", "The change is made as soon as this compaction ends.")
        await self.jobs.edit_task_state(edit)
        self._changed("task_state")
        return self.session.task_state

    def preview_compaction(
        self, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> Preview:
        """What a manual compaction would do now."""
        return self.jobs.compactor.preview(Wish(focus, strategy, keep))

    async def undo_compaction(self) -> None:
        """Take the newest compaction back."""
        await self._step_compaction("undo")

    async def redo_compaction(self) -> None:
        """Bring back the compaction undone last."""
        await self._step_compaction("redo")

    async def rewind(
        self,
        message_id: str,
        *,
        conversation: bool = True,
        files: bool = True,
        on_conflict: OnConflict = "stop",
    ) -> Rewound:
        """Back to before a prompt, between two jobs."""
        told: Rewound = await self._alone(
            "rewind",
            lambda: self.jobs.rewind(
                message_id, conversation=conversation, files=files, on_conflict=on_conflict
            ),
        )
        if told.done and conversation:
            self._changed("rewind")
        return told

    async def fork(self) -> None:
        """Go on in a copy of this session."""
        await self._leave()
        await self.jobs.fork_session()
        self._changed("opened")

    async def _alone(self, kind: str, job: Callable[[], Awaitable[T]]) -> T:
        """The result of a short job that is not to be stopped half-way.

        It runs when what runs now has ended, before what waits to be sent.
        """
        if self.busy:
            self._notice("change_waits", f"The {kind} follows as soon as this {self.busy} ends.")
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            done = asyncio.ensure_future(job())
            while not done.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([done])
            error = done.exception()
            if result.done():
                return
            if error is not None:
                result.set_exception(error)
            else:
                result.set_result(done.result())

        self._between.append((kind, run, result))
        self._wake()
        return await result

    async def _step_compaction(self, step: Literal["undo", "redo"]) -> None:
        if self._worker is not None:
            self._notice("compact_waits", f"The {step} follows as soon as all that runs has ended.")
        await self.idle()
        await self.jobs.step_compaction(step)
        self._changed(step)

    # --- its life

    async def idle(self) -> None:
        """Wait until nothing runs and nothing waits."""
        while self._worker is not None:
            await asyncio.wait([self._worker])

    async def close(self) -> None:
        """Stop what runs and let go of the session."""
        self.inbox.waiting.clear()
        self.inbox.steering.clear()
        await self._leave()
        await self.jobs.close()
        self.bus.close()

    async def _leave(self) -> None:
        self._compact_next = None
        while self._between:
            self._between.popleft()[2].cancel()
        self.cancel()
        await self.idle()

    def _wake(self) -> None:
        self._tell_queue()
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        try:
            while (kind_and_job := self._next_job()) is not None:
                self.busy, job = kind_and_job
                self._job = asyncio.ensure_future(job())
                await asyncio.wait([self._job])
                self._report(self._job)
                self._job = None
                self.busy = ""
        finally:
            self._worker = None

    def _report(self, job: "asyncio.Future[object]") -> None:
        """A job says itself what failed; what it let through is a bug and must be seen."""
        if not job.cancelled() and (error := job.exception()) is not None:
            log.error("job failed", exc_info=error)
            message = f"{type(error).__name__}: {error}"
            self.bus.publish(RunError(kind="internal", message=message, hint=""))

    def _next_job(self) -> tuple[str, Job] | None:
        if self._compact_next is not None:
            job, self._compact_next = self._compact_next, None
            return "compact", job
        if self._between:
            kind, job, _ = self._between.popleft()
            return kind, job
        prompt = self.inbox.next()
        if prompt is None:
            return None
        self._tell_queue()
        self._reload_configuration()
        return "run", lambda: self.jobs.prompt(prompt)

    def _reload_configuration(self) -> None:
        try:
            if self.settings.refresh():
                self.jobs.apply_policy()
        except ConfigError as error:
            self._notice(
                "config_error",
                f"{error.message}\nThe settings read before stay in force.",
            )

    def _tell_queue(self) -> None:
        self.bus.publish(QueueUpdate(items=self.inbox.texts))

    def _notice(self, kind: str, message: str) -> None:
        self.bus.publish(NoticeEvent(kind=kind, message=message, level="warning"))

    def _changed(self, reason: str) -> None:
        self.bus.session_id = self.session.id
        self.bus.publish(SessionChanged(reason=reason))  # type: ignore[arg-type]
        self.jobs.refresh()

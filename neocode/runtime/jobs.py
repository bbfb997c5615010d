"""What the engine can be told to do with the session in front: run, compact, change."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from neocode.config.schema import Config
from neocode.context.budget import usable_window
from neocode.context.validate import pair_up
from neocode.domain.checkpoints import OnConflict, Rewound
from neocode.domain.errors import ConfigError, NeoCodeError, PermanentError, StoreError
from neocode.domain.events import (
    NoticeEvent,
    RunError,
    RuntimeEvent,
)
from neocode.domain.messages import ToolCall
from neocode.domain.prompt_command import PromptCommand
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState
from neocode.permissions.policy import Policy
from neocode.provider.base import Provider
from neocode.runtime import tasks
from neocode.runtime.around import Around
from neocode.runtime.bus import Bus
from neocode.runtime.compaction import Compactor, Wish
from neocode.runtime.doctor import Finding
from neocode.runtime.figures import ContextFigures, Spending, context_figures, costs_of
from neocode.runtime.fitting import Fitting
from neocode.runtime.inbox import Inbox, Prompt
from neocode.runtime.live import LiveSession
from neocode.runtime.loop import run_prompt
from neocode.runtime.past.going_back import Past
from neocode.runtime.prompt_commands import PromptCommands, wider
from neocode.runtime.recalling import Recalling
from neocode.runtime.run import Limits, Run
from neocode.runtime.settings import Settings
from neocode.runtime.shell_line import run_shell_line
from neocode.runtime.store_port import Store
from neocode.runtime.tool_calls import Permissions, ToolRunner
from neocode.runtime.turn import Turn
from neocode.tools.base import ToolContext
from neocode.tools.registry import Registry


@runtime_checkable
class Closable(Protocol):
    """A provider that holds something: the embedded model's process."""

    def close(self) -> None:
        """Let go of it."""
        ...


class Lock(Protocol):
    """The right to write to a session."""

    def release(self) -> None:
        """Give it back."""
        ...


@dataclass(slots=True)
class Jobs:
    """The session in front and the jobs that can be done with it.

    lock: takes the right to write to a session; None when another program has it.
    make_policy: the permission policy of a configuration and mode.
    at_first_prompt: asks once about a folder that is not yet trusted.
    """

    live: LiveSession
    store: Store
    provider: Provider
    registry: Registry
    settings: Settings
    around: Around
    compactor: Compactor
    permissions: Permissions
    inbox: Inbox
    bus: Bus
    root: Path
    make_context: Callable[[ToolCall, int], ToolContext]
    make_policy: Callable[[Config, str, Policy | None], Policy]
    lock: Callable[[str], Lock | None]
    at_first_prompt: Callable[[], Awaitable[None]]
    fitting: Fitting
    recalling: Recalling
    past: Past
    prompt_commands: PromptCommands
    examine: Callable[[], Sequence[Finding]]
    limits: Limits = field(default_factory=Limits)
    _held: Lock | None = None

    # --- jobs

    async def prompt(self, prompt: Prompt) -> None:
        """One prompt's run, or the user's own "!" shell line."""
        if prompt.text.startswith("!") and prompt.text[1:].strip():
            await self.shell(prompt.text[1:].strip())
            return
        await self.at_first_prompt()
        fitted = await self.fitting.fit(prompt)
        if fitted is None:
            return
        self.store.add_input(prompt.text)
        self.compactor.new_run()
        called = self.prompt_commands.find(prompt.text)
        if called is None:
            await run_prompt(self._run(), fitted)
        else:
            await self._run_as_asked(called[0], fitted)

    async def _run_as_asked(self, command: PromptCommand, prompt: Prompt) -> None:
        """A run with the model and the mode that a command file names, for this once."""
        mode: Any = command.mode or None
        if mode and command.origin == "project" and wider(mode, self.settings.mode):
            self.emit(
                NoticeEvent(
                    kind="command_mode",
                    message=f"/{command.name} of this project asks for mode {mode}, which is "
                    f"wider than yours; it runs in {self.settings.mode}.",
                    level="warning",
                )
            )
            mode = None
        try:
            with self.settings.overridden(command.model, mode):
                self.apply_policy()
                await run_prompt(self._run(), prompt)
        except ConfigError as error:
            self.fail(NeoCodeError(f"/{command.name}: {error.message}", hint=error.hint))
        finally:
            self.apply_policy()
            self.refresh()

    async def shell(self, line: str) -> None:
        """A line that the user typed: it runs without a question, and enters the chat."""
        tool = self.registry.get("bash")
        if tool is None:
            raise PermanentError("There is no shell tool.", kind="bad_request")
        call = ToolCall(id="user_shell", name="bash", arguments="")
        context = self.make_context(call, self.settings.config.tools.limits.result_tokens)
        await run_shell_line(line, tool, call, context, self.live, self.emit)
        self.refresh()

    async def compact(self, wish: Wish) -> None:
        """A manual compaction."""
        await self.compactor.manual(wish)

    async def step_compaction(self, step: str) -> None:
        """undo or redo; raises StoreError when there is nothing to."""
        move = self.store.undo_compaction if step == "undo" else self.store.redo_compaction
        async with self.live.held:
            self.live.state = move(self.live.state.id)
        self.around.measure_again()

    async def rewind(
        self, message_id: str, *, conversation: bool, files: bool, on_conflict: OnConflict
    ) -> Rewound:
        """Back to before a prompt; raises NeoCodeError, and the conversation stays then."""
        async with self.live.held:
            told, state = await asyncio.to_thread(
                self.past.rewind,
                self.live.state.id,
                message_id,
                conversation=conversation,
                files=files,
                on_conflict=on_conflict,
            )
            if state is not None:
                self.live.state = state
        self.around.measure_again()
        return told

    async def edit_task_state(self, edit: Callable[[TaskState], TaskState]) -> None:
        """The user's edit, checked and stamped; raises NeoCodeError where it is over a limit."""

        def change(state: SessionState) -> SessionState:
            made = replace(tasks.check(edit(state.task_state)), last_updated_at=self.live.clock())
            return replace(state, task_state=made)

        await self.live.change(change)

    # --- sessions

    async def new_session(self) -> None:
        """An empty session in front; nothing is written before its first message."""
        state = self.store.create(cwd=str(self.root), agent=self.settings.agent)
        self._front(state, self.lock(state.id))

    async def open_session(self, session_id: str, *, may_copy: bool = True) -> None:
        """Another session in front; a copy when another program is writing to it.

        Raises StoreError where that is so and no copy is wanted.

        A call that never got its result, because the program was killed, gets one now.
        """
        found = self.store.resolve(session_id)
        held = self.lock(found)
        if held is None and not may_copy:
            raise StoreError(
                f"Session {found} is open in another neocode.",
                hint="Do it there (/compact), or leave it there first.",
            )
        if held is None:
            state = self.store.fork(found)
            self._front(state, self.lock(state.id))
            self.emit(
                NoticeEvent(
                    kind="session_copied",
                    message=f"Another NeoCode is working in session {found}; this is a copy, "
                    f"{state.id}.",
                    level="warning",
                )
            )
        else:
            self._front(self.store.load(found), held)
        await self._mend()

    async def fork_session(self) -> None:
        """A copy of the session under a new id in front; raises NeoCodeError without messages."""
        if not self.live.state.messages:
            raise NeoCodeError("There is nothing to copy yet: this session is empty.")
        state = self.store.fork(self.live.state.id)
        self._front(state, self.lock(state.id))

    async def view_session(self, session_id: str) -> None:
        """A session in front to be looked at only: without its lock, and mended nowhere."""
        self._front(self.store.load(self.store.resolve(session_id)), None)

    def store_latest(self) -> str | None:
        """The newest session of this folder."""
        return self.store.latest(str(self.root))

    async def close(self) -> None:
        """Let go of the session, of the database, and of a model server of ours."""
        if isinstance(self.provider, Closable):
            await asyncio.to_thread(self.provider.close)
        if self._held is not None:
            self._held.release()
            self._held = None
        self.store.close()

    def _front(self, state: SessionState, held: Lock | None) -> None:
        if self._held is not None:
            self._held.release()
        self._held = held
        self.live.state = state
        self.bus.session_id = state.id
        self.around.measure_again()

    async def _mend(self) -> None:
        messages = self.live.state.messages
        _, repairs = pair_up(messages)
        last_reply = next((m.id for m in reversed(messages) if m.role == "assistant"), "")
        stubs = [r.stub for r in repairs if r.stub is not None and r.message_id == last_reply]
        if stubs and not any(m.role == "user" for m in messages[_index(messages, last_reply) :]):
            await self.live.append(*stubs)

    # --- what is

    def apply_policy(self) -> None:
        """Configuration or mode changed: judge by the new ones; the session's rules stay."""
        self.permissions.policy = self.make_policy(
            self.settings.config, self.settings.mode, self.permissions.policy
        )

    def refresh(self) -> None:
        """Publish the figures of the next request."""
        self.around.refresh()

    def breakdown(self) -> dict[str, int]:
        """Tokens of the next request by part."""
        return dict(self.around.look().tokens)

    def costs(self) -> dict[str, Spending]:
        """Usage and cost of the session by kind."""
        state = self.live.state
        return costs_of(
            state,
            self.store.compactions(state.id),
            self.store.notices(state.id),
            self.store.messages(state.id, "full"),
        )

    def figures(self) -> ContextFigures:
        """The context in figures."""
        model, counter = self.settings.model, self.around.counter
        return context_figures(
            self.live.state,
            self.around.look(),
            self.settings.config.context.auto_compact,
            lambda message: counter.count_message(message, model.id if model else ""),
            usable=usable_window(model.window, model.max_output) if model else 0,
            is_guessed=model is not None and model.window_source == "default",
        )

    def emit(self, event: RuntimeEvent) -> None:
        """Publish an event."""
        self.bus.publish(event)

    def fail(self, error: NeoCodeError) -> None:
        """Say an error that belongs to no run."""
        self.emit(RunError(kind="failed", message=error.message, hint=error.hint))

    def _run(self) -> Run:
        tools = ToolRunner(
            registry=self.registry,
            live=self.live,
            permissions=self.permissions,
            emit=self.emit,
            make_context=self.make_context,
            result_tokens=self.settings.config.tools.limits.result_tokens,
        )
        return Run(
            live=self.live,
            turn=Turn(self.provider, self.settings.config.retry, self.emit),
            tools=tools,
            inbox=self.inbox,
            around=self.around,
            shrinker=self.compactor,
            emit=self.emit,
            limits=self.limits,
        )


def _index(messages: tuple[object, ...], message_id: str) -> int:
    ids = [getattr(message, "id", "") for message in messages]
    return ids.index(message_id) if message_id in ids else len(ids)

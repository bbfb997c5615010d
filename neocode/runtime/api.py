"""What a front end may call, and nothing else: the engine seen from outside.

A front end reads events (subscribe) and calls these methods. It keeps no session state
of its own: what it shows comes from events and from the read-only properties.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol

from neocode.compact.result import Preview
from neocode.config.schema import Config, Mode
from neocode.domain.checkpoints import FileDiff, OnConflict, RewindPoint, Rewound
from neocode.domain.events import Answer, RuntimeEvent
from neocode.domain.messages import Image, Message
from neocode.domain.model import ModelInfo
from neocode.domain.prompt_command import PromptCommand
from neocode.domain.session import CompactionRecord, Hit, Notice, SessionInfo, SessionState
from neocode.domain.task_state import TaskState
from neocode.domain.tooling import ToolSpec
from neocode.runtime.compaction import Wanted
from neocode.runtime.doctor import Finding
from neocode.runtime.figures import ContextFigures, Spending


class EngineApi(Protocol):
    """One engine drives one session at a time; all methods belong to its event loop."""

    @property
    def session(self) -> SessionState:
        """The session in front (compacted view)."""
        ...

    @property
    def config(self) -> Config:
        """The configuration in force."""
        ...

    @property
    def base_config(self) -> Config:
        """The configuration in force, without what the agent profile overrides."""
        ...

    def reload_config(self) -> None:
        """Read a changed configuration now, if nothing runs; else the next run does.

        Raises ConfigError when it cannot be used; the old one stays in force then.
        """
        ...

    @property
    def root(self) -> Path:
        """The project folder, real path."""
        ...

    @property
    def config_file(self) -> Path:
        """The user's configuration file, whether it exists or not."""
        ...

    @property
    def model(self) -> ModelInfo | None:
        """The model that answers; None until one is set up."""
        ...

    @property
    def models(self) -> Sequence[ModelInfo]:
        """Every model that could be chosen now."""
        ...

    @property
    def mode(self) -> Mode:
        """The permission mode in force."""
        ...

    @property
    def agent(self) -> str:
        """Name of the agent profile in force, or ""."""
        ...

    @property
    def busy(self) -> str:
        """ "": idle, "run": a run is going on, "compact": a compaction is."""
        ...

    @property
    def queue(self) -> tuple[str, ...]:
        """What waits to be sent."""
        ...

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools offered to the model."""
        ...

    def subscribe(self) -> AsyncIterator[RuntimeEvent]:
        """Every event from now on, in order. Never blocks the engine."""
        ...

    def submit(self, text: str, images: tuple[Image, ...] = ()) -> None:
        """Send a prompt, or queue it while something runs. "!line" runs a shell line."""
        ...

    def steer(self, text: str) -> None:
        """Put text before the model's next call of the running run; submit when idle."""
        ...

    def edit_queue(self, index: int, text: str | None) -> None:
        """Change a waiting message; None removes it. A stale index is ignored."""
        ...

    def cancel(self) -> None:
        """Stop the run or the compaction; partial text stays, calls get results."""
        ...

    def answer_permission(self, request_id: str, answer: Answer, note: str = "") -> None:
        """Answer a PermissionRequest; a stale id is ignored. note goes to the model."""
        ...

    def answer_question(self, request_id: str, text: str) -> None:
        """Answer a Question; a stale id is ignored."""
        ...

    def compact(
        self, *, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> None:
        """Start a manual compaction; one that runs already makes this a notice.

        strategy: "extractive" asks no model. keep: messages that keep_recent leaves.
        """
        ...

    def preview_compaction(
        self, focus: str = "", strategy: Wanted | None = None, keep: int | None = None
    ) -> Preview:
        """What compact with these would do; writes nothing, asks nobody.

        Raises CompactFailure (a NeoCodeError) where it would fail before its request.
        """
        ...

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode from the next call on."""
        ...

    def set_model(self, name: str) -> None:
        """Change the model from the next request on; raises NeoCodeError when unknown."""
        ...

    def set_agent(self, name: str) -> None:
        """Change the agent profile ("" for none); raises NeoCodeError when unknown."""
        ...

    async def new_session(self) -> None:
        """Leave this session and begin an empty one."""
        ...

    async def open_session(self, session_id: str) -> None:
        """Continue another session; raises StoreError when there is none."""
        ...

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        ...

    async def set_task_state(self, state: TaskState) -> None:
        """Replace the TaskState by the user's own edit; raises as edit_task_state does."""
        ...

    async def edit_task_state(self, edit: Callable[[TaskState], TaskState]) -> TaskState:
        """Edit the TaskState (runtime/tasks has the edits); returns what is now.

        edit gets the state as it is once a compaction that goes on has ended. Raises
        NeoCodeError when edit does, or when the state would be over a limit.
        """
        ...

    def full_history(self) -> Sequence[Message]:
        """Every message of the session in order of time (view "full")."""
        ...

    def notices(self) -> Sequence[Notice]:
        """Stored notices, to be shown between the messages."""
        ...

    def compactions(self) -> Sequence[CompactionRecord]:
        """Compactions of the session, oldest first, undone ones included."""
        ...

    async def recall(self, text: str, *, everywhere: bool = False) -> Sequence[Hit]:
        """Search this session's archived and cleared text; everywhere: all of all sessions."""
        ...

    async def record(self, handle: str) -> Message | None:
        """The whole record of a message's or tool call's id, or None; SESSION/ID elsewhere."""
        ...

    def breakdown(self) -> dict[str, int]:
        """Estimated tokens of the next request by part (spec/context 4)."""
        ...

    def figures(self) -> ContextFigures:
        """The context in figures: parts, sums, thresholds, forecast (/context)."""
        ...

    def costs(self) -> dict[str, Spending]:
        """Usage and cost by kind: answers, compactions, failed tries, all."""
        ...

    async def idle(self) -> None:
        """Wait until nothing runs and nothing waits to be sent."""
        ...

    async def undo_compaction(self) -> None:
        """Take the newest compaction back, once nothing runs; StoreError when there is none."""
        ...

    async def redo_compaction(self) -> None:
        """Bring back the compaction undone last, likewise; StoreError when there is none."""
        ...

    @property
    def prompt_commands(self) -> Sequence[PromptCommand]:
        """Slash commands from the user's and the project's files, as they are now.

        submit("/name words") of one is spelled out when its turn has come.
        """
        ...

    @property
    def command_notes(self) -> Sequence[str]:
        """Which command files were not taken, and why; a line each."""
        ...

    async def examine(self) -> Sequence[Finding]:
        """The checks of `neocode doctor`."""
        ...

    async def export(self, style: str, path: Path) -> Path:
        """Write the session (jsonl, md, html; masked) to a file, or into a folder; where it is.

        Raises NeoCodeError when the file is there already, or cannot be written.
        """
        ...

    def sessions(self, limit: int = 50) -> Sequence[SessionInfo]:
        """Sessions of all folders, newest first."""
        ...

    async def rewind_points(self) -> Sequence[RewindPoint]:
        """The prompts that can be gone back to, oldest first, archived ones included."""
        ...

    async def rewind(
        self,
        message_id: str,
        *,
        conversation: bool = True,
        files: bool = True,
        on_conflict: OnConflict = "stop",
    ) -> Rewound:
        """Go back to before a prompt: the conversation, the files our tools changed, or both.

        It runs when what runs now has ended, before what waits (busy is "rewind" then). With
        on_conflict "stop", conflicts are named and nothing is changed: ask, then call again.
        Raises NeoCodeError when there is no such prompt, or a file cannot be brought back.
        """
        ...

    async def file_diffs(self) -> Sequence[FileDiff]:
        """What became of the files since this session's tools first changed them (/diff)."""
        ...

    async def fork(self) -> None:
        """Stop what runs and go on in a copy of this session under a new id."""
        ...

    async def close(self) -> None:
        """Stop what runs, keep everything, let go of the session."""
        ...

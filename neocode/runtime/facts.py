"""What a front end may look at: the session, the settings, the past (half of runtime/api)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neocode.config.schema import Config, Mode
from neocode.domain.checkpoints import FileDiff, RewindPoint
from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.prompt_command import PromptCommand
from neocode.domain.session import CompactionRecord, Hit, Notice, SessionInfo, SessionState
from neocode.domain.tooling import ToolSpec
from neocode.runtime.bus import Bus
from neocode.runtime.doctor import Finding
from neocode.runtime.figures import ContextFigures, Spending
from neocode.runtime.inbox import Inbox
from neocode.runtime.jobs import Jobs
from neocode.runtime.settings import Settings


@dataclass(slots=True)
class Facts:
    """The read-only part of the engine."""

    jobs: Jobs
    settings: Settings
    bus: Bus
    inbox: Inbox

    # --- what is

    @property
    def session(self) -> SessionState:
        """The session in front."""
        return self.jobs.live.state

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self.settings.config

    @property
    def base_config(self) -> Config:
        """The configuration without an agent profile."""
        return self.settings.base

    @property
    def config_file(self) -> Path:
        """The user's configuration file."""
        return self.settings.config_file

    @property
    def root(self) -> Path:
        """The project folder."""
        return self.jobs.root

    @property
    def model(self) -> ModelInfo | None:
        """The model that answers."""
        return self.settings.model

    @property
    def models(self) -> Sequence[ModelInfo]:
        """Every usable model."""
        return self.settings.models

    @property
    def mode(self) -> Mode:
        """The permission mode."""
        return self.settings.mode

    @property
    def agent(self) -> str:
        """The agent profile, or ""."""
        return self.settings.agent

    @property
    def queue(self) -> tuple[str, ...]:
        """What waits."""
        return self.inbox.texts

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools offered."""
        return self.jobs.registry.specs()

    # --- what was

    def full_history(self) -> Sequence[Message]:
        """Every message in order of time."""
        return self.jobs.store.messages(self.session.id, "full")

    def notices(self) -> Sequence[Notice]:
        """Stored notices."""
        return self.jobs.store.notices(self.session.id)

    def compactions(self) -> Sequence[CompactionRecord]:
        """Compactions, oldest first."""
        return self.jobs.store.compactions(self.session.id)

    async def recall(self, text: str, *, everywhere: bool = False) -> Sequence[Hit]:
        """Search archived and cleared text, or all sessions."""
        recalling = self.jobs.recalling
        find = recalling.search_everywhere if everywhere else recalling.search
        return await asyncio.to_thread(find, text)

    async def record(self, handle: str) -> Message | None:
        """One whole record by id."""
        return await asyncio.to_thread(self.jobs.recalling.record, handle)

    @property
    def prompt_commands(self) -> Sequence[PromptCommand]:
        """Slash commands from the user's and the project's files."""
        return self.jobs.prompt_commands.commands

    @property
    def command_notes(self) -> Sequence[str]:
        """Which command files were not taken, and why."""
        return self.jobs.prompt_commands.notes

    async def examine(self) -> Sequence[Finding]:
        """The checks of `neocode doctor`."""
        return await asyncio.to_thread(self.jobs.examine)

    async def export(self, style: str, path: Path) -> Path:
        """Write the session to a file."""
        if not self.session.messages:
            raise NeoCodeError("There is nothing to export yet: this session is empty.")
        return await asyncio.to_thread(self.jobs.past.export, self.session.id, style, path)

    def sessions(self, limit: int = 50) -> Sequence[SessionInfo]:
        """Sessions of all folders, newest first."""
        return self.jobs.store.list(limit)

    async def rewind_points(self) -> Sequence[RewindPoint]:
        """The prompts that can be gone back to, oldest first."""
        return await asyncio.to_thread(self.jobs.past.points, self.session.id)

    async def file_diffs(self) -> Sequence[FileDiff]:
        """What became of the files that this session's tools changed."""
        return await asyncio.to_thread(self.jobs.past.diffs, self.session.id)

    def breakdown(self) -> dict[str, int]:
        """Tokens of the next request by part."""
        return self.jobs.breakdown()

    def figures(self) -> ContextFigures:
        """The context in figures."""
        return self.jobs.figures()

    def costs(self) -> dict[str, Spending]:
        """Usage and cost by kind."""
        return self.jobs.costs()

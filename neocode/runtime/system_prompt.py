"""The parts of the system prompt: read afresh where they may change, else taken once."""

import datetime
from dataclasses import dataclass
from pathlib import Path

from neocode.context.sources import (
    SystemParts,
    base_prompt,
    gather_environment,
    read_instructions,
)
from neocode.runtime.live import LiveSession
from neocode.runtime.settings import Settings
from neocode.runtime.trusting import FolderTrust


@dataclass(slots=True)
class SystemPrompt:
    """The parts of the system prompt; the environment is taken once a session."""

    root: Path
    live: LiveSession
    settings: Settings
    trust: FolderTrust
    _environment: tuple[str, str] = ("", "")

    def parts(self) -> SystemParts:
        """For the next request."""
        session_id = self.live.state.id
        if self._environment[0] != session_id:
            today = datetime.date.today().isoformat()
            self._environment = (session_id, gather_environment(self.root, today))
        allowed = self.trust.instructions_allowed
        profile = next(
            (a for a in self.settings.config.agents if a.name == self.settings.agent), None
        )
        return SystemParts(
            base=base_prompt(),
            environment=self._environment[1],
            instructions=read_instructions(self.root).text if allowed else "",
            agent=(profile.instructions or "") if profile else "",
        )

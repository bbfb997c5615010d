"""A folder's own instructions and configuration: shown and asked about once (spec/safety)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from neocode.context.sources import read_instructions
from neocode.domain.events import NoticeEvent, RuntimeEvent

YES = "trust this folder"
NO = "ignore what it brings"
SHOWN_CHARS = 1200


@dataclass(slots=True)
class FolderTrust:
    """May this folder's instructions go into the prompt, its configuration into force?

    Without a screen nobody can be asked: instructions, which are only text, are used and
    named; the folder's configuration and commands are not.

    answer: the user's stored answer, None when not asked yet. record: stores one.
    """

    root: Path
    answer: Callable[[], bool | None]
    record: Callable[[bool], None]
    interactive: bool
    ask: Callable[[str, tuple[str, ...]], Awaitable[str]]
    emit: Callable[[RuntimeEvent], None]
    settled: bool = False

    @property
    def configuration_allowed(self) -> bool:
        """The folder's .neocode/ may be read."""
        return self.answer() is True

    @property
    def instructions_allowed(self) -> bool:
        """AGENTS.md and its kin may be read."""
        answer = self.answer()
        return answer is True or (answer is None and not self.interactive)

    async def settle(self) -> None:
        """Before the first prompt: ask, if there is something to ask about."""
        if self.settled or self.answer() is not None:
            return
        self.settled = True
        brought = self._brought()
        if not brought:
            return
        listed = ", ".join(path.name if path.parent == self.root else str(path) for path in brought)
        if not self.interactive:
            self.emit(
                NoticeEvent(
                    kind="untrusted_folder",
                    message=f"This folder is not yet trusted: of {listed} only the instructions "
                    "are used. Answer once in the screen (`neocode`) to trust it.",
                )
            )
            return
        text = read_instructions(self.root).text
        shown = text[:SHOWN_CHARS] + ("\n[...]" if len(text) > SHOWN_CHARS else "")
        answer = await self.ask(
            f"This folder brings its own instructions for the agent: {listed}.\n\n{shown}\n\n"
            "Should they be followed? You are asked once.",
            (YES, NO),
        )
        self.record(answer == YES)

    def _brought(self) -> list[Path]:
        own = self.root / ".neocode"
        configured = [own] if own.is_dir() else []
        return [*read_instructions(self.root).files, *configured]

"""A prompt larger than the window is measured before it is sent (spec/context 4, B31)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from neocode.context.tokens import TokenCounter
from neocode.domain.clock import new_id
from neocode.domain.events import NoticeEvent, RuntimeEvent
from neocode.domain.model import ModelInfo
from neocode.runtime.inbox import Prompt
from neocode.tools.truncate import shorten

CUT = "cut it to its head and tail"
FILE = "save it to a file for the agent to search"
BACK = "go back"
ROOM = 0.8  # share of the window that one message may fill beside system prompt and tools
SMALL = 0.1  # up to this share a message is sent without a look at what stands beside it


@dataclass(slots=True)
class Fitting:
    """Asks what to do with a prompt that cannot fit.

    ask: puts the question to the user; raises ToolError without a screen.
    fixed_tokens: what stands beside the message in any request.
    save: writes text to a file that the read tool may open; returns its path.
    """

    counter: TokenCounter
    model: Callable[[], ModelInfo | None]
    fixed_tokens: Callable[[], int]
    ask: Callable[[str, tuple[str, ...]], Awaitable[str]]
    save: Callable[[str, str], Path]
    interactive: bool
    emit: Callable[[RuntimeEvent], None]

    async def fit(self, prompt: Prompt) -> Prompt | None:
        """The prompt, or what the user made of it; None when they went back.

        Without a screen a prompt that is too large is saved to a file and said so.
        """
        model = self.model()
        if model is None or model.window_source == "default":
            return prompt
        size = self.counter.scaled(model.id, self.counter.count_text(prompt.text, model.id))
        if size <= model.window * SMALL:
            return prompt
        room = int(model.window * ROOM) - self.fixed_tokens()
        if size <= room or room <= 0:
            return prompt
        answer = FILE
        if self.interactive:
            answer = await self.ask(
                f"This message is about {size:,} tokens; {model.name} has room for {room:,}. "
                "What should happen to it?",
                (CUT, FILE, BACK),
            )
        return self._apply(answer, prompt, room, size)

    def _apply(self, answer: str, prompt: Prompt, room: int, size: int) -> Prompt | None:
        if answer == CUT:
            return Prompt(shorten(prompt.text, room // 2), prompt.images)
        if answer != FILE:
            self.emit(NoticeEvent(kind="not_sent", message="Not sent. Up brings the text back."))
            return None
        path = self.save(f"{new_id('message')}.txt", prompt.text)
        self.emit(
            NoticeEvent(
                kind="prompt_saved",
                message=f"The message of about {size:,} tokens was saved to {path}; the agent is "
                "told to search it.",
                level="warning",
            )
        )
        shown = shorten(prompt.text, min(2000, room // 4))
        return Prompt(
            f"My message was too long to send; all of it is in the file {path} (search it with "
            f"grep, read it in parts). It begins and ends like this:\n\n{shown}",
            prompt.images,
        )

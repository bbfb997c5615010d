"""What the user typed while something ran: a visible queue, and steering."""

from collections import deque
from dataclasses import dataclass, field

from neocode.domain.messages import Image


@dataclass(frozen=True, slots=True)
class Prompt:
    """One waiting message."""

    text: str
    images: tuple[Image, ...] = ()


@dataclass(slots=True)
class Inbox:
    """Waiting messages in order. steering: to be put before the model's next call."""

    waiting: deque[Prompt] = field(default_factory=deque)
    steering: deque[Prompt] = field(default_factory=deque)

    def edit(self, index: int, text: str | None) -> None:
        """Change a waiting message, None removes it; a stale index changes nothing."""
        if not 0 <= index < len(self.waiting):
            return
        if text is None:
            del self.waiting[index]
        else:
            self.waiting[index] = Prompt(text, self.waiting[index].images)

    @property
    def texts(self) -> tuple[str, ...]:
        """What waits, as shown: steering first, since it goes out first."""
        return tuple(p.text for p in (*self.steering, *self.waiting))

    def take_steering(self) -> list[Prompt]:
        """Everything that should go before the next call; it waits no longer."""
        taken = list(self.steering)
        self.steering.clear()
        return taken

    def next(self) -> Prompt | None:
        """The message that goes out next, or None."""
        if self.steering:
            return self.steering.popleft()
        return self.waiting.popleft() if self.waiting else None

"""The driver's input, made safe: what follows a paste at once belongs to it (B38)."""

from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
    from textual.driver import Driver

BURST_S = 0.03
"""Keys closer together than this come from a program, not from fingers."""


class Burst:
    """Finds keys that are the rest of a paste: an end mark inside it cut it in two.

    take() gets every event in order with the time in seconds; it is pure but for its state.
    """

    def __init__(self) -> None:
        self._last_paste_part = float("-inf")
        self._held: list[str] = []

    def take(self, event: object, now: float) -> bool:
        """True when the event was kept back: flush() hands it on as a paste."""
        near = now - self._last_paste_part < BURST_S
        if isinstance(event, events.Paste):
            self._last_paste_part = now
            return False
        if not (near and isinstance(event, events.Key)):
            return False
        text = {"enter": "\n", "ctrl+j": "\n", "tab": "\t"}.get(event.key) or event.character
        if not text:
            return False
        self._held.append(text)
        self._last_paste_part = now
        return True

    def flush(self) -> str:
        """What was kept back so far."""
        text, self._held = "".join(self._held), []
        return text


def calm(base: "type[Driver]") -> "type[Driver]":
    """A driver class that joins the pieces of a paste; every other event passes through."""

    class CalmDriver(base):  # type: ignore[misc, valid-type]
        """The platform's driver with a Burst in front."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._burst = Burst()
            self._burst_timer: Timer | None = None
            self._burst_lock = Lock()

        def process_message(self, message: Any) -> None:
            """Called in the input thread for each event."""
            with self._burst_lock:
                if self._burst.take(message, monotonic()):
                    if self._burst_timer is None:
                        self._burst_timer = Timer(2 * BURST_S, self._release)
                        self._burst_timer.start()
                    return
                self._hand_on()
                super().process_message(message)

        def _release(self) -> None:
            with self._burst_lock:
                self._hand_on()

        def _hand_on(self) -> None:
            timer, self._burst_timer = self._burst_timer, None
            if timer is not None:
                timer.cancel()
            text = self._burst.flush()
            if text:
                super().process_message(events.Paste(text))

    return CalmDriver

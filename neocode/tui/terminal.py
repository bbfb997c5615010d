"""The terminal's input, made safe: an end mark inside a paste does not end it (B38).

A paste is framed by a start and an end mark. When the pasted text holds an end mark of its
own, what follows it would be taken for typing, and its line ends for Enter.
"""

import sys
from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver

START, END = "\x1b[200~", "\x1b[201~"
QUIET_S = 0.05
"""After so long a silence an end mark is believed."""
FULL_READ = 1024
"""A read of fewer characters is the last one of what was waiting."""


class PasteJoiner:
    """Passes terminal input on, without the end marks that stand inside a paste.

    Behind an end mark everything waits until it is clear: another end mark shows that the
    first was part of the text; a start mark or silence (release) shows that it was real.
    """

    def __init__(self) -> None:
        self._recent = ""
        self._inside = False
        self._waiting: str | None = None

    @property
    def waits(self) -> bool:
        """Whether something is held back."""
        return self._waiting is not None

    def feed(self, data: str) -> str:
        """What may go on to the parser now."""
        if self._waiting is not None:
            data, self._waiting = self._waiting + data, None
            return self._after_end(data)
        if self._inside:
            return self._paste(data)
        seen = self._recent + data
        at = seen.rfind(START)
        self._recent = seen[-(len(START) - 1) :]
        if at < 0:
            return data
        self._inside, self._recent = True, ""
        head = len(data) - (len(seen) - at - len(START))
        return data[:head] + self._paste(data[head:])

    def release(self) -> str:
        """Nothing more came: the end mark was real, what followed it was typed."""
        held, self._waiting, self._inside = self._waiting or "", None, False
        return held

    def _paste(self, data: str) -> str:
        seen = self._recent + data
        at = seen.find(END)
        if at < 0:
            split = _begun(seen, END)
            self._recent = seen[len(seen) - split :]
            return seen[: len(seen) - split]
        self._recent = ""
        rest = seen[at:]
        if rest == END and len(data) < FULL_READ:
            self._inside = False
            return seen
        return seen[:at] + self._after_end(rest)

    def _after_end(self, data: str) -> str:
        """data begins with the end mark in question."""
        start = data.find(START, len(END))
        scope = data if start < 0 else data[:start]
        last = scope.rfind(END)
        inner = scope[:last].replace(END, "")
        if start < 0:
            self._waiting = scope[last:]
            return inner
        self._inside = False
        return inner + scope[last:] + self.feed(data[start:])


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of text may be the beginning of mark."""
    return next((n for n in range(len(mark) - 1, 0, -1) if text.endswith(mark[:n])), 0)


def set_mouse(driver: Any, wanted: bool) -> None:
    """Ask for mouse events, or leave the mouse to the terminal; headless drivers have none."""
    if driver is None or getattr(driver, "_mouse", wanted) == wanted:
        return
    if wanted:
        driver._mouse = True
        driver._enable_mouse_support()
    elif hasattr(driver, "_disable_mouse_support"):
        driver._disable_mouse_support()
        driver._mouse = False


def calm(base: "type[Driver]") -> "type[Driver]":
    """The driver class with a PasteJoiner before its parser; others come back unchanged."""
    module = sys.modules[base.__module__]
    parser_class: Any = getattr(module, "XTermParser", None)
    if parser_class is None or not hasattr(base, "run_input_thread"):
        return base

    class CalmParser(parser_class):  # type: ignore[misc]
        """Textual's parser behind a PasteJoiner."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._joiner, self._fed_at = PasteJoiner(), 0.0

        def feed(self, data: str) -> Iterable[Any]:
            """Events of the input so far; "" is the end of it."""
            self._fed_at = monotonic()
            passed = self._joiner.feed(data) if data else self._joiner.release()
            if passed:
                yield from super().feed(passed)
            if not data:
                yield from super().feed("")

        def tick(self) -> Iterable[Any]:
            """Called again and again while nothing comes."""
            if self._joiner.waits and monotonic() - self._fed_at >= QUIET_S:
                yield from super().feed(self._joiner.release())
            yield from super().tick()

    class CalmDriver(base):  # type: ignore[misc, valid-type]
        """The platform's driver with that parser."""

        def run_input_thread(self) -> None:
            """The input thread makes its parser by the name in its module."""
            vars(module)["XTermParser"] = CalmParser
            try:
                super().run_input_thread()
            finally:
                vars(module)["XTermParser"] = parser_class

    return CalmDriver

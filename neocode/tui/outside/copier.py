"""Does a copy: the first way that works, and a file in any case that is not sure."""

import asyncio
import os
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from neocode.tui.outside.clipboard import Ways, run_program, save, sequence, ways, words


class Copier:
    """Copies text; path: the file to fall back on, None for none.

    write: sends a sequence to the terminal.
    """

    def __init__(
        self, write: Callable[[str], None], path: Path | None, known: Ways | None = None
    ) -> None:
        self._write, self._path = write, path
        if known is not None:
            self.ways = known

    @cached_property
    def ways(self) -> Ways:
        """Looked for once, with the first copy."""
        return ways(os.environ, sys.platform)

    async def copy(self, text: str, what: str) -> str:
        """Copy, and say in words where the text is now; what: "the last answer"."""
        program = self.ways.program
        took = bool(program) and await asyncio.to_thread(run_program, program, text)
        if took:
            return words(what, program=True, sent=False, path=None)
        sent = self.send(text)
        path, problem = self._path, "there is no folder for it"
        if path is not None:
            try:
                await asyncio.to_thread(save, text, path)
            except OSError as error:
                path, problem = None, error.strerror or str(error)
        return words(what, program=False, sent=sent, path=path, problem=problem)

    def send(self, text: str) -> bool:
        """OSC 52 to the terminal; False when it is known not to take it, or not so much."""
        code = sequence(text, self.ways.wrap) if self.ways.osc52 else ""
        if code:
            self._write(code)
        return bool(code)

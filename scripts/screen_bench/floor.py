"""The least a Textual program can be: `python -m scripts.screen_bench.floor [stream N]`.

Without arguments one Input. With "stream N", N words through MarkdownStream as soon as it
runs; the CPU seconds that took stand in the file named by BENCH_OUT.
"""

import os
import sys
import time
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Markdown


class Floor(App[None]):
    """An input, and a Markdown when there is something to stream."""

    CSS = "Input { dock: bottom; border: none; height: 1; }"

    def compose(self) -> ComposeResult:
        if sys.argv[1:]:
            with VerticalScroll() as scroll:
                yield Markdown()
            scroll.anchor()
        yield Input(placeholder="FLOOR")

    async def on_ready(self) -> None:
        self.query_one(Input).focus()
        if sys.argv[1:]:
            self.run_worker(self._stream(int(sys.argv[2])))

    async def _stream(self, count: int) -> None:
        from scripts.screen_bench.server import WORDS

        began = time.process_time()
        stream = Markdown.get_stream(self.query_one(Markdown))
        for word in [*WORDS[: count - 1], "\n\nEND-1."]:
            await stream.write(word)
        await stream.stop()
        self.call_after_refresh(self._report, began)

    def _report(self, began: float) -> None:
        Path(os.environ["BENCH_OUT"]).write_text(str(time.process_time() - began))


if __name__ == "__main__":
    Floor().run()

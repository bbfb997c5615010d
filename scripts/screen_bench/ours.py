"""NeoCode's screen with a made-up engine: `python -m scripts.screen_bench.ours N`.

N words are streamed as events as soon as it runs; the CPU seconds that took stand in the
file named by BENCH_OUT.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from neocode.domain import events as ev
from neocode.tui.app import NeoCodeApp, run_app
from neocode.tui.ports import Surroundings
from scripts.screen_bench.server import WORDS
from tests.tui.fake_engine import FakeEngine


async def stream(app: NeoCodeApp, engine: FakeEngine, count: int) -> None:
    """One answer; the loop gets its turn after each word, as with a real stream."""
    while app.chat.stage is None:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    engine.user("go")
    began = time.process_time()
    words = [*WORDS[: count - 1], "\n\nEND-1."]
    for word in words:
        engine.emit(ev.TextDelta, text=word)
        await asyncio.sleep(0)
    engine.say("".join(words))
    engine.finish()
    while "END-1." not in app.chat.transcript.items[-1].copy_text:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    Path(os.environ["BENCH_OUT"]).write_text(str(time.process_time() - began))


def main() -> None:
    engine = FakeEngine()
    tasks: list[asyncio.Task[None]] = []

    async def make() -> FakeEngine:
        tasks.append(asyncio.create_task(stream(app, engine, int(sys.argv[1]))))
        return engine

    app = NeoCodeApp(make, Surroundings(theme="dark"))
    run_app(app)


if __name__ == "__main__":
    main()

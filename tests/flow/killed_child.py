"""A program that is killed while it compacts: run by test_kill_flow in a process of its own.

Arguments: the bench's folder, and which write is the last one. A write is a file opened
for writing, made, renamed or its mode changed below the home, or an event published.
"""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from neocode.compact.runner import CompactRunner
from neocode.domain.events import RuntimeEvent
from tests.flow.flow import Bench
from tests.flow.talks import answering


class Countdown:
    """Kills the process at the nth step after it was armed."""

    def __init__(self, steps: int, home: Path) -> None:
        self.left = steps
        self.armed = False
        self._home = str(home)
        sys.addaudithook(self._audit)

    def _audit(self, event: str, args: tuple[object, ...]) -> None:
        written = event in ("os.rename", "os.mkdir", "os.chmod", "os.remove") or (
            event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if written and args and str(args[0]).startswith(self._home):
            self.step()

    def step(self) -> None:
        if not self.armed:
            return
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, steps: int) -> None:
    bench = Bench.at(folder)
    countdown = Countdown(steps, bench.home)
    async with bench.open(provider=answering(), latest=True) as flow:
        publish = flow.engine.bus.publish

        def counted(event: RuntimeEvent) -> None:
            countdown.step()
            publish(event)
            countdown.step()

        runner = flow.engine.jobs.compactor.runner
        assert isinstance(runner, CompactRunner)
        runner.ports = replace(runner.ports, emit=counted)
        countdown.armed = True
        flow.engine.compact()
        await flow.settle()
        countdown.armed = False
    print(f"not killed, {countdown.left} left", flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))

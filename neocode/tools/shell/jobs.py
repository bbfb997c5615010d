"""Named background jobs: started, listed, looked at, stopped (spec/interface, bash)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from neocode.tools.base import ToolError
from neocode.tools.output import Collector
from neocode.tools.process import Running, end

_MOST = 16
_CHUNK = 65_536


@dataclass(slots=True)
class Job:
    """A background command. exit_status: None while it runs. started: monotonic seconds."""

    name: str
    command: str
    running: Running
    collector: Collector
    started: float
    exit_status: int | None = None
    task: "asyncio.Task[None] | None" = None

    @property
    def state(self) -> str:
        """running for 12 s, or ended with exit status 1."""
        if self.exit_status is None:
            return f"running for {time.monotonic() - self.started:.0f} s"
        return f"ended with exit status {self.exit_status}"


@dataclass(slots=True)
class Jobs:
    """The background jobs of one program, by name; an ended one stays until its name is reused."""

    _jobs: dict[str, Job] = field(default_factory=dict)

    def all(self) -> tuple[Job, ...]:
        """Every job, oldest first."""
        return tuple(self._jobs.values())

    def get(self, name: str) -> Job:
        """The job of that name; raises ToolError that names those there are."""
        if name not in self._jobs:
            known = ", ".join(self._jobs) or "none"
            raise ToolError(f"There is no job {name!r}. Jobs: {known}.")
        return self._jobs[name]

    def check_free(self, name: str) -> None:
        """Raises ToolError when a job of that name runs, or too many do."""
        running = [job for job in self._jobs.values() if job.exit_status is None]
        if any(job.name == name for job in running):
            raise ToolError(f"Job {name!r} runs already; stop it first, or choose another name.")
        if len(running) >= _MOST:
            raise ToolError(f"{_MOST} jobs run already; stop one first.")

    def add(self, name: str, command: str, running: Running, collector: Collector) -> Job:
        """Take over a started group and follow it to its end."""
        job = Job(name, command, running, collector, time.monotonic())
        self._jobs.pop(name, None)
        self._jobs[name] = job
        job.task = asyncio.create_task(_follow(job))
        return job

    async def stop(self, name: str) -> Job:
        """End a job and all it started."""
        job = self.get(name)
        await end(job.running.group)
        if job.task is not None:
            await asyncio.wait({job.task}, timeout=2)
        return job

    async def stop_all(self) -> None:
        """End every job, for the program's or the session's end."""
        await asyncio.gather(*(self.stop(job.name) for job in self.all()))


async def pump(
    running: Running, collector: Collector, flooded: Callable[[], None] | None = None
) -> None:
    """Pass output on until its end; flooded is called once when there is too much."""
    while chunk := await running.reader.read(_CHUNK):
        collector.feed(chunk)
        if flooded is not None and collector.is_flooded:
            flooded()
            flooded = None


async def _follow(job: Job) -> None:
    reading = asyncio.create_task(pump(job.running, job.collector))
    try:
        status = await job.running.process.wait()
        await asyncio.wait({reading}, timeout=0.3)
        await end(job.running.group)
        await asyncio.wait({reading}, timeout=1)
        job.exit_status = status
    finally:
        reading.cancel()
        job.running.transport.close()
        job.collector.close()

"""bash: a shell line with a time limit that leaves nothing running (B51, B52, B53)."""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, int_arg, text_arg
from neocode.tools.output import Collector
from neocode.tools.process import GRACE_S, Running, end, start
from neocode.tools.shell.jobs import Job, Jobs, pump
from neocode.tools.shell.sandbox import sandboxed

_LONGEST_S = 86_400
_SETTLE_S = 0.3
_CANCEL_GRACE_S = 0.3
_FIRST_LOOK_S = 1.0
_SHOWN_TOKENS = 2000
STOP = "stop"


@dataclass(slots=True)
class _End:
    """How a command ended. status: exit status, negative for a signal; None: we ended it."""

    status: int | None = None
    why: str = ""
    left: int = 0


class BashTool:
    """Runs shell lines in the project folder, and named jobs in the background.

    jobs: the background jobs; whoever closes the engine owes them a stop_all().
    """

    spec = ToolSpec(
        name="bash",
        description=(
            "Run a shell line in the project folder. No input, editor or terminal; cd does not "
            "last; what it starts ends with it. background=NAME keeps it running as a job: then "
            'command "" shows the job, "stop" ends it; both empty list all jobs.'
        ),
        parameters={
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout_s": {"type": "integer"},
                "background": {"type": "string"},
            },
            "required": ["command"],
        },
    )

    def __init__(self) -> None:
        self.jobs = Jobs()

    def summary(self, args: JsonObject) -> str:
        """$ pytest -q"""
        lines = str(args.get("command", "")).strip().splitlines()
        job = f" [{args['background']}]" if args.get("background") else ""
        return f"$ {lines[0] if lines else 'jobs'}{' ...' if len(lines) > 1 else ''}{job}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """The whole line is run; to look at a job or stop it is free."""
        command = text_arg(args, "command")
        if _is_about_jobs(command, str(args.get("background") or "")):
            return []
        return [Access(kind="run", tool="bash", target=command)]

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """The whole line."""
        return str(args.get("command", ""))

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it; cancelled, it ends what it started before it lets go."""
        command, name = text_arg(args, "command"), str(args.get("background") or "")
        if _is_about_jobs(command, name):
            return await self._about_jobs(command.strip(), name)
        if name:
            return await self._start_job(command, name, context)
        limit = int(context.bash_timeout_s)
        timeout_s = int_arg(args, "timeout_s", limit, least=1, most=_LONGEST_S)
        began = time.monotonic()
        collector = _collector(context, context.emit)
        running = await _start(command, context)
        ended = await _finish(running, collector, timeout_s)
        return _outcome(ended, collector, timeout_s, time.monotonic() - began)

    async def _start_job(self, command: str, name: str, context: ToolContext) -> ToolOutcome:
        self.jobs.check_free(name)
        collector = _collector(context, lambda text: None)
        job = self.jobs.add(name, command, await _start(command, context), collector)
        if job.task is not None:
            await asyncio.wait({job.task}, timeout=_FIRST_LOOK_S)
        return _job_outcome(job)

    async def _about_jobs(self, command: str, name: str) -> ToolOutcome:
        if name:
            job = await self.jobs.stop(name) if command == STOP else self.jobs.get(name)
            return _job_outcome(job)
        lines = [f"{job.name}: {job.state}: {job.command}" for job in self.jobs.all()]
        return ToolOutcome(content="\n".join(lines) or "There are no background jobs.")


def _is_about_jobs(command: str, name: str) -> bool:
    return not command.strip() or bool(name and command.strip() == STOP)


def _collector(context: ToolContext, emit: Callable[[str], None]) -> Collector:
    return Collector(context.outputs, context.call_id, context.result_tokens - 60, emit)


async def _start(command: str, context: ToolContext) -> Running:
    shell = shutil.which("bash") or "/bin/sh"
    argv = [shell, "-c", command if not command.startswith("-") else f" {command}"]
    if context.sandbox:
        argv = await sandboxed(argv, context.root, network=context.sandbox_network)
    try:
        return await start(argv, context.root, os.environ)
    except ValueError as error:
        raise ToolError("The line holds a null byte; nothing was run.") from error
    except OSError as error:
        words = error.strerror or str(error)
        raise ToolError(f"The line could not be started: {words}. Nothing was run.") from error


async def _finish(running: Running, collector: Collector, timeout_s: float) -> _End:
    """Wait for the end, one way or another; afterwards nothing of the group is left."""
    ended = _End()
    flooded = asyncio.Event()
    reading = asyncio.create_task(pump(running, collector, flooded.set))
    exited = asyncio.create_task(running.process.wait())
    flood = asyncio.create_task(flooded.wait())
    try:
        await asyncio.wait({exited, flood}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if exited.done():
            ended.status = exited.result()
            await asyncio.wait({reading}, timeout=_SETTLE_S)
            ended.left = await end(running.group)
        else:
            ended.why = "flood" if flood.done() else "timeout"
            await end(running.group, GRACE_S)
        await asyncio.wait({reading}, timeout=1)
    except asyncio.CancelledError:
        await asyncio.shield(end(running.group, _CANCEL_GRACE_S))
        raise
    finally:
        for task in (reading, exited, flood):
            task.cancel()
        running.transport.close()
        collector.close()
    return ended


def _outcome(ended: _End, collector: Collector, timeout_s: int, duration_s: float) -> ToolOutcome:
    body = collector.text() or "(no output)"
    metadata: dict[str, object] = {"duration_s": round(duration_s, 3)}
    if collector.path is not None:
        metadata["full_output"] = str(collector.path)
    if ended.status is not None:
        metadata["exit_status"] = ended.status
    if ended.why == "timeout":
        metadata["timed_out"] = True
    is_error = bool(ended.why) or not 0 <= (ended.status or 0) <= 125
    content = f"{_first_line(ended, timeout_s)}\n{body}"
    return ToolOutcome(content=content, is_error=is_error, metadata=metadata)


def _first_line(ended: _End, timeout_s: int) -> str:
    if ended.why == "timeout":
        return (
            f"timed out after {timeout_s} s; it and all it started were ended. Output so far "
            "follows. Give a larger timeout_s, or background=NAME."
        )
    if ended.why:
        return "ended by NeoCode: over 1 GB of output. Redirect it to a file or filter it."
    line = f"exit status {ended.status}"
    if ended.status is not None and ended.status < 0:
        line += f" (killed by {_signal_name(-ended.status)})"
    if ended.left:
        line += f"; {ended.left} processes it left running were ended (background=NAME keeps one)"
    return line


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _job_outcome(job: Job) -> ToolOutcome:
    where = f" Whole output: {job.collector.path}" if job.collector.path else ""
    output = job.collector.newest(_SHOWN_TOKENS) or "(no output so far)"
    metadata: dict[str, object] = {"job": job.name}
    if job.exit_status is not None:
        metadata["exit_status"] = job.exit_status
    return ToolOutcome(content=f"job {job.name} {job.state}.{where}\n{output}", metadata=metadata)

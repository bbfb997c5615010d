"""`neocode run`: one conversation without a screen, by the same engine and events."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from neocode.commands.registry import BUILT_IN, CommandTable, run_command, table_for
from neocode.domain.clock import utc_now
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import (
    CompactDone,
    CompactError,
    NoticeEvent,
    Retry,
    RunError,
    RunFinished,
    RuntimeEvent,
    event_to_json,
)
from neocode.domain.usage import Usage
from neocode.runtime.api import EngineApi

EXIT_CODES = {"done": 0, "cancelled": 130}
UNSHOWN = ("tool_output", "queue_update", "todo_update", "session_changed", "question")
"""Events for the screen only; the names of spec/interface are all shown."""
STOPS = {
    "max_turns": "stopped: --max-turns is reached; --continue goes on",
    "max_cost": "stopped: --max-cost is reached; --continue goes on",
    "refused": "stopped: the provider's content filter ended the answer",
    "cancelled": "stopped: interrupted; what was written is kept, --continue goes on",
}
"""What is said about a run that ended otherwise than done or with an error."""
READER_TURNS = 3
"""Turns of the loop in which a reader that was waiting has read everything there is."""


@dataclass(slots=True)
class Printer:
    """Shows events as text, json or jsonl, and keeps what the result object needs."""

    output: str
    out: TextIO
    err: TextIO
    answers: list[str] = field(default_factory=list)
    stop_reason: str = "done"
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    tool_calls: int = 0
    compactions: int = 0
    failed: bool = False

    def show(self, event: RuntimeEvent) -> None:
        """One event, as it happens."""
        data = event_to_json(event)
        if self.output == "jsonl" and data["type"] not in UNSHOWN:
            self.line(data)
        match event:
            case RunFinished():
                self._count(event)
                if event.stop_reason in STOPS:
                    self._say("warning", STOPS[event.stop_reason])
            case RunError() | CompactError():
                self.failed = True
                self._say("error", event.message, getattr(event, "hint", ""))
            case Retry():
                self._say("retry", f"{event.reason}; again in {event.wait_s:.0f} s")
            case NoticeEvent():
                self._say(event.level, event.message)
            case CompactDone():
                self._compacted(event)
            case _:
                pass

    @property
    def answer(self) -> str:
        """What was answered: by several prompts and commands one after the other."""
        return "\n\n".join(answer.rstrip("\n") for answer in self.answers if answer)

    def finish(self, session_id: str) -> None:
        """The answer, or the one result object."""
        if self.output == "text":
            if self.answer:
                self.out.write(self.answer + "\n")
        elif self.output == "json":
            self.line(
                {
                    "session_id": session_id,
                    "answer": self.answer,
                    "stop_reason": self.stop_reason,
                    "usage": asdict(self.usage),
                    "cost_usd": self.cost_usd,
                    "tool_calls": self.tool_calls,
                    "compactions": self.compactions,
                }
            )
        self.out.flush()

    def reply(self, session_id: str, text: str) -> None:
        """What a command gave back: the answer; a notice among the lines of jsonl."""
        self.answers.append(text)
        if self.output == "jsonl":
            notice = NoticeEvent(at=utc_now(), session_id=session_id, kind="command", message=text)
            self.line(event_to_json(notice))

    def refuse(self, session_id: str, message: str, hint: str) -> None:
        """A command could not be done."""
        self.show(
            RunError(
                at=utc_now(), session_id=session_id, kind="command", message=message, hint=hint
            )
        )

    @property
    def exit_code(self) -> int:
        """0 done, 1 failed, 130 interrupted."""
        code = EXIT_CODES.get(self.stop_reason, 1)
        return 1 if code == 0 and self.failed else code

    def _count(self, event: RunFinished) -> None:
        self.answers.append(event.answer)
        self.stop_reason = event.stop_reason
        self.usage = self.usage + event.usage
        unknown = self.cost_usd is None or event.cost_usd is None
        self.cost_usd = None if unknown else (self.cost_usd or 0) + (event.cost_usd or 0)
        self.tool_calls += event.tool_calls

    def line(self, data: dict[str, Any]) -> None:
        """One JSON object on a line of its own."""
        self.out.write(json.dumps(data, ensure_ascii=False) + "\n")
        self.out.flush()

    def _compacted(self, event: CompactDone) -> None:
        if event.applied:
            self.compactions += 1
            saved = f"{event.saved_ratio:.0%}"
            self._say("compacted", f"{event.removed_count} messages archived, {saved} saved")
        else:
            self._say("info", f"nothing to archive: {event.reason}")

    def _say(self, level: str, message: str, hint: str = "") -> None:
        """On standard error, but for jsonl, whose lines say it."""
        if self.output != "jsonl":
            tail = f"\n  {hint}" if hint else ""
            self.err.write(f"{level}: {message}{tail}\n")
            self.err.flush()


_UNKNOWN = re.compile(r"/[A-Za-z][A-Za-z0-9_:-]*")


def split_prompt(text: str, table: CommandTable = BUILT_IN) -> list[str]:
    """The prompts and commands in a text: a line that is exactly a command is one.

    A text that is nothing but /WORD is a command too, be it one that is not there.
    """
    if _UNKNOWN.fullmatch(text.rstrip()):
        return [text.rstrip()]
    parts: list[str] = []
    plain: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if table.is_command(line):
            parts += ["\n".join(plain).strip(), line.strip()]
            plain = []
        else:
            plain.append(line)
    parts.append("\n".join(plain).strip())
    return [part for part in parts if part]


async def run_headless(
    engine: EngineApi, text: str, output: str, out: TextIO = sys.stdout, err: TextIO = sys.stderr
) -> int:
    """Send the prompts of a text, one after the other; returns the exit status."""
    printer = Printer(output, out, err)
    table = table_for(engine)
    parts = split_prompt(text, table)
    await drive(engine, printer, [_step(engine, part, table) for part in parts])
    printer.finish(engine.session.id)
    return printer.exit_code


Step = Callable[[], Awaitable[str | None]]
"""Starts something; returns text to show, or None when events tell the rest.

Raises NeoCodeError when it cannot be done.
"""


async def drive(engine: EngineApi, printer: Printer, steps: Sequence[Step]) -> None:
    """Take steps one after the other, showing events, until one fails or all are done.

    When nothing can be shown any more (a closed pipe, a full disk) what runs is stopped.
    """
    events = engine.subscribe()
    reader = asyncio.create_task(_read(events, printer))
    reader.add_done_callback(lambda done: engine.cancel() if done.exception() else None)
    with _signals(engine):
        for step in steps:
            try:
                said = await step()
            except NeoCodeError as error:
                said = None
                printer.refuse(engine.session.id, error.message, error.hint)
            await engine.idle()
            for _ in range(READER_TURNS):
                await asyncio.sleep(0)
            if said is not None:
                printer.reply(engine.session.id, said)
            if printer.exit_code or reader.done():
                break
        await engine.close()
        await reader


def _step(engine: EngineApi, part: str, table: CommandTable) -> Step:
    async def take() -> str | None:
        if table.is_command(part) or _UNKNOWN.fullmatch(part):
            result = await run_command(engine, part, table)
            if result.level == "error":
                raise NeoCodeError(result.text)
            return result.text or _without_screen(result.show, table)
        engine.submit(part)
        return None

    return take


def _without_screen(screen: str, table: CommandTable) -> str | None:
    """What a command that opens a screen gives where there is none."""
    match screen:
        case "" | "quit":
            return None
        case "help":
            return table.listing()
        case _:
            raise NeoCodeError(
                "This command needs the screen.", hint="Start it with `neocode` and type it there."
            )


async def _read(events: Any, printer: Printer) -> None:
    async for event in events:
        printer.show(event)


class _signals:
    """SIGINT, SIGTERM and a terminal that goes away stop what runs; the session stays whole.

    A signal that whoever started us has ignored (nohup) stays ignored.
    """

    def __init__(self, engine: EngineApi) -> None:
        self._engine = engine
        self._numbers = [
            number
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(number) is not signal.SIG_IGN or number == signal.SIGINT
        ]

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers:
            loop.add_signal_handler(number, self._engine.cancel)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers:
            loop.remove_signal_handler(number)

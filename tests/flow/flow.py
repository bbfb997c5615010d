"""A whole engine in a temporary folder: scripted model, real tools, real database."""

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import yaml

from neocode.domain.events import PermissionRequest, Question, RuntimeEvent, event_name
from neocode.domain.messages import Message
from neocode.provider.base import CallChunk, FinishChunk, ModelRequest, TextChunk
from neocode.provider.fake import Reaction, Scripted, ScriptedProvider, Step
from neocode.runtime.engine import Engine
from neocode.runtime.run import Limits
from neocode.wiring import Launch, open_engine

E = TypeVar("E", bound=RuntimeEvent)

MODEL = {
    "name": "scripted",
    "id": "openai/scripted",
    "api_base": "http://127.0.0.1:9/v1",
    "api_key": "none",
    "context_window": 200_000,
    "price": {"input": 3, "output": 15},
}


def call(name: str, call_id: str = "", **args: object) -> Scripted:
    """A reply that is one tool call."""
    return calls((name, args), ids=[call_id] if call_id else None)


def calls(*wanted: tuple[str, Mapping[str, object]], ids: list[str] | None = None) -> Scripted:
    """A reply with several calls at once."""
    chunks = [
        CallChunk(i, (ids or [])[i] if ids else f"c{i}", name, json.dumps(args))
        for i, (name, args) in enumerate(wanted)
    ]
    return [*chunks, FinishChunk("tool_calls")]


def steps(*parts: Step) -> Scripted:
    """A reply chunk by chunk: with errors, waits and gates between."""
    return parts


def text(words: str) -> Scripted:
    """A plain answer."""
    return [TextChunk(words), FinishChunk("stop")]


class Flow:
    """An engine, its scripted provider, and every event so far."""

    def __init__(self, engine: Engine, provider: ScriptedProvider) -> None:
        self.engine = engine
        self.provider = provider
        self.events: list[RuntimeEvent] = []
        self.answers: Callable[[PermissionRequest], tuple[str, str]] = lambda _: ("once", "")
        self.replies_to_questions: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self.engine.subscribe():
            self.events.append(event)
            if isinstance(event, PermissionRequest):
                answer, note = self.answers(event)
                self.engine.answer_permission(event.request_id, answer, note)  # type: ignore[arg-type]
            if isinstance(event, Question) and self.replies_to_questions:
                reply = self.replies_to_questions.pop(0)
                self.engine.answer_question(event.request_id, reply)

    async def say(self, words: str) -> None:
        """Send a prompt and wait until everything is done."""
        self.engine.submit(words)
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing runs and all events were read."""
        await self.engine.idle()
        for _ in range(5):
            await asyncio.sleep(0)

    async def until(self, kind: type[RuntimeEvent], count: int = 1) -> None:
        """Wait until so many events of a kind have come."""
        while len(self.of(kind)) < count:
            await asyncio.sleep(0.005)

    def of(self, kind: type[E]) -> list[E]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def names(self, *leave_out: str) -> list[str]:
        """The events' names in order, without those that only say figures."""
        quiet = {"token_update", "queue_update", "text_delta", "message", *leave_out}
        return [name for e in self.events if (name := event_name(e)) not in quiet]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The live messages."""
        return self.engine.session.messages

    @property
    def requests(self) -> list[ModelRequest]:
        """What the model was sent."""
        return self.provider.requests

    async def close(self) -> None:
        """Let go, as leaving the program does."""
        await self.engine.close()
        await self._reader


class Bench:
    """Opens flows in one home and one project; a second one is a restart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.root = folder / "project"
        self.root.mkdir(parents=True)
        self.home.mkdir()
        self.configure()

    @classmethod
    def at(cls, folder: Path) -> "Bench":
        """A bench that is there already."""
        bench = cls.__new__(cls)
        bench.folder, bench.home, bench.root = folder, folder / "home", folder / "project"
        return bench

    def copy(self, name: str) -> "Bench":
        """Another home that begins as this one is now; the same project, so that its sessions
        are found."""
        other = Bench.at(self.folder / name)
        shutil.copytree(self.home, other.home)
        other.root.symlink_to(self.root)
        return other

    def configure(self, **sections: object) -> None:
        """Write config.yaml: the scripted model, and these sections."""
        models = sections.pop("models", [MODEL])
        data = {"model": "scripted", "models": models, **sections}
        (self.home / "config.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")

    @contextlib.asynccontextmanager
    async def open(
        self,
        replies: Iterable[Scripted | Reaction] = (),
        *,
        then: Scripted | Reaction | None = None,
        latest: bool = False,
        session: str | None = None,
        mode: str | None = "auto",
        interactive: bool = True,
        limits: Limits | None = None,
        provider: ScriptedProvider | None = None,
    ) -> AsyncIterator[Flow]:
        """An engine as the program opens it, but for the model."""
        scripted = provider or ScriptedProvider(replies, then=then)
        engine = await open_engine(
            Launch(
                mode=mode,
                latest=latest,
                session=session,
                interactive=interactive,
                limits=limits or Limits(),
                root=self.root,
                environ={"NEOCODE_HOME": str(self.home), "PATH": "/usr/bin:/bin"},
                provider=scripted,
            )
        )
        flow = Flow(engine, scripted)
        await asyncio.sleep(0)
        try:
            yield flow
        finally:
            await flow.close()

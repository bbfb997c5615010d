"""A tool's surroundings in a temporary project."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from neocode.domain.tooling import ToolOutcome
from neocode.tools.base import FileStamps, Tool, ToolContext


@dataclass
class Bench:
    """A project folder and what tools said there. answers: what the user will answer."""

    root: Path
    outputs: Path
    stamps: FileStamps = field(default_factory=FileStamps)
    live: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def context(self, **changes: Any) -> ToolContext:
        values: dict[str, Any] = {
            "root": self.root,
            "outputs": self.outputs,
            "call_id": "call_1",
            "session_id": "s_1",
            "stamps": self.stamps,
            "emit": self.live.append,
            "ask": self._ask,
        }
        return ToolContext(**values | changes)

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    async def call(self, tool: Tool, changes: dict[str, Any] | None = None, /, **args: Any) -> str:
        return (await self.outcome(tool, changes, **args)).content

    async def outcome(
        self, tool: Tool, changes: dict[str, Any] | None = None, /, **args: Any
    ) -> ToolOutcome:
        return await tool.run(args, self.context(**changes or {}))

    async def _ask(self, question: str, options: tuple[str, ...]) -> str:
        self.asked.append((question, options))
        await asyncio.sleep(0)
        return self.answers.pop(0)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return Bench(root, tmp_path.resolve() / "outputs")

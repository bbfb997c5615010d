"""Small real objects for the tests of compaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from neocode.compact.result import (
    CompactOrder,
    CompactPorts,
    Counters,
    Measured,
    TranscriptFile,
)
from neocode.compact.runner import CompactRunner
from neocode.config.schema import AutoCompactConfig, CompactConfig, ContextConfig, RetryConfig
from neocode.context.estimate import estimate_chars
from neocode.context.preamble import render_preamble
from neocode.domain.events import CompactDone, CompactError, Event
from neocode.domain.messages import Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.session import CompactionRecord, SessionState
from neocode.provider.base import ModelRequest, Reply
from neocode.provider.fake import ScriptedProvider

NOW = "2026-11-30T12:00:00.000000Z"
MODEL = ModelInfo(name="main", id="openai/main", api_key="k", window=200_000, max_output=8000)
DISPLAY = (
    "[compact_summary]\n\ndone:\n- parser moved\n\nin_progress:\n- tests\n\n"
    "decisions:\n- keep the old name\n\ncode_changes:\n- src/parser.py\n\nconstraints:\n- use tabs"
)
HANDOFF = """## Goal
Move the parser into its own module

## Constraints and preferences
- use tabs

## Progress
### Done
- src/parser.py written, `make check` passes
### In progress
- tests for the parser
### Blocked
- none

## Key decisions
- keep the old name because plugins import it

## Relevant files
- src/parser.py: parse() and its helpers

## Next steps
- write tests/test_parser.py

## Critical context
the dev server listens on port 8123

## Tools and patterns
bash runs the tests with make
"""


def user(number: int, text: str = "", **more: Any) -> Message:
    return Message(
        id=f"u{number}", created_at=NOW, role="user", content=text or f"ask {number}", **more
    )


def says(number: int, text: str = "", **more: Any) -> Message:
    content = text or f"answer {number}"
    return Message(id=f"a{number}", created_at=NOW, role="assistant", content=content, **more)


def calls(number: int, *names: str, arguments: str = "{}") -> Message:
    made = tuple(
        ToolCall(id=f"c{number}_{i}", name=name, arguments=arguments)
        for i, name in enumerate(names or ("bash",))
    )
    return Message(id=f"a{number}", created_at=NOW, role="assistant", tool_calls=made)


def result(
    number: int, text: str = "ok", *, index: int = 0, name: str = "bash", **more: Any
) -> Message:
    return Message(
        id=f"t{number}_{index}",
        created_at=NOW,
        role="tool",
        content=text,
        tool_call_id=f"c{number}_{index}",
        tool_name=name,
        **more,
    )


def summary_of(text: str = DISPLAY, **metadata: Any) -> Message:
    return Message(
        id="m_sum",
        created_at=NOW,
        role="user",
        content=text,
        is_compaction_summary=True,
        metadata=metadata,
    )


def chat(turns: int, words: int = 60) -> list[Message]:
    """Turns of prompt and answer, each of many words."""
    made: list[Message] = []
    for n in range(turns):
        made += [user(n, f"ask {n} " + "word " * words), says(n, f"answer {n} " + "word " * words)]
    return made


def long_run(blocks: int, size: int = 800) -> list[Message]:
    """One prompt and many tool calls."""
    made = [user(0, "Rename the module, move three files, fix the imports, run the tests.")]
    for n in range(1, blocks + 1):
        made += [calls(n, "bash", arguments=json.dumps({"command": f"make step{n}"}))]
        made += [result(n, f"step {n} done\n" + "output line\n" * (size // 12))]
    return made


def session_of(messages: Sequence[Message], **more: Any) -> SessionState:
    return SessionState(
        id="s_1", cwd="/p", created_at=NOW, updated_at=NOW, messages=tuple(messages), **more
    )


def answer(display: Any = DISPLAY, **state: Any) -> str:
    """A good json answer; state overrides fields."""
    fields: dict[str, Any] = {
        "goal": "move the parser",
        "progress": ["parser moved"],
        "open_items": ["tests"],
        "next_step": "write the tests",
        "blockers": [],
        "key_artifacts": ["src/parser.py: parse()"],
        "decisions": ["keep the old name"],
        "user_constraints": ["use tabs"],
    }
    return json.dumps(
        {"task_state": fields | state, "display_summary": display}, ensure_ascii=False
    )


HOLLOW = answer(
    "[compact_summary]\n\n"
    + "\n\n".join(f"{n}:\n- none" for n in ("done", "in_progress", "decisions"))
    + "\n\ncode_changes:\n- none\n\nconstraints:\n- none",
    goal="",
    progress=[],
    open_items=[],
    next_step="none",
    key_artifacts=["N/A"],
    decisions=["无"],
    user_constraints=["None"],
)


def reply(text: str, finish: str = "stop") -> Reply:
    return Reply(text=text, finish=finish)


def count_message(message: Message) -> int:
    return (
        estimate_chars(message.content)
        + sum(estimate_chars(call.arguments) + 4 for call in message.tool_calls)
        + 4
    )


def measure(session: SessionState) -> Measured:
    """A next request of 500 fixed tokens, the preamble and the live messages."""
    live = [m for m in session.messages if not m.is_compaction_summary]
    preamble = render_preamble(session.task_state, session.summary, 2000).text
    text = "\n".join([preamble, *(m.content for m in live)])
    tokens = 500 + estimate_chars(preamble) + sum(map(count_message, live))
    chars = len(preamble) + sum(m.chars for m in live)
    return Measured(tokens=tokens, fixed=500, chars=chars, text=text)


COUNTERS = Counters(message=count_message, text=estimate_chars)


@dataclass
class FakeStore:
    """Keeps what was applied; raises error when one is set."""

    applied: list[tuple[SessionState, CompactionRecord, Message | None]] = field(
        default_factory=list
    )
    error: Exception | None = None

    def apply_compaction(
        self, session_after: SessionState, record: CompactionRecord, summary: Message | None
    ) -> None:
        if self.error:
            raise self.error
        self.applied.append((session_after, record, summary))


@dataclass
class Bench:
    """A runner with everything it needs, and what it did."""

    provider: ScriptedProvider
    store: FakeStore = field(default_factory=FakeStore)
    events: list[Event] = field(default_factory=list)
    transcripts: list[SessionState] = field(default_factory=list)
    transcript_error: Exception | None = None
    waits: list[float] = field(default_factory=list)

    def write(self, session: SessionState) -> TranscriptFile:
        if self.transcript_error:
            raise self.transcript_error
        self.transcripts.append(session)
        return TranscriptFile(id="t_1", path="/data/t_1.jsonl")

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    @property
    def runner(self) -> CompactRunner:
        ports = CompactPorts(
            provider=self.provider,
            store=self.store,
            write_transcript=self.write,
            measure=measure,
            counters=COUNTERS,
            emit=self.events.append,
        )
        return CompactRunner(ports, retry=RetryConfig(), clock=lambda: NOW, sleep=self.sleep)

    @property
    def done(self) -> CompactDone:
        return next(e for e in self.events if isinstance(e, CompactDone))

    @property
    def errors(self) -> list[CompactError]:
        return [e for e in self.events if isinstance(e, CompactError)]


def bench(*replies: Any, **more: Any) -> Bench:
    return Bench(ScriptedProvider(replies, **more))


def order(
    mode: Any = "manual",
    *,
    model: ModelInfo | None = MODEL,
    models: tuple[ModelInfo, ...] = (),
    focus: str = "",
    strategy: Any = None,
    by_code: bool = False,
    prefix: ModelRequest | None = None,
    auto: AutoCompactConfig | None = None,
    **compact: Any,
) -> CompactOrder:
    """An order; the other keywords are keys of context.compact."""
    context = ContextConfig(
        compact=CompactConfig(**compact), auto_compact=auto or AutoCompactConfig()
    )
    return CompactOrder(
        mode=mode,
        context=context,
        model=model,
        models=models,
        focus=focus,
        strategy=strategy,
        by_code=by_code,
        prefix=prefix,
    )

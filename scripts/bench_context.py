"""Ratios of the context layer, side by side in one run. python scripts/bench_context.py [FOLDER]

Building the next request, a compaction without the model's time, Enter to the request on
the wire over local HTTP, growth of the database. Exit status 1 when a budget is broken.
"""

import asyncio
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench_data import arguments, recordings, side_by_side, verdict

sys.path.insert(0, str(Path(__file__).parents[1]))


from neocode.compact.prepare import make_plan
from neocode.compact.result import CompactOrder, Counters
from neocode.config.schema import ContextConfig
from neocode.context.builder import BuildMetadata, ContextBuilder
from neocode.context.sources import SystemParts
from neocode.context.tokens import TokenCounter
from neocode.domain.clock import new_id
from neocode.domain.messages import Message
from neocode.domain.session import CompactionRecord, SessionState
from neocode.provider.fake import ScriptedProvider
from neocode.replay.options import PLAYED, opening_state
from neocode.replay.player import measure_with
from neocode.replay.recording import Recording
from neocode.replay.scratch import Scratch
from neocode.store.sessions import SessionStore
from neocode.store.transcript import write_transcript
from neocode.wiring import Launch, open_engine
from tests.http_server import Answer, LlmServer

ROUNDS = 9
LISTS = ("progress", "open_items", "blockers", "key_artifacts", "decisions", "user_constraints")
SECTIONS = ("done", "in_progress", "decisions", "code_changes", "constraints")
SUMMARY = {
    "task_state": {
        "goal": "go on",
        "next_step": "the next one",
        **{name: ["one thing"] for name in LISTS},
    },
    "display_summary": "[compact_summary]\n"
    + "\n".join(f"{name}:\n- something" for name in SECTIONS),
}


def state_of(messages: tuple[Message, ...]) -> SessionState:
    return SessionState(
        id="s", cwd="/", created_at="", updated_at="", task_state=opening_state(messages)
    ).with_messages(messages)


def building(longest: Recording) -> bool:
    """The next request when one message is new, of the whole session and of ten messages."""
    counter = TokenCounter()
    counter.warm(PLAYED.id)
    builder = ContextBuilder(counter, ContextConfig())
    metadata = BuildMetadata(model=PLAYED, system=SystemParts(base="You help."))
    numbers = iter(range(10**6))

    def build(messages: tuple[Message, ...]) -> Callable[[], object]:
        state = state_of(messages)
        first = builder.build(state, metadata)
        state = replace(state, micro_edge=first.micro_edge)

        def one() -> object:
            new = Message(id=f"n{next(numbers)}", created_at="", role="user", content="and now?")
            return builder.build(state.append(new), metadata)

        return one

    whole, small = side_by_side(
        build(longest.messages), build(longest.messages[-10:]), rounds=4 * ROUNDS
    )
    count = f"{len(longest.messages):,}"
    print(f"  {count} messages {1000 * whole:.2f} ms, 10 messages {1000 * small:.2f} ms")
    return verdict(
        "building the next request, more than for 10 messages", 1000 * (whole - small), 10, " ms"
    )


def compacting(longest: Recording) -> bool:
    """Plan, transcript and swap; then all of it, with a summary that takes no time."""
    counter, context = TokenCounter(), ContextConfig()
    counter.warm(PLAYED.id)
    order = CompactOrder(mode="manual", context=context, model=PLAYED, models=(PLAYED,))
    measure = measure_with(counter, context, PLAYED)
    counters = Counters(message=lambda m: counter.count_message(m, PLAYED.id), text=len)
    with Scratch() as scratch:
        provider = ScriptedProvider(then=json.dumps(SUMMARY))
        runner = scratch.runner(provider, counter, PLAYED.id, measure)
        session = scratch.begin(opening_state(longest.messages)).append(*longest.messages)
        scratch.store.append(session, *longest.messages)
        session = scratch.store.load(session.id)
        lines = b"".join(scratch.store.lines(session.id))
        result = asyncio.run(runner.run(session, order))
        record, summary = result.record, result.session.summary
        if record is None or summary is None:
            raise SystemExit(f"the compaction failed: {result.error}")
        after, weight = result.session, measure(session)

        write = durable_write(scratch.path, (lines, log_of(scratch, after, record, summary)))

        def three_steps() -> None:
            make_plan(session, order, weight, counters)
            write_transcript(scratch.path / "t", session.id, scratch.store.lines(session.id))
            fresh = replace(summary, id=new_id("m"))
            messages = [fresh if m is summary else m for m in after.messages]
            scratch.store.apply_compaction(
                after.with_messages(messages),
                replace(record, id=new_id("c"), summary_message_id=fresh.id),
                fresh,
            )

        def undo() -> None:
            scratch.store.undo_compaction(session.id)

        steps, written = side_by_side(three_steps, write, after=undo)
        whole, _ = side_by_side(lambda: asyncio.run(runner.run(session, order)), write, after=undo)
    print(f"  plan, transcript, swap {1000 * steps:.0f} ms; the same bytes {1000 * written:.1f} ms")
    print(f"  with summary request, merge, ledger and audit {1000 * whole:.0f} ms")
    return verdict("plan, transcript and swap over writing and syncing", steps / written, 5)


def log_of(
    scratch: Scratch, after: SessionState, record: CompactionRecord, summary: Message
) -> bytes:
    """What the swap writes: the database's log. The compaction is undone before and after."""
    scratch.store.undo_compaction(after.id)
    wal = scratch.store.path.with_name(scratch.store.path.name + "-wal")
    with sqlite3.connect(scratch.store.path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fresh = replace(summary, id=new_id("m"))
    messages = [fresh if m is summary else m for m in after.messages]
    again = replace(record, id=new_id("c"), summary_message_id=fresh.id)
    scratch.store.apply_compaction(after.with_messages(messages), again, fresh)
    written = wal.read_bytes() if wal.exists() else b""
    scratch.store.undo_compaction(after.id)
    return written


def durable_write(folder: Path, parts: tuple[bytes, bytes]) -> Callable[[], None]:
    """The same bytes with the same promises: a file renamed when whole, and a synced log."""

    def synced(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def write() -> None:
        synced(folder / "same.tmp", parts[0])
        (folder / "same.tmp").replace(folder / "same")
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
        synced(folder / "same.log", parts[1])

    return write


def growth(played: list[Recording]) -> bool:
    """Bytes of the database over bytes of conversation, all recordings in one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        said, shares = 0, []
        for recording in played:
            before = path.stat().st_size if path.exists() else 0
            store = SessionStore.open(path)
            session = store.create(cwd="/")
            for at in range(0, len(recording.messages), 10):
                part = recording.messages[at : at + 10]
                session = session.append(*part)
                store.append(session, *part)
            store.close()
            size = sum(
                len(text.encode())
                for m in recording.messages
                for text in (m.content, *(c.arguments for c in m.tool_calls))
            )
            said += size
            if size > 100_000:
                shares.append((path.stat().st_size - before) / size)
        print(f"  by recording over 100 kB: {min(shares):.2f} to {max(shares):.2f} bytes a byte")
        return verdict("database bytes a byte of conversation", path.stat().st_size / said, 3)


class Clocked(LlmServer):
    """Notes when each request arrived, before it is read."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.arrived: list[float] = []
        arrived, plain = self.arrived, self._http.RequestHandlerClass

        class Handler(plain):  # type: ignore[misc, valid-type]
            def do_POST(self) -> None:
                arrived.append(time.perf_counter())
                super().do_POST()

        self._http.RequestHandlerClass = Handler


def short_messages(count: int) -> list[Message]:
    """Prompts and answers of 400 characters."""
    roles = ("user", "assistant")
    return [
        Message(id=f"m{at}", created_at="", role=roles[at % 2], content=f"{at} says " * 50)  # type: ignore[arg-type]
        for at in range(count)
    ]


async def on_the_wire(longest: Recording) -> bool:
    """From submit to the request's arrival: 1,000 messages against the second message."""
    answer = Answer(text="Done.", usage={"prompt_tokens": 10, "completion_tokens": 2})
    with tempfile.TemporaryDirectory() as folder, Clocked(answer) as server:
        home = Path(folder)
        model = {"name": "lab", "id": "openai/test-model", "api_base": server.url}
        model |= {"api_key": "none", "context_window": 2_000_000}  # type: ignore[dict-item]
        (home / "config.yaml").write_text(json.dumps({"models": [model]}))
        store = SessionStore.open(home / "sessions.db")
        large = {
            "short": store.restore(short_messages(1000), str(home)),
            "recorded": store.restore(longest.messages[:1000], str(home)),
        }
        store.close()
        environ = {**os.environ, "NEOCODE_HOME": folder}
        engine = await open_engine(Launch(root=home, environ=environ, interactive=False))

        async def ask() -> float:
            start, count = time.perf_counter(), len(server.arrived)
            engine.submit("And now?")
            await engine.idle()
            if len(server.arrived) == count:
                raise SystemExit("no request arrived")
            return server.arrived[count] - start

        times: dict[str, list[float]] = {"second": [], **{name: [] for name in large}}
        await ask()
        for _ in range(ROUNDS):
            await engine.new_session()
            await ask()
            times["second"].append(await ask())
            for name, session_id in large.items():
                await engine.open_session(session_id)
                await ask()
                times[name].append(await ask())
        await engine.close()
    medians = {name: 1000 * statistics.median(taken) for name, taken in times.items()}
    print("  " + ", ".join(f"{name} {taken:.1f} ms" for name, taken in medians.items()))
    ratio = medians["short"] / medians["second"]
    return verdict("Enter to request on the wire, 1,000 messages over the second", ratio, 2)


def main() -> int:
    played = recordings(arguments((__doc__ or "").splitlines()[0]).parse_args().folder)
    longest = max(played, key=lambda recording: len(recording.messages))
    print(f"{longest.name}: {len(longest.messages):,} messages")
    held = [
        building(longest),
        compacting(longest),
        growth(played),
        asyncio.run(on_the_wire(longest)),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())

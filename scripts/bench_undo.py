"""Undo and redo over every recording: the same bytes? python scripts/bench_undo.py [FOLDER]"""

import asyncio
import json
import sys
from dataclasses import asdict, replace

from bench_data import arguments, recordings

from neocode.compact.result import CompactOrder
from neocode.config.schema import ContextConfig, Strategy
from neocode.context.tokens import TokenCounter
from neocode.provider.fake import ScriptedProvider
from neocode.replay.options import PLAYED, opening_state
from neocode.replay.player import measure_with
from neocode.replay.recording import Recording
from neocode.replay.scratch import Scratch

STRATEGIES: tuple[Strategy, ...] = ("keep_recent", "full_replace", "token_budget")
WINDOWS = (32_000, 64_000, 200_000)


def snapshot(scratch: Scratch, session_id: str) -> bytes:
    """All that a session is, as bytes: every message in both views, state and counters."""
    state = replace(scratch.store.load(session_id), updated_at="")
    live = [asdict(message) for message in state.messages]
    full = b"".join(scratch.store.lines(session_id))
    rest = asdict(replace(state, messages=()))
    return json.dumps([live, rest], sort_keys=True).encode() + full


async def check(
    recording: Recording, strategy: Strategy, window: int, counter: TokenCounter
) -> str:
    """Compact in the middle and at the end; undo both, redo both. "" or what differed."""
    model, context = replace(PLAYED, window=window), ContextConfig()
    order = CompactOrder(
        mode="manual",
        context=context,
        model=model,
        models=(model,),
        strategy=strategy,
        by_code=True,
    )
    with Scratch() as scratch:
        runner = scratch.runner(
            ScriptedProvider(), counter, model.id, measure_with(counter, context, model)
        )
        session = scratch.begin(opening_state(recording.messages))
        seen: list[tuple[bytes, bytes]] = []
        half = len(recording.messages) // 2
        for part in (recording.messages[:half], recording.messages[half:]):
            session = session.append(*part)
            scratch.store.append(session, *part)
            before = snapshot(scratch, session.id)
            result = await runner.run(scratch.store.load(session.id), order)
            session = scratch.store.load(session.id)
            if result.applied:
                seen.append((before, snapshot(scratch, session.id)))
        return compare(scratch, session.id, seen)


def compare(scratch: Scratch, session_id: str, seen: list[tuple[bytes, bytes]]) -> str:
    """The newest compaction back and forth: each step gives the bytes of before."""
    if not seen:
        return "nothing was compacted"
    scratch.store.undo_compaction(session_id)
    if snapshot(scratch, session_id) != seen[-1][0]:
        return "undo gave other bytes"
    for _ in seen[1:]:
        scratch.store.undo_compaction(session_id)
    undone = snapshot(scratch, session_id)
    for _ in seen[1:]:
        scratch.store.redo_compaction(session_id)
    if snapshot(scratch, session_id) != seen[-1][0]:
        return "redo of the older one gave other bytes"
    scratch.store.redo_compaction(session_id)
    if snapshot(scratch, session_id) != seen[-1][1]:
        return "redo gave other bytes"
    for _ in seen:
        scratch.store.undo_compaction(session_id)
    return "" if snapshot(scratch, session_id) == undone else "undoing all gave other bytes"


async def main() -> int:
    counter = TokenCounter()
    counter.warm(PLAYED.id)
    same = total = 0
    for recording in recordings(arguments(__doc__ or "").parse_args().folder):
        for strategy in STRATEGIES:
            for window in WINDOWS:
                said = await check(recording, strategy, window, counter)
                if said == "nothing was compacted":
                    continue
                total += 1
                same += not said
                if said:
                    print(f"{recording.name}, {strategy}, window {window:,}: {said}")
    print(f"undo and redo: {same} of {total} byte-identical")
    return 0 if same == total else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""Billed input and probes kept, as Markdown tables. python scripts/bench_replay.py [FOLDER]

Probes are read from NAME.probes.json beside NAME.jsonl; made-up sessions have those of
their prompts' port numbers.
"""

import asyncio
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bench_data import arguments, recordings

from neocode.compact.cut import shorten
from neocode.compact.extractive import rules_of
from neocode.compact.user_words import run_answers
from neocode.config.schema import CompactConfig, ContextConfig
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.provider.fake import ScriptedProvider
from neocode.replay.options import PLAYED, ReplayOptions
from neocode.replay.outcome import added_up
from neocode.replay.probes import Probe, kept_shares, read_probes
from neocode.replay.recording import Recording
from neocode.replay.run import Played, replay

WINDOWS = (1_000_000, 200_000, 64_000)
WORDS = (0, 2000, 8000)
_DECISION = re.compile(
    r"[^.\n]*\b(?:because|instead|root cause|decid|should|must|fix)[^.\n]*", re.I
)


async def billing(played: list[Recording], counter: TokenCounter) -> None:
    """Micro compact alone, against never clearing."""
    print("| window | billed input over never clearing, 0.1/1.25 | worst | 0.1/1.0 | worst |")
    print("|---:|---:|---:|---:|---:|")
    for window in WINDOWS:
        options = ReplayOptions(model=replace(PLAYED, window=window))
        done = [await replay(r, options, ScriptedProvider(), counter) for r in played]
        data = added_up([(each.outcome, each.plain) for each in done])
        cells = [
            f"{data[part][name]:.3f}" for name in data["worst"] for part in ("over_plain", "worst")
        ]
        print(f"| {window:,} | {' | '.join(cells)} |", flush=True)


async def probes(played: list[Recording], counter: TokenCounter) -> None:
    """A compaction at the end: where the facts of the archive are found then."""
    print("| summary | user words | in the next request | or by one search | by id | notes |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in ("by code", "scripted"):
        for words in WORDS:
            done = [await compacted(r, kind, words, counter) for r in played]
            shares = kept_shares(v for each in done for v in each.outcome.verdicts)
            total = max(1, shares["probes"])
            cells = [
                f"{shares[n]} of {shares['probes']} ({shares[n] / total:.0%})"
                for n in ("in_prompt", "either", "by_id")
            ]
            notes = max(each.outcome.last.preamble for each in done if each.outcome.verdicts)
            print(f"| {kind} | {words:,} | {' | '.join(cells)} | {notes:,} |", flush=True)


async def compacted(recording: Recording, kind: str, words: int, counter: TokenCounter) -> Played:
    compact = CompactConfig(keep_user_words_tokens=words)
    options = ReplayOptions(
        context=ContextConfig(compact=compact),
        strategy="keep_recent",
        by_code=kind == "by code",
        at=0,
    )
    provider = ScriptedProvider(then=good_summary(recording.messages[:-10]))
    return await replay(recording, options, provider, counter, probes=probes_of(recording))


def probes_of(recording: Recording) -> tuple[Probe, ...]:
    path = recording.path.with_name(f"{recording.name}.probes.json")
    if path.exists():
        return read_probes(path)
    if recording.path.exists():
        return ()
    said = [m.content for m in recording.messages if m.role == "user"]
    found = [(text, re.findall(r"port (\d+)", text)) for text in said]
    return tuple(
        Probe(
            question=f"Which port must not be touched, said with {text[:30]}?", accept=(ports[0],)
        )
        for text, ports in found
        if ports
    )


def good_summary(archived: Iterable[Message]) -> str:
    """What a careful summariser says in the json form, made by rule from what was said."""
    messages = list(archived)
    asked = [m.content.strip() for m in messages if m.role == "user" and m.content.strip()]
    told = run_answers(messages)
    decided = [shorten(d.strip(), 300) for text in told for d in _DECISION.findall(text)][-20:]
    state = {
        "goal": shorten(asked[0], 400) if asked else "go on",
        "progress": [shorten(" ".join(text.split()), 380) for text in told[-16:]],
        "open_items": [],
        "next_step": shorten(asked[-1], 300) if asked else "go on",
        "blockers": [],
        "key_artifacts": [],
        "decisions": decided,
        "user_constraints": rules_of(asked)[-16:],
    }
    lists = {
        "done": state["progress"][-3:],
        "in_progress": [state["next_step"]],
        "decisions": decided[-3:],
        "code_changes": ["see key_artifacts"],
        "constraints": state["user_constraints"][-3:],
    }
    text = "[compact_summary]\n" + "\n".join(
        f"{name}:\n" + "\n".join(f"- {' '.join(str(item).split())}" for item in items or ["none"])
        for name, items in lists.items()
    )
    return json.dumps({"task_state": state, "display_summary": text})


async def main(folder: Path | None) -> None:
    counter = TokenCounter()
    played = recordings(folder)
    await billing(played, counter)
    print()
    await probes(played, counter)


if __name__ == "__main__":
    asyncio.run(main(arguments((__doc__ or "").splitlines()[0]).parse_args().folder))

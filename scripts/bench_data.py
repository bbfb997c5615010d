"""What the benchmarks play: the recordings of a folder, or made-up sessions of the same shape."""

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from neocode.domain.messages import Message, ToolCall
from neocode.replay.recording import Recording, load_recordings

SHAPES = (("long", 17, 29), ("middle", 8, 20), ("short", 3, 5))
"""Name, prompts, and calls a prompt; the long one holds about a thousand messages."""

_WORDS = (
    "the parser reads every line of this file and keeps a token for each word that it finds "
    "when server closes connection we retry after some seconds with another port number so "
    "tests fail until config value is set in module function returns list instead error from "
    "database query about user session message index because cache was not empty before run"
)
VOCABULARY = _WORDS.split()


def arguments(about: str) -> argparse.ArgumentParser:
    """The folder is an argument of every benchmark."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", nargs="?", type=Path, help="recordings; made-up ones without it")
    return parser


def recordings(folder: Path | None) -> list[Recording]:
    """Those of the folder; without one the same made-up sessions every time."""
    if folder is not None:
        return load_recordings(folder)
    return [synthetic(name, prompts, calls) for name, prompts, calls in SHAPES]


def synthetic(name: str, prompts: int, calls: int) -> Recording:
    """A session of prompts that are each answered after so many tool calls."""
    drawn = random.Random(name)
    made = _Made(drawn, VOCABULARY)
    for number in range(prompts):
        made.say("user", made.text(drawn.randint(8, 60)) + f" Never touch port {4000 + number}.")
        for _ in range(calls):
            made.call()
        made.say("assistant", made.text(drawn.randint(40, 200)))
    made.say("user", "And now? " + made.text(10))
    made.say("assistant", made.text(20))
    return Recording(name=name, path=Path(name), messages=tuple(made.messages))


class _Made:
    """Grows a session."""

    def __init__(self, drawn: random.Random, vocabulary: list[str]) -> None:
        self.drawn, self.vocabulary = drawn, vocabulary
        self.messages: list[Message] = []

    def text(self, words: int) -> str:
        return " ".join(self.drawn.choices(self.vocabulary, k=words))

    def say(self, role: str, content: str, **fields: object) -> None:
        number = len(self.messages)
        made = Message(
            id=f"m_{number:015d}",
            created_at=f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}.{number:06d}Z",
            role=role,  # type: ignore[arg-type]
            content=content,
            **fields,  # type: ignore[arg-type]
        )
        self.messages.append(made)

    def call(self) -> None:
        word, number = self.drawn.choice(self.vocabulary), len(self.messages)
        name, args = self.drawn.choice(
            [("read", {"path": f"src/{word}.py"}), ("bash", {"command": f"pytest tests/{word}"})]
        )
        call = ToolCall(id=f"call_{number}", name=name, arguments=json.dumps(args))
        self.say(
            "assistant", self.text(12) if self.drawn.random() < 0.4 else "", tool_calls=(call,)
        )
        lines = min(400, int(self.drawn.paretovariate(0.9) * 4))
        body = "\n".join(f"{at:4} {self.text(6)} = {at * 7}" for at in range(lines))
        self.say("tool", body, tool_call_id=call.id, tool_name=name)


def side_by_side(
    one: Callable[[], object],
    other: Callable[[], object],
    rounds: int = 9,
    after: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """Median seconds of both, measured in turn. after: follows one, untimed."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for kept, what in zip(times, (one, other), strict=True):
            start = time.perf_counter()
            what()
            kept.append(time.perf_counter() - start)
            if what is one:
                after()
    return statistics.median(times[0]), statistics.median(times[1])


def verdict(what: str, value: float, limit: float, unit: str = "") -> bool:
    """Print one figure against its budget; true when it holds."""
    holds = value <= limit
    print(f"{what}: {value:.2f}{unit} (budget {limit:g}{unit}) {'ok' if holds else 'OVER'}")
    return holds

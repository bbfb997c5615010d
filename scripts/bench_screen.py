"""The screen's figures of docs/benchmarks.md, measured in a pseudo-terminal.

    python -m scripts.bench_screen [--runs 5] [--turns 100] [STEP ...]

Steps: launch, keys, stream, session, turns, spinner (all by default). Everything is put
beside a minimal Textual program (screen_bench/floor.py) on the same machine in the same run;
CPU seconds count every thread and do not mind other programs. Linux only.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.screen_bench.terminal import Program, python

ROOT = Path(__file__).parents[1]
NEOCODE = str(Path(sys.executable).with_name("neocode"))
PROMPT = "Ask anything"
KEYS = 20


class Bench:
    """One run: a project, a home, a model server."""

    def __init__(self, folder: Path, runs: int, turns: int) -> None:
        self.runs, self.turns = runs, turns
        self.project, self.home = folder / "project", folder / "home"
        self.out = folder / "out.txt"
        self.project.mkdir()
        self.home.mkdir()
        # a program of its own: it must not share the interpreter with the parsing of the screen
        self.server = subprocess.Popen(
            python("-m", "scripts.screen_bench.server"), cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self.server.stdout is not None
        self.asked, url = 0, self.server.stdout.readline().strip()
        entry = {
            "name": "bench", "id": "openai/bench", "api_base": url,
            "api_key": "none", "context_window": 1_000_000,
        }  # fmt: skip
        config = {"model": "bench", "models": [entry]}
        (self.home / "config.yaml").write_text(json.dumps(config))

    def ours(self, *arguments: str) -> Program:
        return Program([NEOCODE, *arguments], self.project, {"NEOCODE_HOME": str(self.home)})

    def module(self, name: str, *arguments: str) -> Program:
        environ = {"PYTHONPATH": str(ROOT), "BENCH_OUT": str(self.out)}
        return Program(
            python("-m", f"scripts.screen_bench.{name}", *arguments), self.project, environ
        )

    def ready(self, *arguments: str) -> Program:
        """NeoCode with its engine and litellm loaded."""
        program = self.ours(*arguments)
        program.until(r"bench · ask")
        while True:  # until litellm is loaded
            before = program.cpu()
            program.quiet(1.5)
            if program.cpu() - before < 0.15:
                return program

    def ask(self, program: Program, words: str) -> str:
        """Send a prompt; a pattern for the end of its answer."""
        self.asked += 1
        program.send(f"{words}\r")
        return rf"END-{self.asked}\."

    # --- steps

    def launch(self) -> None:
        """Spawn to a typed key on the screen."""
        wall: dict[str, list[float]] = {"floor": [], "ours": []}
        cpu: dict[str, list[float]] = {"floor": [], "ours": []}
        starts: dict[str, Callable[[], Program]] = {
            "floor": lambda: self.module("floor"),
            "ours": self.ours,
        }
        for _ in range(self.runs + 1):
            for name, start in starts.items():
                program = start()
                program.until_silent()
                program.send("zq")
                wall[name].append(program.until("zq") - program.began)
                cpu[name].append(program.cpu())
                program.end()
        for kind, figures in (("wall", wall), ("CPU", cpu)):
            floor, ours = (statistics.median(figures[n][1:]) for n in ("floor", "ours"))
            say(f"launch to a shown key, {kind}", f"{ours * 1e3:.0f} ms", ours / floor, "floor")

    def keys(self) -> None:
        """Echo of a key: empty session, while streaming, 2,000 messages."""
        program = self.ready()
        empty = self._echo("empty session", program)
        program.send("\x03")
        program.quiet(0.3)
        self.ask(program, "TOKENS 3000 PAUSE 5")
        program.until("Writing")
        self._echo("while 200 words a second stream", program, empty)
        program.end()

    def _echo(self, name: str, program: Program, against: float = 0.0) -> float:
        typed, times, cpu = "", [], program.cpu()
        for number in range(KEYS):
            char = "abcdefghij"[number % 10]
            times.append(program.key(char, typed))
            typed += char
            program.quiet(0.05)
        spent = (program.cpu() - cpu) / KEYS
        times.sort()
        p95 = times[int(KEYS * 0.95) - 1]
        ratio = p95 / against if against else 0.0
        say(
            f"key, {name}",
            f"p95 {p95 * 1e3:.1f} ms, median {times[KEYS // 2] * 1e3:.1f} ms, "
            f"CPU {spent * 1e3:.1f} ms",
            ratio,
            "empty",
        )
        return p95

    def stream(self) -> None:
        """5,000 words at full speed: the screen's part against MarkdownStream; end to end."""
        cpu = {}
        for name, arguments in (("floor", ("stream", "5000")), ("ours", ("5000",))):
            self.out.unlink(missing_ok=True)
            program = self.module(name, *arguments)
            while not self.out.exists() or not self.out.read_text():
                program.read(0.05)
            cpu[name] = float(self.out.read_text())
            program.end()
        say("5,000 tokens, the screen's CPU", f"{cpu['ours']:.2f} s", cpu["ours"] / cpu["floor"],
            "MarkdownStream")  # fmt: skip
        program = self.ready()
        before, began = program.cpu(), time.monotonic()
        ended = program.until(self.ask(program, "TOKENS 5000"))
        spent = program.cpu() - before
        say("5,000 tokens, Enter to the last one shown",
            f"{ended - began:.2f} s, CPU {spent:.2f} s with litellm")  # fmt: skip
        program.end()

    def session(self) -> None:
        """A session of 2,000 messages: opening, keys, memory."""
        session_id = make_session(self.home, self.project, 2000)
        empty = self.ready()
        memory = empty.memory()
        base = self._echo("empty session", empty)
        empty.end()
        full = self.ready("--resume", session_id)
        say("memory of 2,000 messages over an empty session", f"{full.memory() - memory:.1f} MiB")
        self._echo("2,000 messages", full, base)
        full.end()

    def turns_seen(self) -> None:
        """After each turn the answer's last line is on the screen."""
        program = self.ready()
        missed = 0
        for turn in range(self.turns):
            last = self.ask(program, f"turn {turn} TOKENS {40 + turn * 7 % 300}")
            program.until("Esc stops")
            while "Esc stops" in program.text:
                program.read(0.05)
            program.quiet(0.3)
            missed += re.search(last, program.text) is None
        say(f"answers whose last line was not on the screen, of {self.turns}", str(missed))
        program.end()

    def spinner(self) -> None:
        """Bytes to the terminal while nothing but the spinner moves."""
        program = self.ready()
        self.ask(program, "TOKENS 30 PAUSE 20000")
        program.until("Esc stops")
        program.quiet(3.0)
        say("bytes a second while the spinner turns", f"{program.quiet(6.0) / 6:.0f}")
        program.end()


def make_session(home: Path, project: Path, count: int) -> str:
    """A stored session with so many messages; its id."""
    from neocode.config.paths import resolve_paths
    from neocode.domain.messages import Message
    from neocode.store.sessions import SessionStore

    at = "2026-11-30T10:00:00.000000Z"
    answer = "Here is **the change**:\n\n- first\n- second\n\n```python\nx = 1\ny = 2\n```\n\nDone."
    store = SessionStore.open(resolve_paths({"NEOCODE_HOME": str(home)}).db)
    session = store.create(cwd=str(project))
    made = [
        Message(
            id=f"m_{number}", created_at=at, role="assistant" if number % 2 else "user",
            content=answer if number % 2 else f"Question {number} about the parser",
        )
        for number in range(count)
    ]  # fmt: skip
    store.append(session.append(*made), *made)
    store.close()
    return session.id


def say(name: str, figure: str, ratio: float = 0.0, against: str = "") -> None:
    """One line of the result."""
    beside = f"{ratio:.2f} x {against}" if ratio else ""
    print(f"{name:48} {figure:48} {beside}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("steps", nargs="*")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-screen-"))
    try:
        bench = Bench(folder, args.runs, args.turns)
        steps = {
            "launch": bench.launch, "keys": bench.keys, "stream": bench.stream,
            "session": bench.session, "turns": bench.turns_seen, "spinner": bench.spinner,
        }  # fmt: skip
        for name in args.steps or steps:
            steps[name]()
        bench.server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

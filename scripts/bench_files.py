"""How long completing a file takes in a repository of 50,000 files.

    python scripts/bench_files.py [COUNT]

Makes the repository in a temporary folder, lists it as the screen does, then types queries.
Prints CPU and wall milliseconds for each; the limit is 50 ms (docs/benchmarks.md).
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from neocode.tui.completing import FileIndex

WORDS = [
    "core",
    "utils",
    "model",
    "view",
    "test",
    "parser",
    "engine",
    "store",
    "session",
    "token",
    "config",
    "loader",
    "client",
]
QUERIES = ("p", "pa", "parser_to", "srcenginetok", "zzzz", "e", "ewt", "src/core1/pa", "tok99.py")


def make(root: Path, count: int) -> None:
    """A git repository with so many files in folders up to four deep."""
    chance = random.Random(1)
    folders = [
        "src/" + "/".join(f"{chance.choice(WORDS)}{chance.randint(0, 9)}" for _ in range(depth))
        for depth in range(1, 5)
        for _ in range(count // 60)
    ]
    for number in range(count):
        name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}{number}.py"
        path = root / chance.choice(folders) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make(root, count)
        index = FileIndex()
        began = time.perf_counter()
        index.read(root)
        listed = time.perf_counter() - began
        print(f"{count:,} files and their folders listed in {listed:.2f} s, in a thread")
        worst = 0.0
        for query in QUERIES:
            wall, cpu = time.perf_counter(), time.thread_time()
            found = index.choices(query)
            wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
            worst = max(worst, cpu)
            first = found[0].shown if found else "nothing"
            print(f"{query:14} {cpu * 1e3:6.1f} ms CPU {wall * 1e3:6.1f} ms wall  {first}")
        print(f"worst: {worst * 1e3:.1f} ms CPU")


if __name__ == "__main__":
    main()

"""`neocode models`: what is configured and usable now; `install` fetches embedded weights."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from neocode.config.load import load_config
from neocode.config.paths import resolve_paths
from neocode.provider.catalogue.facts import from_bundle
from neocode.provider.embedded import engine_is_installed
from neocode.provider.models import Entry, survey
from neocode.provider.weights import CATALOGUE, install, known


def add_parser(commands: Any) -> None:
    """Register `models`."""
    parser = commands.add_parser("models", help="what is configured and usable now")
    parser.add_argument("--output", choices=("text", "json", "jsonl"), default="text")
    parser.set_defaults(handler=_list)
    actions = parser.add_subparsers(dest="action")
    names = "; ".join(f"{w.name}: {w.about}" for w in CATALOGUE.values())
    fetch = actions.add_parser("install", help="fetch weights of an embedded model", epilog=names)
    fetch.add_argument("name", metavar="NAME", help=", ".join(CATALOGUE))
    fetch.add_argument("--from", dest="source", metavar="FILE", type=Path, help="a file at hand")
    fetch.set_defaults(handler=_install)


def _list(args: argparse.Namespace) -> int:
    """Print every model; exit status 0, also when there is none."""
    paths = resolve_paths(os.environ)
    loaded = load_config(paths, None, os.environ, {}, trusted=False)
    entries = survey(loaded.config, os.environ, paths.cache / "models")
    rows = [_row(entry, loaded.config.model) for entry in entries]
    if args.output == "json":
        print(json.dumps(rows, ensure_ascii=False))
    elif args.output == "jsonl":
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    else:
        _print_table(rows)
    return 0


def _row(entry: Entry, chosen: str | None) -> dict[str, Any]:
    """One model as JSON; the key itself never."""
    info = from_bundle(entry.info)
    price = info.price
    return {
        "name": info.name,
        "id": info.id,
        "chosen": info.name == chosen,
        "usable": entry.is_usable,
        "window": info.window,
        "window_source": info.window_source,
        "max_output_tokens": info.max_output,
        "price": None if price is None else {"input": price.input, "output": price.output},
        "key": entry.key,
        "vision": info.vision,
        "auxiliary": info.auxiliary,
        "api_base": info.api_base,
        "problem": entry.problem,
        "hint": entry.hint,
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        print("No model can be used yet. One of these helps:")
        print("  a key in the environment, as in: export ANTHROPIC_API_KEY=...")
        print("  a local server: Ollama (11434), llama.cpp (8080) or LM Studio (1234)")
        print("  the embedded model: pip install 'neocode-cli[local]' and")
        print("                      neocode models install qwen-1.5b")
        return
    head = ("name", "id", "window", "price in/out", "key")
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    for number, line in enumerate(cells):
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())
        if number and rows[number - 1]["problem"]:
            print(f"    {rows[number - 1]['problem']} {rows[number - 1]['hint']}".rstrip())


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    price = row["price"]
    known_price = price is not None and price["input"] is not None
    cost = f"{price['input']:g}/{price['output']:g} USD/M" if known_price else "unknown"
    assumed = " (assumed)" if row["window_source"] == "default" else ""
    name = row["name"] + (" *" if row["chosen"] else "")
    return name, row["id"], f"{row['window']:,}{assumed}", cost, row["key"]


def _install(args: argparse.Namespace) -> int:
    """Fetch, check, keep; the path on standard output, progress on standard error."""
    weights = known(args.name)
    folder = resolve_paths(os.environ).cache / "models"
    shown = _Progress()
    try:
        path = install(weights, folder, progress=shown, from_file=args.source)
    finally:
        shown.end()
    print(path)
    if not engine_is_installed():
        print("The engine is still missing: pip install 'neocode-cli[local]'", file=sys.stderr)
    return 0


class _Progress:
    """Percent on one line of a terminal; without a terminal, every tenth on its own line."""

    def __init__(self) -> None:
        self._last = -1
        self._live = sys.stderr.isatty()

    def __call__(self, what: str, done: int, whole: int) -> None:
        percent = min(100, done * 100 // max(1, whole))
        if percent == self._last or (not self._live and percent % 10):
            return
        self._last = percent
        text = f"{what}: {percent} % of {whole // 1_000_000} MB"
        print(f"\r{text}" if self._live else text, end="" if self._live else "\n", file=sys.stderr)
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._live and self._last >= 0:
            print(file=sys.stderr)

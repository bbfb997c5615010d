"""`neocode doctor`: is everything there, and how to mend what is not."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neocode.domain.errors import NeoCodeError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. ok: false when something needs mending, which `mend` tells."""

    what: str
    ok: bool
    found: str
    mend: str = ""


def add_parser(commands: Any) -> None:
    """Register `doctor`."""
    parser = commands.add_parser("doctor", help="check the installation")
    parser.add_argument("--output", choices=("text", "json", "jsonl"), default="text")
    parser.set_defaults(handler=handle)


def handle(args: argparse.Namespace) -> int:
    """Print the findings; exit status 1 when something needs mending."""
    findings = list(examine())
    if args.output == "json":
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    for finding in findings:
        if args.output == "jsonl":
            print(json.dumps(asdict(finding), ensure_ascii=False))
        elif args.output == "text":
            print(f"{'ok  ' if finding.ok else 'MEND'} {finding.what:14} {finding.found}")
            if finding.mend:
                print(f"     {'':14} {finding.mend}")
    return 0 if all(finding.ok for finding in findings) else 1


def examine() -> Iterator[Finding]:
    """Every check, cheapest first; none needs the network beyond this machine."""
    for check in (_python, _terminal, _configuration, _models, _database, _ripgrep, _git, _sandbox):
        yield _guarded(check)


def _guarded(check: Callable[[], Finding]) -> Finding:
    name = check.__name__.strip("_")
    try:
        return check()
    except NeoCodeError as error:
        return Finding(name, False, error.message, error.hint)


def _python() -> Finding:
    return Finding("python", True, f"{sys.version.split()[0]} at {sys.executable}")


def _terminal() -> Finding:
    term = os.environ.get("TERM", "")
    if not sys.stdout.isatty():
        return Finding("terminal", True, "none here; `neocode run` works without one")
    size = shutil.get_terminal_size()
    usable = term not in ("", "dumb") and size.columns >= 60 and size.lines >= 15
    return Finding(
        "terminal",
        usable,
        f"{term or 'TERM is not set'}, {size.columns}x{size.lines}",
        "" if usable else "Set TERM (xterm-256color) and use at least 60x15.",
    )


def _configuration() -> Finding:
    from neocode.wiring import load_settings

    _, paths = load_settings(Path.cwd())
    exists = paths.config_file.exists()
    return Finding("configuration", True, f"{paths.config_file}{'' if exists else ' (not there)'}")


def _models() -> Finding:
    from neocode.wiring import load_settings, usable_models

    loaded, paths = load_settings(Path.cwd())
    names = [model.name for model in usable_models(loaded.config, paths)]
    return Finding(
        "models",
        bool(names),
        ", ".join(names) or "none usable",
        ""
        if names
        else "Set a key such as ANTHROPIC_API_KEY, start a local server, or run "
        "`neocode models install qwen-1.5b`.",
    )


def _database() -> Finding:
    from neocode.config.paths import resolve_paths
    from neocode.store.sessions import SessionStore

    path = resolve_paths(os.environ).db
    if not path.exists():
        return Finding("database", True, f"{path} (made at the first message)")
    store = SessionStore.open(path)
    try:
        count = len(store.list(limit=100_000))
    finally:
        store.close()
    return Finding("database", True, f"{path}, {count} sessions")


def _ripgrep() -> Finding:
    from neocode.tools.files.ripgrep import find_rg

    found = find_rg()
    return Finding("ripgrep", True, str(found) if found else "not there; a slower search is used")


def _git() -> Finding:
    found = shutil.which("git")
    return Finding("git", True, found or "not there; branch and ignore files are not known")


def _sandbox() -> Finding:
    found = shutil.which("bwrap")
    return Finding(
        "sandbox", True, found or "bubblewrap is not installed; permissions.sandbox needs it"
    )

"""`neocode compact`: a compaction without a screen."""

import argparse
import asyncio
from typing import Any

OUTPUTS = ("text", "json", "jsonl")
STRATEGIES = ("keep_recent", "full_replace", "token_budget", "extractive")


def add_parser(commands: Any) -> None:
    """Register `compact`, with `undo` and `redo`."""
    parser = commands.add_parser("compact", help="compact a session", allow_abbrev=False)
    parser.add_argument("action", nargs="?", choices=("undo", "redo"), help="take back, repeat")
    parser.add_argument("--session", metavar="ID", help="the newest session here without it")
    parser.add_argument("--strategy", choices=STRATEGIES)
    parser.add_argument("--focus", default="", metavar="TEXT", help="what the summary is about")
    parser.add_argument("--preview", action="store_true", help="show it, write nothing")
    parser.add_argument("--model", metavar="NAME", help="a configured model")
    parser.add_argument("--agent", metavar="NAME", help="an agent profile")
    parser.add_argument("--output", choices=OUTPUTS, default="text")
    parser.set_defaults(handler=handle)


def handle(args: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    import sys

    from neocode.cli.main import finish

    if args.action and (args.preview or args.strategy or args.focus):
        print(
            f"neocode compact: {args.action} takes no --preview, --strategy or --focus.",
            file=sys.stderr,
        )
        return 2

    return finish(asyncio.run(_run(args)))


async def _run(args: argparse.Namespace) -> int:
    from neocode.headless.compact import compact_headless
    from neocode.wiring import Launch, open_engine

    launch = Launch(
        model=args.model,
        agent=args.agent,
        session=args.session,
        latest=args.session is None,
        interactive=False,
        must_exist=True,
        read_only=args.preview,
    )
    engine = await open_engine(launch)
    return await compact_headless(
        engine,
        action=args.action or ("preview" if args.preview else "compact"),
        strategy=args.strategy,
        focus=args.focus,
        output=args.output,
    )

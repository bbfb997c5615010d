"""`neocode run`: arguments, then the headless front end."""

import argparse
import asyncio
import sys
from typing import Any

OUTPUTS = ("text", "json", "jsonl")


def add_parser(commands: Any) -> None:
    """Register `run`."""
    from neocode.cli.main import add_session_options

    parser = commands.add_parser("run", help="one run without a screen", allow_abbrev=False)
    parser.add_argument("prompt", nargs="?", help="the prompt; read from standard input without it")
    parser.add_argument("--output", choices=OUTPUTS, default="text")
    parser.add_argument("--max-turns", type=positive(int), metavar="N", help="model calls at most")
    parser.add_argument("--max-cost", type=positive(float), metavar="USD", help="stop at this cost")
    which = add_session_options(parser)
    which.add_argument("--session", metavar="ID", help="go on in this session")
    parser.set_defaults(handler=handle)


def positive(kind: type) -> Any:
    """An argparse type: a number above zero."""

    def parse(text: str) -> Any:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError("must be above zero")
        return value

    parse.__name__ = kind.__name__
    return parse


def handle(args: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    if args.resume == "":
        print(
            "neocode run: --resume needs an ID here, where nobody can choose; --continue takes "
            "the newest session, --session ID a certain one.",
            file=sys.stderr,
        )
        return 2
    prompt = args.prompt
    if prompt is None or prompt == "-":
        prompt = "" if sys.stdin.isatty() else _piped()
    if not prompt.strip():
        print(
            "neocode run: no prompt; give one as an argument or on standard input.", file=sys.stderr
        )
        return 2
    from neocode.cli.main import finish

    return finish(asyncio.run(_run(args, prompt)))


def _piped() -> str:
    """All of standard input as UTF-8, whatever the locale; other bytes become marks."""
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


async def _run(args: argparse.Namespace, prompt: str) -> int:
    from neocode.headless.run import run_headless
    from neocode.runtime.run import Limits
    from neocode.wiring import Launch, open_engine

    launch = Launch(
        model=args.model,
        agent=args.agent,
        mode=args.mode,
        session=args.session or args.resume or None,
        latest=args.latest,
        interactive=False,
        limits=Limits(args.max_turns, args.max_cost),
    )
    engine = await open_engine(launch)
    return await run_headless(engine, prompt, args.output)

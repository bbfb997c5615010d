"""argv becomes one call. A sub-command's module is imported only when it is named."""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SUBCOMMANDS = {
    "run": ("run_cmd", "one run without a screen; the prompt also from standard input"),
    "compact": ("compact_cmd", "compact a session without a screen; undo, redo"),
    "sessions": ("sessions_cmd", "list, show, export, rename, delete, search sessions"),
    "transcripts": ("transcripts_cmd", "list, show, search, restore what was compacted"),
    "replay": ("replay_cmd", "play a recording: what is sent, cleared, archived, its price"),
    "config": ("config_cmd", "path, show, check, init, schema, set, edit"),
    "models": ("models_cmd", "what is configured and usable now; install NAME"),
    "doctor": ("doctor_cmd", "check terminal, configuration, keys, database, tools"),
}
MODES = ("ask", "accept-edits", "plan", "auto")


def run(argv: Sequence[str]) -> int:
    """Run the command line; returns the exit status (spec/interface "Commands")."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # a terminal that cannot show a character gets its escape, not a traceback
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(list(argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader went away: neocode sessions list | head
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        print(f"neocode: {_system_words(error)}", file=sys.stderr)
        return 1
    except Exception as error:
        return _crashed(error)
    return code


def _open_closed_streams() -> None:
    """A stream that was closed by whoever started us (`>&-`) reads and writes nothing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _drop_output() -> None:
    """What is still buffered must not raise again when the interpreter flushes it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_words(error: OSError) -> str:
    """What the system refused, and what to do where that is known."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return "The current folder is not there any more.\n  Go to one that is: cd ~"
    place = f": {error.filename}" if error.filename else ""
    return f"The system refused it: {error.strerror or error}{place}"


def _crashed(error: Exception) -> int:
    """A fault of ours: a readable cause and a saved report in place of a traceback."""
    from neocode.config.paths import resolve_paths
    from neocode.tui.crash import say_farewell

    say_farewell(error, resolve_paths(os.environ).logs)
    return 1


def _run(argv: list[str]) -> int:
    from neocode.domain.errors import ConfigError, NeoCodeError

    name = argv[0] if argv and argv[0] in SUBCOMMANDS else None
    handler, args = _parse_command(name, argv) if name else _parse_screen(argv)
    try:
        return handler(args)
    except NeoCodeError as error:
        print(f"neocode: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1


def finish(code: int) -> int:
    """Leave at once: freeing litellm's modules one by one would take a second (measured)."""
    from neocode.tools.process import kill_all

    kill_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


Handler = Callable[[argparse.Namespace], int]


def _parse_command(name: str, argv: list[str]) -> tuple[Handler, argparse.Namespace]:
    parser = argparse.ArgumentParser(prog="neocode", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command")
    module = importlib.import_module(f"neocode.cli.{SUBCOMMANDS[name][0]}")
    module.add_parser(commands)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        commands.choices[name].error(f"unrecognized arguments: {' '.join(unknown)}")
    return args.handler, args


def _parse_screen(argv: list[str]) -> tuple[Handler, argparse.Namespace]:
    listing = "\n".join(f"  {name:12} {text}" for name, (_, text) in SUBCOMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="neocode",
        description="A coding agent for the terminal, in the current folder.",
        epilog=f"commands:\n{listing}\n\n`neocode COMMAND --help` tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("prompt", nargs="?", help="sent as the first message")
    parser.add_argument("--version", "-V", action="store_true", help="print the version")
    add_session_options(parser)
    args = parser.parse_args(argv)
    return _start_screen, args


def add_session_options(parser: argparse.ArgumentParser) -> Any:
    """The options that the screen and `run` share; returns the group that names the session."""
    parser.add_argument("--model", metavar="NAME", help="a configured model")
    parser.add_argument("--agent", metavar="NAME", help="an agent profile")
    parser.add_argument("--mode", choices=MODES, help="permission mode")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--continue", "-c", dest="latest", action="store_true", help="the newest session here"
    )
    which.add_argument(
        "--resume", "-r", nargs="?", const="", metavar="ID", help="a session by id, or choose one"
    )
    return which


def _start_screen(args: argparse.Namespace) -> int:
    if args.version:
        from neocode import __version__

        print(f"neocode {__version__}")
        return 0
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "neocode: the screen needs a terminal; use `neocode run PROMPT` here.",
            file=sys.stderr,
        )
        return 2
    from neocode.cli.early_keys import early_keys

    with early_keys():
        from neocode.cli.screen import start

        code = start(args)
    return finish(code)

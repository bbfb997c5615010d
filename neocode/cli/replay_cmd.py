"""`neocode replay`: a recorded conversation, run again without a session."""

import argparse
import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neocode.cli.printing import add_output
from neocode.config.schema import AutoCompactConfig, CompactConfig, ContextConfig, Strategy
from neocode.domain.errors import ConfigError, NeoCodeError
from neocode.domain.model import ModelInfo
from neocode.provider.base import Provider
from neocode.replay.options import PLAYED, ReplayOptions

if TYPE_CHECKING:
    from neocode.cli.replay_output import Printer
    from neocode.replay.probes import Probe
    from neocode.replay.recording import Recording

STRATEGIES = ("keep_recent", "full_replace", "token_budget", "extractive")
NEVER = 10**15
_ABOUT = (
    "Play a recording step by step: every assistant message is one model call over all that "
    "stands before it. Shows what would be sent, cleared and archived, and its price. No "
    "session is changed. Of the configuration only --model is taken."
)


def add_parser(commands: Any) -> None:
    """Register `replay`."""
    parser = commands.add_parser(
        "replay", help="play a recording", description=_ABOUT, allow_abbrev=False
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a JSONL file, or a folder of them")
    add_output(parser)
    _add_compaction(parser)
    number = _whole
    parser.add_argument("--window", type=number(1024), metavar="N", help="tokens of the window")
    parser.add_argument("--model", metavar="NAME", help="a configured model: window, prices")
    parser.add_argument(
        "--keep-blocks", type=number(1), metavar="N", help="newest blocks left whole"
    )
    parser.add_argument("--min-tokens", type=number(0), metavar="N", help="least that is cleared")
    parser.add_argument("--no-micro", action="store_true", help="never clear old tool results")
    parser.add_argument(
        "--probes",
        type=Path,
        metavar="FILE",
        help="facts to look for, or a folder of NAME.probes.json",
    )
    parser.set_defaults(handler=handle)


def _add_compaction(parser: argparse.ArgumentParser) -> None:
    number = _whole
    parser.add_argument("--compact", choices=STRATEGIES, help="extractive: keep_recent, by code")
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--threshold", type=number(1), metavar="N", help="compact at this sum of input tokens"
    )
    when.add_argument("--percent", type=number(1, 100), metavar="N", help="... share of the window")
    when.add_argument(
        "--at",
        type=number(0),
        metavar="STEP",
        help="... before this step; 0: after the last (default)",
    )
    parser.add_argument(
        "--summary",
        type=Path,
        metavar="FILE",
        help="the summariser's answer; without it --model is asked, without both it is by code",
    )
    parser.add_argument(
        "--keep-words", type=number(0), metavar="N", help="tokens for the user's own words"
    )


def _whole(least: int, most: int = NEVER) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be {_bounds(least, most)}")
        return value

    parse.__name__ = "whole number"
    return parse


def _bounds(least: int, most: int) -> str:
    return f"at least {least}" if most == NEVER else f"from {least} to {most}"


def handle(args: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    from neocode.cli.replay_output import Printer
    from neocode.replay.recording import load_recordings

    answer = _answer(args)
    options = _options(args, is_scripted=answer is not None)
    recordings = load_recordings(args.file)
    probes = [_probes(args.probes, recording.name) for recording in recordings]
    printer = Printer(args.output, is_folder=args.file.is_dir(), window=options.model.window)
    asyncio.run(_play(recordings, probes, options, _provider(options, answer), printer))
    printer.finish()
    return 0


async def _play(
    recordings: "Sequence[Recording]",
    probes: "Sequence[Sequence[Probe]]",
    options: ReplayOptions,
    provider: Provider,
    printer: "Printer",
) -> None:
    from neocode.context.tokens import TokenCounter
    from neocode.replay.run import replay

    counter = TokenCounter()
    for recording, facts in zip(recordings, probes, strict=True):
        printer.begin(recording)
        played = await replay(
            recording, options, provider, counter, probes=facts, emit=printer.event
        )
        printer.end(played)


def _options(args: argparse.Namespace, *, is_scripted: bool) -> ReplayOptions:
    model = _model(args.model) if args.model else PLAYED
    if args.window:
        model = replace(model, window=args.window, window_source="config")
    is_due = args.threshold is not None or args.percent is not None
    strategy: Strategy | None = "keep_recent" if args.compact == "extractive" else args.compact
    if strategy is None and (is_due or args.at is not None or args.summary):
        raise ConfigError(
            "--threshold, --percent, --at and --summary say when and how to compact; "
            "--compact is missing.",
            hint=f"Add --compact with one of {', '.join(STRATEGIES)}.",
        )
    at = args.at if args.at is not None else None if is_due or strategy is None else 0
    return ReplayOptions(
        context=_context(args),
        model=model,
        strategy=strategy,
        by_code=args.compact == "extractive" or not (args.model or is_scripted),
        at=at,
    )


def _context(args: argparse.Namespace) -> ContextConfig:
    """The built-in defaults, changed by the command line alone."""
    compact = CompactConfig(micro_compact_disabled=args.no_micro)
    given = {
        "keep_user_words_tokens": args.keep_words,
        "micro_compact_keep_recent_blocks": args.keep_blocks,
        "micro_compact_min_tokens": args.min_tokens,
    }
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    auto = AutoCompactConfig()
    if args.threshold is not None:
        auto = AutoCompactConfig(enabled=True, input_token_threshold=args.threshold)
    elif args.percent is not None:
        auto = AutoCompactConfig(
            enabled=True, trigger="context_window", threshold_percent=args.percent
        )
    return ContextConfig(compact=replace(compact, **changes), auto_compact=auto)


def _model(name: str) -> ModelInfo:
    """The configured model of this name; raises ConfigError when there is none."""
    from neocode.wiring.launch import load_settings, usable_models

    loaded, paths = load_settings(Path.cwd())
    models = usable_models(loaded.config, paths)
    found = next((model for model in models if model.name == name), None)
    if found is None:
        known = ", ".join(model.name for model in models) or "none"
        raise ConfigError(
            f"There is no usable model named {name!r}.", hint=f"Usable models: {known}."
        )
    return found


def _answer(args: argparse.Namespace) -> str | None:
    """The scripted answer of --summary; None without one."""
    if args.summary is None or args.compact == "extractive":
        return None
    try:
        return str(args.summary.read_text("utf-8"))
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise NeoCodeError(f"{args.summary} cannot be read: {said}.") from error


def _provider(options: ReplayOptions, answer: str | None) -> Provider:
    """Who writes the summaries: the script, the model for real, or nobody."""
    from neocode.provider.fake import ScriptedProvider

    if answer is not None or options.by_code or options.strategy is None:
        return ScriptedProvider(then=answer)
    from neocode.wiring.launch import real_provider

    return real_provider(os.environ)


def _probes(path: Path | None, name: str) -> "tuple[Probe, ...]":
    """The probes of a recording; of a folder NAME.probes.json, where there is one."""
    from neocode.replay.probes import read_probes

    if path is None:
        return ()
    if path.is_dir():
        path = path / f"{name}.probes.json"
        if not path.exists():
            return ()
    return read_probes(path)

"""`neocode`: the screen."""

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neocode.runtime.api import EngineApi


def start(args: argparse.Namespace) -> int:
    """Open the screen and stay until the user leaves; returns the exit status."""
    from neocode.cli.shelf import StoreShelf
    from neocode.config.paths import resolve_paths
    from neocode.tui.app import NeoCodeApp, run_app
    from neocode.tui.outside.peek import peek
    from neocode.tui.ports import Surroundings

    paths = resolve_paths(os.environ)
    looks = peek(paths.config_file)

    async def make_engine() -> "EngineApi":
        from neocode.wiring import Launch, open_engine

        return await open_engine(
            Launch(
                model=args.model,
                agent=args.agent,
                mode=args.mode,
                session=args.resume or None,
                latest=args.latest,
            )
        )

    around = Surroundings(
        shelf=StoreShelf(paths),
        history_path=paths.data / "prompts.jsonl",
        logs_dir=paths.logs,
        theme=looks.theme,
        mouse=looks.mouse,
        copy_path=paths.state / "copied.txt",
        drafts_path=paths.data / "drafts.json",
        prompt="/sessions" if args.resume == "" else args.prompt or "",
    )
    return run_app(NeoCodeApp(make_engine, around), mouse=looks.mouse)

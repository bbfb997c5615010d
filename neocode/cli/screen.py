"""`neocode`: the screen."""

import argparse
import os
import sys


def start(args: argparse.Namespace) -> int:
    """Open the screen and stay until the user leaves; returns the exit status."""
    from neocode.tui.app import NeoCodeApp

    async def engine() -> object:
        from neocode.wiring import Launch, open_engine

        return await open_engine(
            Launch(
                model=args.model,
                agent=args.agent,
                mode=args.mode,
                session=args.resume or None,
                latest=args.latest,
                interactive=True,
            )
        )

    app = NeoCodeApp(engine, first_prompt=args.prompt or "", choose_session=args.resume == "")
    app.run()
    sys.stdout.flush()
    os._exit(app.return_code or 0)

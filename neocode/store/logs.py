"""Our own log: a few lines a day, in a file, never on the screen."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from neocode.config.paths import make_private_folder

MAX_BYTES = 1_000_000


def log_to(folder: Path) -> None:
    """Send what NeoCode logs to neocode.log in the folder (0700); once a process."""
    make_private_folder(folder)
    logger = logging.getLogger("neocode")
    if logger.handlers:
        return
    handler = RotatingFileHandler(
        folder / "neocode.log", maxBytes=MAX_BYTES, backupCount=2, delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False

"""Our own log: a few lines a day, in a file, never on the screen."""

import logging
from pathlib import Path

from neocode.config.log_file import PrivateLogFile
from neocode.config.paths import make_private_folder


def log_to(folder: Path) -> None:
    """Send what NeoCode logs to neocode.log in the folder (0700); once a process."""
    make_private_folder(folder)
    logger = logging.getLogger("neocode")
    if logger.handlers:
        return
    logger.addHandler(PrivateLogFile(folder / "neocode.log"))
    logger.setLevel(logging.INFO)
    logger.propagate = False

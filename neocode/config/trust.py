"""Which project folders may bring instructions and configuration (spec/safety "Trust").

One JSON object in <data>/trusted.json, real path -> the user's answer; what cannot be
read counts as not asked. A folder is trusted by itself: neither those above nor those
below it are.
"""

import json
import os
from pathlib import Path

from neocode.config.atomic import write_atomically
from neocode.config.paths import Paths
from neocode.domain.errors import StoreError

_FILE = "trusted.json"


def answer_for(paths: Paths, root: Path) -> bool | None:
    """The user's answer about exactly this folder, whatever link leads there; None: not asked."""
    return _read(paths).get(os.path.realpath(root))


def is_trusted(paths: Paths, root: Path) -> bool:
    """True when the user has said yes."""
    return answer_for(paths, root) is True


def record_answer(paths: Paths, root: Path, trusted: bool) -> None:
    """Remember the answer. Raises StoreError when it cannot be written."""
    answers = _read(paths) | {os.path.realpath(root): trusted}
    try:
        text = json.dumps(answers, indent=1, sort_keys=True)
        write_atomically(paths.data / _FILE, text.encode())
    except OSError as error:
        raise StoreError(
            f"The trust in {root} cannot be kept: {error.strerror}.",
            hint=f"Check owner, mode and free space of {paths.data}.",
        ) from error


def _read(paths: Paths) -> dict[str, bool]:
    try:
        found = json.loads((paths.data / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {path: answer for path, answer in found.items() if isinstance(answer, bool)}

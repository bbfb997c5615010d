"""Which project folders the user has said may bring their own configuration (spec/safety).

One JSON list of real paths in <data>/trusted.json; what cannot be read counts as not
trusted. A folder is trusted by itself: neither those above nor those below it are.
"""

import json
import os
from pathlib import Path

from neocode.config.atomic import replace_file
from neocode.config.paths import Paths
from neocode.domain.errors import StoreError

_FILE = "trusted.json"


def is_trusted(paths: Paths, root: Path) -> bool:
    """True when the user has trusted exactly this folder, whatever link leads there."""
    return os.path.realpath(root) in _read(paths)


def trust(paths: Paths, root: Path) -> None:
    """Remember the folder. Raises StoreError when it cannot be written."""
    folders = _read(paths) | {os.path.realpath(root)}
    try:
        replace_file(paths.data / _FILE, json.dumps(sorted(folders), indent=1).encode())
    except OSError as error:
        raise StoreError(
            f"The trust in {root} cannot be kept: {error.strerror}.",
            hint=f"Check owner, mode and free space of {paths.data}.",
        ) from error


def _read(paths: Paths) -> set[str]:
    try:
        found = json.loads((paths.data / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return set()
    return {item for item in found if isinstance(item, str)} if isinstance(found, list) else set()

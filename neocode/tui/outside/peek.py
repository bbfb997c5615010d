"""Two settings that the first paint needs, read from the file's text without a YAML parser.

A guess: what it says wrongly is put right when the configuration has been read.
"""

import re
from pathlib import Path
from typing import NamedTuple

_SECTION = re.compile(
    r"^ui:[ \t]*(\{[^}\n]*\})?[^\n]*\n?((?:[ \t]+[^\n]*\n?|[ \t]*(?:#[^\n]*)?\n)*)", re.M
)
_MOST = 200_000


class Looks(NamedTuple):
    """theme: ui.theme; mouse: ui.mouse."""

    theme: str = "auto"
    mouse: bool = True


def peek(path: Path) -> Looks:
    """ui.theme and ui.mouse as the file seems to have them; the defaults when it cannot be read."""
    try:
        text = path.read_bytes()[:_MOST].decode("utf-8", "replace")
    except OSError:
        return Looks()
    found = _SECTION.search(text.replace("\r\n", "\n"))
    section = f"{found[1] or ''}\n{found[2]}" if found else ""
    theme = _value("theme", section)
    mouse = _value("mouse", section).lower()
    return Looks(theme or "auto", mouse not in ("false", "no", "off"))


def _value(key: str, section: str) -> str:
    found = re.search(rf"(?m)(?:^[ \t]*|[{{,][ \t]*){key}[ \t]*:[ \t]*[\"']?([\w-]+)", section)
    return found[1] if found else ""

"""Writes settings back to the user's configuration, and says what came of it."""

from pathlib import Path
from typing import NamedTuple

from neocode.config.edit import set_value
from neocode.domain.errors import NeoCodeError
from neocode.runtime.api import EngineApi


class Saved(NamedTuple):
    """How a change ended. words: what to say; failed: nothing was written."""

    words: str
    failed: bool = False


def save(engine: EngineApi, key: str, value: object) -> Saved:
    """Give a key of config.yaml a value (None: inherit), comments and order kept.

    In force at once while nothing runs, else from the next run on; errors become words.
    """
    try:
        set_value(engine.config_file, key, value)
    except NeoCodeError as error:
        return Saved(_short(error), failed=True)
    try:
        engine.reload_config()
    except NeoCodeError as error:
        return Saved(f"Saved, but the settings cannot be read again: {_short(error)}")
    return Saved("Saved for the next run." if engine.busy else "Saved.")


def tilde(path: Path) -> str:
    """The path as people write it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def turn_automatic_on(engine: EngineApi) -> Saved:
    """What the hint's switch does: enabled, at the threshold of the window (spec/tui)."""
    first = save(engine, "context.auto_compact.enabled", True)
    if first.failed:
        return first
    second = save(engine, "context.auto_compact.trigger", "context_window")
    if second.failed:
        return second
    percent = engine.config.context.auto_compact.threshold_percent
    return Saved(f"Automatic compaction is on, at {percent} % of the window. {second.words}")


def _short(error: NeoCodeError) -> str:
    return f"{error.message} {error.hint}".strip()

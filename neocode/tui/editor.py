"""The input in the user's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import App, SuspendNotSupported


def edit_in_editor(app: App[None], text: str) -> tuple[str, str]:
    """The edited text and "", or the text as it was and what went wrong.

    $VISUAL, else $EDITOR, else vi; the screen is given back while it runs.
    """
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    handle, name = tempfile.mkstemp(prefix="neocode-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        with app.suspend():
            status = subprocess.run([*command, name], check=False).returncode
        if status:
            return text, f"{command[0]} ended with status {status}; the input is as it was."
        return path.read_text(encoding="utf-8", errors="replace").rstrip("\n"), ""
    except (OSError, SuspendNotSupported) as error:
        return text, f"The editor cannot be started: {error}. Set $EDITOR to one that is installed."
    finally:
        path.unlink(missing_ok=True)

"""Files that were dropped on the terminal, or whose path was pasted, become mentions."""

import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

_MOST = 20


def mention_of(paste: str, root: Path) -> str:
    """ "@src/a.png " for a paste that is nothing but paths of files that exist, else "".

    Terminals write a dropped file's path bare, in quotes, with backslashes, or as file://.
    Only absolute paths count: a word that happens to name a file is left alone.
    """
    text = paste.strip()
    if not text or len(text) > 4_000 or text.count("\n") >= _MOST:
        return ""
    if not text.startswith(("/", "'/", '"/', "~/", "file://", "'file://")) and text[1:3] != ":\\":
        return ""
    paths = [_existing(part) for part in _parts(text)]
    if not paths or len(paths) > _MOST or None in paths:
        return ""
    return "".join(f"@{quoted(_shown(path, root))} " for path in paths if path is not None)


def quoted(path: str) -> str:
    """A path as a mention takes it: in quotes when it has blanks or quotes."""
    if not any(char in path for char in " \"'`<>|"):
        return path
    return f'"{path}"' if '"' not in path else f"'{path}'"


def _parts(text: str) -> list[str]:
    if "\n" not in text and _existing(text) is not None:
        return [text]
    try:
        return shlex.split(text, posix=text[1:3] != ":\\")
    except ValueError:
        return []


def _existing(text: str) -> Path | None:
    if text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    try:
        path = Path(text).expanduser()
        return path if path.is_absolute() and path.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _shown(path: Path, root: Path) -> str:
    """From the project's folder where it lies in there."""
    try:
        return path.relative_to(root).as_posix() or "."
    except ValueError:
        return str(path)

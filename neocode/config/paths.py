"""Every folder we use (spec/interface, "Where things are"), and how private ones are made."""

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neocode.domain.errors import StoreError

_APP = "neocode"
_DASH = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Absolute places; none of them need exist yet.

    data: holds db and projects. state: crash reports; logs lie below it.
    """

    config_file: Path
    data: Path
    db: Path
    projects: Path
    state: Path
    logs: Path
    cache: Path

    def transcripts(self, root: Path) -> Path:
        """The transcripts' folder of the project at root."""
        return self.projects / project_key(root) / "transcripts"

    def checkpoints(self, root: Path) -> Path:
        """The folder of what files of the project at root were."""
        return self.projects / project_key(root) / "checkpoints"


def resolve_paths(environ: Mapping[str, str]) -> Paths:
    """The places for this user; NEOCODE_HOME puts all of them under one folder."""
    home = environ.get("NEOCODE_HOME", "").strip()
    if home:
        base = _expanded(home, environ).absolute()
        return _paths(base, base, base, base / "cache")
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        dirs = platformdirs.PlatformDirs(_APP, appauthor=False)
        return _paths(
            dirs.user_config_path, dirs.user_data_path, dirs.user_state_path, dirs.user_cache_path
        )
    return _paths(
        _xdg(environ, "XDG_CONFIG_HOME", ".config"),
        _xdg(environ, "XDG_DATA_HOME", ".local/share"),
        _xdg(environ, "XDG_STATE_HOME", ".local/state"),
        _xdg(environ, "XDG_CACHE_HOME", ".cache"),
    )


def _paths(config: Path, data: Path, state: Path, cache: Path) -> Paths:
    return Paths(
        config_file=config / "config.yaml",
        data=data,
        db=data / "sessions.db",
        projects=data / "projects",
        state=state,
        logs=state / "logs",
        cache=cache,
    )


def _home(environ: Mapping[str, str]) -> Path:
    """HOME as given; the password file's entry without one, as in a bare service."""
    home = environ.get("HOME", "")
    return Path(home) if Path(home).is_absolute() else Path("~").expanduser()


def _expanded(text: str, environ: Mapping[str, str]) -> Path:
    return _home(environ) / text[2:] if text == "~" or text.startswith("~/") else Path(text)


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    """An XDG folder; the standard has relative values ignored."""
    given = Path(environ.get(variable, ""))
    return (given if given.is_absolute() else _home(environ) / fallback) / _APP


def project_key(root: Path) -> str:
    """Folder name of a project: its readable name and a hash of its real path.

    Stable for one real path, whatever link leads there; at most 51 characters.
    """
    real = os.path.realpath(root)
    digest = hashlib.sha256(os.fsencode(os.path.normcase(real))).hexdigest()[:10]
    name = _DASH.sub("-", Path(real).name).strip("-.")[:40]
    while len(os.fsencode(name)) > 120:
        name = name[:-1]
    return f"{name or 'root'}-{digest}"


def make_private_folder(path: Path) -> None:
    """Make the folder and those above it that are missing, 0700 whatever the umask.

    A folder that exists keeps its mode. Raises StoreError when it cannot be made.
    """
    missing = []
    folder = path
    while not folder.exists() and folder.parent != folder:
        missing.append(folder)
        folder = folder.parent
    try:
        for each in reversed(missing):
            _make_one(each)
        if not path.is_dir():
            raise NotADirectoryError(20, "a file stands where the folder should be")
    except OSError as error:
        raise StoreError(
            f"The folder {path} cannot be made: {error.strerror}.",
            hint="Check its owner and mode, or choose another place with NEOCODE_HOME=DIR.",
        ) from error


def _make_one(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return  # another process was quicker
    folder.chmod(0o700)  # a umask may have taken bits away

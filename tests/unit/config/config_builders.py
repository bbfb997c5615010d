"""Small makers for the tests of the configuration."""

from collections.abc import Mapping
from pathlib import Path

from neocode.config.load import Loaded, load_config
from neocode.config.paths import Paths, resolve_paths
from neocode.config.problems import InvalidConfig, Problem


def home(folder: Path) -> Paths:
    """All places under one folder."""
    return resolve_paths({"NEOCODE_HOME": str(folder / "home")})


def write(path: Path, text: str | bytes) -> Path:
    """The file, made with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(
    folder: Path,
    text: str | bytes | None = None,
    *,
    project: str | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    trusted: bool = True,
) -> Loaded:
    """Load what the texts say."""
    paths, root = home(folder), folder / "project"
    if text is not None:
        write(paths.config_file, text)
    if project is not None:
        write(root / ".neocode" / "config.yaml", project)
    return load_config(paths, root, environ or {}, overrides or {}, trusted)


def faults(folder: Path, text: str | bytes | None = None, **more: object) -> tuple[Problem, ...]:
    """The problems that loading these raises; none when it loads."""
    try:
        load(folder, text, **more)  # type: ignore[arg-type]
    except InvalidConfig as error:
        return error.problems
    return ()


def said(folder: Path, text: str | bytes | None = None, **more: object) -> str:
    """The problems as the user reads them, the folder left out."""
    lines = [str(problem) for problem in faults(folder, text, **more)]
    return "\n".join(lines).replace(f"{folder}/home/", "").replace(f"{folder}/project/", "")

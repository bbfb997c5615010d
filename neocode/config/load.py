"""Layers -> one checked Config (spec/interface, "Where things are" and "config.yaml").

Built in < user's file < trusted project's file < NEOCODE_* < command line. Every fault
of every layer is collected; with any, nothing is built and InvalidConfig is raised.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neocode.config.address import branch, find_address, from_text
from neocode.config.build import build
from neocode.config.check import check
from neocode.config.environment import environment_layer
from neocode.config.files import Stamp, read_text, stamp_of
from neocode.config.layers import check_whole, origins_of, overlay
from neocode.config.parse import parse
from neocode.config.paths import Paths
from neocode.config.problems import Faults
from neocode.config.project import project_layer
from neocode.config.schema import Config
from neocode.config.spec import root_spec
from neocode.config.tree import LayerKind, Origin, Table, from_plain

PROJECT_FILE = Path(".neocode", "config.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A configuration in force.

    origins: dotted path -> where the value comes from, for every key.
    files: the files looked at, absent ones included, as they were before reading.
    untrusted: the project's file when there is one that was not read, or None.
    """

    config: Config
    origins: Mapping[str, Origin]
    files: tuple[Stamp, ...]
    untrusted: Path | None = None

    @property
    def changed(self) -> bool:
        """True when a file is no longer what it was: load again (before the next run)."""
        return any(stamp_of(old.path) != old for old in self.files)


def load_config(
    paths: Paths,
    root: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object],
    trusted: bool,
) -> Loaded:
    """Read, check and join all layers.

    root: the project folder; None for none. overrides: dotted key -> value, where texts
    are read as in from_text and None is null. trusted: the project's file may be read.
    Raises InvalidConfig with all faults. No file is ever written.
    """
    faults = Faults()
    project_file = _project_file(paths, root)
    files = [stamp_of(paths.config_file)]
    user = read_layer(paths.config_file, "user", faults)
    tree = user
    if project_file and trusted:
        files.append(stamp_of(project_file))
        project = read_layer(project_file, "project", faults)
        tree = _over(tree, project_layer(project, user, faults))
    environment = check(root_spec(), environment_layer(environ, faults), faults)
    tree = _over(_over(tree, environment), override_layer(overrides, faults))
    check_whole(tree, faults)
    faults.raise_any()
    ignored = project_file if project_file and not trusted and project_file.exists() else None
    return Loaded(
        config=build(tree), origins=origins_of(tree), files=tuple(files), untrusted=ignored
    )


def read_layer(path: Path, kind: LayerKind, faults: Faults) -> Table:
    """One file's sound part; empty when the file is absent or empty."""
    text = read_text(path, kind, faults)
    return text_layer(text or "", path, kind, faults)


def text_layer(text: str, path: Path, kind: LayerKind, faults: Faults) -> Table:
    """The sound part of a file's text; path is for messages only."""

    def place_of(line: int, column: int) -> Origin:
        return Origin(kind=kind, where=str(path), line=line, column=column)

    checked = check(root_spec(), parse(text, place_of, faults), faults)
    return checked or Table({}, Origin(kind=kind, where=str(path)))


def override_layer(overrides: Mapping[str, object], faults: Faults) -> Table:
    """The command line's layer, checked."""
    origin = Origin(kind="command line")
    tree = Table({}, origin)
    for dotted, value in overrides.items():
        address = find_address(dotted, origin, faults)
        if address is None:
            continue
        if isinstance(value, str):
            node = from_text(address.spec, value, origin, faults)
        else:
            node = from_plain(value, origin)
        if node is not None:
            tree = _over(tree, branch(address, node, origin))
    return check(root_spec(), tree, faults) or tree


def _project_file(paths: Paths, root: Path | None) -> Path | None:
    """The project's file, unless it is the user's own (NEOCODE_HOME=.neocode)."""
    if root is None:
        return None
    path = root / PROJECT_FILE
    same = os.path.realpath(path) == os.path.realpath(paths.config_file)
    return None if same else path


def _over(below: Table, above: Table | None) -> Table:
    joined = overlay(below, above, root_spec()) if above is not None else below
    return joined if isinstance(joined, Table) else below

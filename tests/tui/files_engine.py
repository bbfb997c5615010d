"""A fake engine whose configuration is a real file."""

import os
from dataclasses import dataclass
from pathlib import Path

from neocode.config.load import load_config
from neocode.config.paths import resolve_paths
from neocode.config.schema import Config
from tests.tui.fake_engine import FakeEngine

YAML = """\
# what I use
model: sonnet
models:
  - name: sonnet
    id: anthropic/claude-sonnet-4-5
  - name: haiku  # cheap
    id: anthropic/claude-haiku-4-5
    auxiliary: true
agents:
  - name: reviewer
    threshold_percent: 60
context:
  auto_compact:
    threshold_percent: 72  # my own
"""


@dataclass
class FilesEngine(FakeEngine):
    """reload_config() reads the file, as the real one does between two runs."""

    def reload_config(self) -> None:
        """Read it."""
        if not self.busy:
            home = self.config_file.parent
            environ = {"NEOCODE_HOME": str(home), "HOME": str(home), **_only("PATH")}
            loaded = load_config(resolve_paths(environ), home / "project", environ, {}, False)
            self.config = loaded.config

    @property
    def text(self) -> str:
        """The file as it is now."""
        return self.config_file.read_text()


def _only(name: str) -> dict[str, str]:
    return {name: os.environ[name]} if name in os.environ else {}


def files_engine(folder: Path, text: str = YAML) -> FilesEngine:
    """An engine on a file with this text."""
    (folder / "project").mkdir()
    path = folder / "config.yaml"
    path.write_text(text)
    engine = FilesEngine(config=Config(), config_file=path)
    engine.reload_config()
    return engine

"""A home, a project and a model server for programs in a pseudo-terminal."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.http_server import Answer, LlmServer
from tests.pty.terminal import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty NEOCODE_HOME."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one file."""
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "trunk"], cwd=folder, check=True)
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    return folder


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., LlmServer]]:
    """Starts the model server and configures it as the model `lab`."""
    running: list[LlmServer] = []

    def start(*answers: Answer, **model: object) -> LlmServer:
        server = LlmServer(*answers)
        server.__enter__()
        running.append(server)
        entry = {
            "name": "lab",
            "id": "openai/test-model",
            "api_base": server.url,
            "api_key": "none",
            "context_window": 32768,
            **model,
        }
        config = {"model": "lab", "models": [entry]}
        (home / "config.yaml").write_text(yaml.safe_dump(config))
        return server

    yield start
    for server in running:
        server.__exit__(None, None, None)


@pytest.fixture
def neocode(home: Path, project: Path) -> Iterator[Start]:
    """Starts the program in the project; ends it after the test."""
    opened: list[Terminal] = []

    def start(*arguments: str, **options: object) -> Terminal:
        terminal = Terminal(list(arguments), project, home, **options)  # type: ignore[arg-type]
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()

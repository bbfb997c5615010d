"""`neocode models`, by its parser and handler."""

import argparse
import json
from pathlib import Path

import pytest

from neocode.cli.models_cmd import add_parser
from neocode.domain.errors import ConfigError, NeoCodeError

CONFIG = """
model: lab
models:
  - {name: sonnet, id: anthropic/claude-sonnet-4-5, api_key_env: NOT_SET_HERE}
  - {name: lab, id: openai/own, api_base: "http://127.0.0.1:9/v1", api_key: none,
     context_window: 32768}
  - {name: keyed, id: mistral/devstral-latest, api_key: "sk-very-secret"}
"""


def run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    args = parser.parse_args(["models", *argv])
    status: int = args.handler(args)
    return status


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path))
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def test_the_table_names_window_price_and_key(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    shown = capsys.readouterr().out
    assert "NOT_SET_HERE" in shown
    assert "lab *" in shown
    assert "32,768" in shown
    assert "unknown" in shown
    assert "very-secret" not in shown


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_data_for_scripts(home: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    run("--output", output)
    out = capsys.readouterr().out
    rows = json.loads(out) if output == "json" else [json.loads(x) for x in out.splitlines()]
    found = {row["name"]: row for row in rows}
    assert found["sonnet"]["key"] == "missing"
    assert not found["sonnet"]["usable"]
    assert found["lab"]["window"] == 32768
    assert found["lab"]["price"] is None
    assert found["keyed"]["key"] == "present"
    assert "very-secret" not in out


def test_install_of_an_unknown_name(home: Path) -> None:
    with pytest.raises(ConfigError):
        run("install", "nope")


def test_install_from_a_wrong_file_says_so(home: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"x" * 3000)
    with pytest.raises(NeoCodeError, match="SHA-256"):
        run("install", "qwen-0.5b", "--from", str(wrong))

"""`neocode config` as a user types it (spec/interface, "Commands")."""

import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from neocode.cli.main import run

KEYS = """\
model: lab
models:
  - {name: lab, id: openai/x, api_key: sk-secret-1, api_base: "http://me:sk-secret-2@h/v1"}
  - {name: far, id: openai/y, api_key: "${NOT_SET_HERE:-}"}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("NEOCODE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "home"


def config(*words: str) -> int:
    return run(["config", *words])


def test_path(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config("path") == 0
    assert capsys.readouterr().out == f"{home}/config.yaml\n"
    assert config("path", "--output", "jsonl") == 0
    assert json.loads(capsys.readouterr().out)["db"] == f"{home}/sessions.db"
    assert not home.exists()


def test_init_writes_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config("init") == 0
    assert (home / "config.yaml").stat().st_mode & 0o777 == 0o600
    before = (home / "config.yaml").read_bytes()
    assert config("init") == 1
    assert "is there already and was left as it is" in capsys.readouterr().err
    assert (home / "config.yaml").read_bytes() == before
    assert config("check") == 0


def test_show_covers_secrets_in_every_form(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "config.yaml").write_text(KEYS)
    for output in ("text", "json", "jsonl"):
        for origin in ((), ("--origin",)):
            assert config("show", "--output", output, *origin) == 0
            out = capsys.readouterr().out
            assert "sk-secret" not in out
            assert "(set)" in out
    assert config("show") == 0
    assert yaml.safe_load(capsys.readouterr().out)["models"][0]["api_key"] == "(set)"
    assert config("show", "--origin") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("models.lab.id: openai/x ") for line in lines)
    assert any(line.endswith(f"# {home}/config.yaml:1") for line in lines)
    assert config("show", "--origin", "--output", "json") == 0
    assert {"key": "ui.bell", "value": True, "origin": "built in"} in json.loads(
        capsys.readouterr().out
    )


def test_check_names_faults_and_notes_missing_keys(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / "config.yaml").write_text(KEYS)
    assert config("check") == 0
    assert "note: The variable NOT_SET_HERE" not in capsys.readouterr().out
    (home / "config.yaml").write_text("ui:\n  mous: true\n")
    assert config("check") == 2
    captured = capsys.readouterr()
    assert f"{home}/config.yaml:2:3: ui.mous: unknown key; did you mean mouse?" in captured.err
    assert "Traceback" not in captured.err
    assert config("check", "--output", "json") == 2
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert report["problems"][0] == {
        "file": f"{home}/config.yaml",
        "line": 2,
        "column": 3,
        "key": "ui.mous",
        "message": "unknown key",
        "suggestion": "mouse",
    }


def test_check_tests_the_projects_file_and_show_leaves_it_until_trusted(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".neocode").mkdir()
    Path(".neocode/config.yaml").write_text("permissions: {mode: auto}\n")
    assert config("check") == 2
    assert "permissions.mode: wider than your own mode" in capsys.readouterr().err
    assert config("show", "--output", "json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["permissions"]["mode"] == "ask"
    assert "is not trusted and was not read" in captured.err


def test_schema(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config("schema") == 0
    assert json.loads(capsys.readouterr().out)["properties"]["context"]


def test_set(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config("set", "models.lab", "{id: a/b, api_key: sk-secret}") == 0
    assert config("set", "models.lab.api_key", "sk-secret") == 0
    assert config("set", "model", "lab") == 0
    assert config("set", "context.auto_compact.threshold_percent", "80") == 0
    assert config("set", "permissions.allow", "['bash(x)']") == 0
    assert "sk-secret" not in capsys.readouterr().out
    loaded = yaml.safe_load((home / "config.yaml").read_text())
    assert loaded["context"] == {"auto_compact": {"threshold_percent": 80}}
    assert loaded["permissions"] == {"allow": ["bash(x)"]}
    assert config("set", "context.auto_compact.threshold_percent", "null") == 0
    assert "context" not in yaml.safe_load((home / "config.yaml").read_text())
    for key, value in (("ui.them", "dark"), ("ui.mouse", "1"), ("ui", "[a"), ("model", "x")):
        assert config("set", key, value) == 2
    assert "did you mean ui.theme?" in capsys.readouterr().err


def test_edit_opens_the_editor_and_checks(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    script = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] if sys.argv[2:] else 'ui:\\n')"
    monkeypatch.setenv("EDITOR", f'{sys.executable} -c "{script}"')
    assert config("edit") == 0
    assert "The configuration is valid" in capsys.readouterr().out
    assert config("edit") == 2
    assert "the key is given twice" in capsys.readouterr().err
    for editor, status in (("/not/there", 1), (f'{sys.executable} -c "exit(3)"', 1), ('"', 2)):
        monkeypatch.setenv("EDITOR", editor)
        assert config("edit") == status
        assert "Traceback" not in capsys.readouterr().err


def test_without_a_command_the_usage_is_shown(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config() == 2
    assert "init" in capsys.readouterr().err

"""A project's file: read when trusted, and never wider than the user (spec/interface)."""

from pathlib import Path

import pytest

from neocode.config.trust import answer_for, is_trusted, record_answer
from tests.unit.config.config_builders import home, load, said

LAB = "models: [{name: lab, id: a/b, api_key: k}]\n"


def test_an_untrusted_file_is_not_read_but_named(tmp_path: Path) -> None:
    loaded = load(tmp_path, project="\tnonsense", trusted=False)
    assert loaded.untrusted == tmp_path / "project" / ".neocode" / "config.yaml"
    assert len(loaded.files) == 1


@pytest.mark.parametrize(
    ("user", "project", "key"),
    [
        ("", "models: [{name: m, id: x/y, api_key: none}]", "models.m.api_key"),
        ("", "models: [{name: m, id: x/y, api_key_env: HOME}]", "models.m.api_key_env"),
        (LAB, "models: [{name: lab, api_base: 'http://evil'}]", "models.lab.api_base"),
        (LAB, "models: [{name: lab, id: other/b}]", "models.lab.id"),
        ("", "permissions: {mode: auto}", "permissions.mode"),
        ("permissions: {mode: plan}", "permissions: {mode: ask}", "permissions.mode"),
        ("", "agents: [{name: a, mode: accept-edits}]", "agents.a.mode"),
        ("", "permissions: {allow: ['bash(rm *)']}", "permissions.allow[0]"),
        ("permissions: {sandbox: true}", "permissions: {sandbox: false}", "permissions.sandbox"),
        ("", "permissions: {sandbox_network: true}", "permissions.sandbox_network"),
    ],
)
def test_what_a_project_may_not_say(tmp_path: Path, user: str, project: str, key: str) -> None:
    words = said(tmp_path, user, project=project)
    assert words.startswith(".neocode/config.yaml:1:")
    assert f": {key}: " in words
    assert "evil" not in words


def test_what_a_project_may_say(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        "permissions: {mode: accept-edits, allow: [a, b], deny: ['read(**/.env)']}\n" + LAB,
        project="""\
model: lab
models: [{name: lab, id: a/b, context_window: 4096}, {name: own, id: ollama/x}]
permissions: {mode: plan, allow: [b], deny: ['bash(git push *)'], sandbox: true}
agents: [{name: reviewer, mode: ask}]
""",
    ).config
    assert config.permissions.mode == "plan"
    assert config.permissions.allow == ("b",)
    assert config.permissions.deny == ("read(**/.env)", "bash(git push *)")
    assert [(model.name, model.api_key) for model in config.models] == [("lab", "k"), ("own", None)]
    assert config.models[0].context_window == 4096


def test_the_users_own_file_is_not_judged_as_a_projects(tmp_path: Path) -> None:
    """NEOCODE_HOME=.neocode makes both one file."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".neocode").symlink_to(home(tmp_path).data)
    assert load(tmp_path, LAB, trusted=True).config.models[0].api_key == "k"


def test_trust_is_kept_for_the_real_folder_alone(tmp_path: Path) -> None:
    paths, root = home(tmp_path), tmp_path / "project"
    (root / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    assert answer_for(paths, root) is None
    assert not is_trusted(paths, root)
    record_answer(paths, tmp_path / "link", True)
    record_answer(paths, root / "inner", False)
    assert is_trusted(paths, root)
    assert not is_trusted(paths, root / "inner")
    assert (paths.data / "trusted.json").stat().st_mode & 0o777 == 0o600
    (paths.data / "trusted.json").write_text("[" * 5000)
    assert not is_trusted(paths, root)

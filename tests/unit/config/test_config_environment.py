"""NEOCODE_* variables (docs/configuration.md, "Environment")."""

from pathlib import Path

import pytest

from neocode.config.environment import variables
from neocode.config.spec import Section, all_keys
from tests.unit.config.config_builders import load, said


def test_every_key_outside_lists_has_one_variable() -> None:
    keys = [
        path
        for path, key in all_keys().items()
        if "[]" not in path and not isinstance(key.spec, Section)
    ]
    paths = [path for name, path in variables().items() if name != "NEOCODE_MODE"]
    assert paths == [key for key in keys if key not in ("models", "agents")]


def test_values_are_read_as_yaml_and_checked(tmp_path: Path) -> None:
    environ = {
        "NEOCODE_MODEL": " 4.1 ",
        "NEOCODE_MODE": "plan",
        "NEOCODE__CONTEXT__AUTO_COMPACT__ENABLED": "true",
        "NEOCODE_CONTEXT_COMPACT_SUMMARY_RATIO": "0.5",
        "NEOCODE_PERMISSIONS_ALLOW": "['bash(x)', 'edit(y)']",
        "NEOCODE_UI_THEME": "",
        "NEOCODE_HOME": "/elsewhere",
        "NEOCODE_OF_SOMEBODY_ELSE": "1",
    }
    config = load(tmp_path, environ=environ).config
    assert config.model == "4.1"
    assert config.permissions.mode == "plan"
    assert config.context.auto_compact.enabled
    assert config.context.compact.summary_ratio == 0.5
    assert config.permissions.allow == ("bash(x)", "edit(y)")
    assert config.ui.theme == "auto"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("NEOCODE_UI_MOUS", "true", "no key has this variable; did you mean NEOCODE_UI_MOUSE?"),
        ("NEOCODE__X", "1", "environment NEOCODE__X: no key has this variable"),
        ("NEOCODE_RETRY_MAX_ATTEMPTS", "many", 'not the text "many"'),
        ("NEOCODE_PERMISSIONS_DENY", "bash(x)", "permissions.deny: must be a list of texts"),
        ("NEOCODE_PERMISSIONS_DENY", "[a", "environment NEOCODE_PERMISSIONS_DENY: not valid YAML"),
        ("NEOCODE_MODEL", "\udce9", "must be valid Unicode"),
        ("NEOCODE_UI_BELL", "\udce9", "not valid Unicode"),
    ],
)
def test_faults_name_the_variable(tmp_path: Path, name: str, value: str, words: str) -> None:
    said_words = said(tmp_path, environ={name: value})
    assert words in said_words
    assert name in said_words


def test_the_full_name_wins_over_the_short_one(tmp_path: Path) -> None:
    environ = {"NEOCODE_PERMISSIONS_MODE": "ask", "NEOCODE_MODE": "plan"}
    assert load(tmp_path, environ=environ).config.permissions.mode == "ask"

"""Layers -> Config: every fault named with its place (spec/context 2, field report B54)."""

import os
from pathlib import Path

import pytest

from neocode.config.files import MAX_BYTES
from neocode.config.problems import InvalidConfig
from neocode.config.schema import Config
from tests.unit.config.config_builders import faults, home, load, said, write

COMPACT = "context:\n  compact:\n    "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ui:\n\tmouse: true\n", "config.yaml:2:1: not valid YAML: a tab stands at the"),
        ("ui:\n  mouse: true\n\tbell: true\n", "config.yaml:3:1: not valid YAML: a tab stands"),
        ("ui: {mouse: true\n", "not valid YAML"),
        ('model: "lab\n', "the text ends inside quotes (while scanning a quoted scalar"),
        ("model: a\nmodel: b\n", "config.yaml:2:1: model: the key is given twice, first in line 1"),
        (
            COMPACT + "max_summary_chars: '1200'\n",
            "config.yaml:3:24: context.compact.max_summary_chars: must be a whole number from 200 "
            'to 100000, not the text "1200" (remove the quotes)',
        ),
        (
            COMPACT + "manual_keep_recent_messages: -3\n",
            "context.compact.manual_keep_recent_messages: must be a whole number from 1 to 1000, "
            "not -3",
        ),
        (
            COMPACT + "micro_compact_disable: true\n",
            "config.yaml:3:5: context.compact.micro_compact_disable: unknown key; "
            "did you mean micro_compact_disabled?",
        ),
        ("- model\n- lab\n", "the file must consist of key: value lines, not a list"),
        ("just words\n", 'key: value lines, not the text "just words"'),
    ],
)
def test_each_fault_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    """B54: tab, duplicate key, text for a number, negative count, misspelt key, list at top."""
    assert words in said(tmp_path, text)
    assert home(tmp_path).config_file.read_text() == text


def test_an_old_default_that_the_user_wrote_stays(tmp_path: Path) -> None:
    """B54: a value equal to a default is the user's choice, and its origin says so."""
    text = "context:\n  auto_compact:\n    input_token_threshold: 100000\n"
    loaded = load(tmp_path, text)
    origin = loaded.origins["context.auto_compact.input_token_threshold"]
    assert (origin.kind, origin.line) == ("user", 3)
    assert home(tmp_path).config_file.read_text() == text


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "---\n", "\ufeff", "context:\nmodels:\n"])
def test_an_empty_file_is_the_built_in_configuration(tmp_path: Path, text: str) -> None:
    """B54: an empty file, or one of comments and empty sections, is fine."""
    assert load(tmp_path, text).config == Config()


def test_no_file_is_fine_and_its_appearing_is_noticed(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert not loaded.changed
    assert {origin.kind for origin in loaded.origins.values()} == {"built in"}
    write(home(tmp_path).config_file, "model: lab\n")
    assert loaded.changed


def test_all_faults_of_all_layers_are_told_at_once(tmp_path: Path) -> None:
    text = "ui: {mouse: 1, them: dark}\nretry: []\n"
    found = faults(
        tmp_path,
        text,
        project="tools: {bash: {timeout_s: 0}}\n",
        environ={"NEOCODE_RETRY_MAX_ATTEMPTS": "99"},
        overrides={"ui.bel": "true"},
    )
    assert [problem.key for problem in found] == [
        "ui.mouse",
        "ui.them",
        "retry",
        "tools.bash.timeout_s",
        "retry.max_attempts",
        "ui.bel",
    ]
    assert [problem.origin.kind for problem in found][3:] == [
        "project",
        "environment",
        "command line",
    ]


@pytest.mark.parametrize("value", ["yes please", "1", "'true'", "[true]", "{a: 1}", "null"])
def test_a_flag_is_true_or_false_only(tmp_path: Path, value: str) -> None:
    assert "ui.mouse: must be true or false, not " in said(tmp_path, f"ui:\n  mouse: {value}\n")


@pytest.mark.parametrize("value", ["true", "3.5", ".inf", "1e3000", "0x", "9" * 6000])
def test_a_whole_number_is_no_flag_no_fraction_and_bounded(tmp_path: Path, value: str) -> None:
    text = f"context: {{auto_compact: {{input_token_threshold: {value}}}}}\n"
    assert "must be a whole number of at least 1, not" in said(tmp_path, text)


def test_a_key_at_the_wrong_place_is_sent_to_the_right_one(tmp_path: Path) -> None:
    words = said(tmp_path, "threshold_percent: 60\n")
    assert "does not belong here but in context.auto_compact.threshold_percent" in words


def test_two_models_of_one_name_and_names_that_are_not_configured(tmp_path: Path) -> None:
    text = """\
model: sonet
models:
  - {name: sonnet, id: a/b}
  - {name: lab, id: c/d}
  - {name: lab, id: e/f}
context: {compact: {auxiliary_model: lav}}
agents:
  - {name: reviewer, model: lab, auxiliary_model: nothing-like-it}
  - {model: lab}
"""
    words = said(tmp_path, text).splitlines()
    assert words == [
        'config.yaml:1:8: model: no model is called "sonet"; configured: sonnet, lab; '
        "did you mean sonnet?",
        "config.yaml:5:5: models.lab: the name is taken in line 4; choose another",
        'config.yaml:6:38: context.compact.auxiliary_model: no model is called "lav"; '
        "configured: sonnet, lab; did you mean lab?",
        "config.yaml:8:51: agents.reviewer.auxiliary_model: no model is called "
        '"nothing-like-it"; configured: sonnet, lab',
        "config.yaml:9:5: agents.1.name: must be given: What you call it.",
    ]


def test_without_models_any_name_may_be_named_and_embedded_always(tmp_path: Path) -> None:
    assert load(tmp_path, "model: openai/gpt-5\n").config.model == "openai/gpt-5"
    assert load(tmp_path, "model: embedded\nmodels: [{name: a, id: b/c}]\n").config.models


def test_the_summary_bounds_must_not_cross(tmp_path: Path) -> None:
    words = said(tmp_path, COMPACT + "summary_min_tokens: 20000\n")
    assert "summary_min_tokens (20000) must not be over summary_max_tokens (12000)" in words


def test_key_and_variable_together_are_refused_without_showing_the_key(tmp_path: Path) -> None:
    text = "models: [{name: a, id: b/c, api_key: sk-secret, api_key_env: KEY}]\n"
    words = said(tmp_path, text)
    assert "give api_key or api_key_env, not both" in words
    assert "sk-secret" not in words


@pytest.mark.parametrize("value", ["[sk-secret]", "{sk-secret: 1}", "!sk-secret x", "*sk-secret"])
def test_a_key_of_the_wrong_shape_is_never_shown(tmp_path: Path, value: str) -> None:
    words = said(tmp_path, f"models:\n - name: a\n   id: b/c\n   api_key: {value}\n")
    assert words
    assert "sk-secret" not in words


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"model: a\nui: \xff\n", "config.yaml:2:5: the file is not UTF-8 text"),
        ("model: a".encode("utf-16"), "the file is not UTF-8 text"),
        (b"model: a\x00b\n", "config.yaml:1:9: control characters are not allowed"),
        (b"model: a\n---\nmodel: b\n", "config.yaml:2:1: the file may hold one document only"),
        (b"model: !!python/object/apply:os.system [ls]\n", "tags (! and a word) are not used"),
        (b"? [a, b]\n: c\n", "a key must be a plain word"),
        (b"[" * 100_000, "nest"),
        (b"a: " + b"{b: " * 60 + b"}" * 60, "nested more than 40 levels"),
        (b"#" * (MAX_BYTES + 1), "the file is over"),
    ],
    ids=range(9),
)
def test_bytes_that_are_no_configuration_are_named(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in said(tmp_path, data)


def test_aliases_are_shared_and_bounded(tmp_path: Path) -> None:
    """A text of 500 characters does not unfold into a million values."""
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
    )
    assert "the file holds more than 20000 values" in said(tmp_path, bomb)
    text = "models:\n  - &one {name: a, id: b/c}\n  - {<<: *one, name: d}\n"
    assert [model.id for model in load(tmp_path, text).config.models] == ["b/c", "b/c"]


def test_a_folder_and_a_pipe_in_the_place_of_the_file(tmp_path: Path) -> None:
    path = home(tmp_path).config_file
    path.mkdir(parents=True)
    assert "a folder stands where the file should be" in said(tmp_path)
    path.rmdir()
    os.mkfifo(path)
    assert "not a regular file" in said(tmp_path)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = home(tmp_path).config_file
    path.parent.mkdir()
    path.symlink_to(path)
    assert "config.yaml: the file cannot be read: Too many levels" in said(tmp_path)


def test_precedence_and_origins(tmp_path: Path) -> None:
    """spec/interface: command line, environment, project, user, built in."""
    loaded = load(
        tmp_path,
        "ui: {theme: dark, mouse: false}\nretry:\n  max_attempts: 2\n  max_wait_s: 9\n",
        project="ui: {theme: light}\nretry: {max_attempts: 3, max_wait_s: 8}\n",
        environ={"NEOCODE_UI_THEME": "ansi", "NEOCODE_RETRY_MAX_ATTEMPTS": "4"},
        overrides={"ui.theme": "high-contrast"},
    )
    config = loaded.config
    assert (config.ui.theme, config.ui.mouse) == ("high-contrast", False)
    assert (config.retry.max_attempts, config.retry.max_wait_s) == (4, 8)
    names = ("ui.theme", "retry.max_attempts", "retry.max_wait_s", "ui.mouse", "ui.bell")
    assert [loaded.origins[name].kind for name in names] == [
        "command line",
        "environment",
        "project",
        "user",
        "built in",
    ]
    assert str(loaded.origins["retry.max_attempts"]) == "environment NEOCODE_RETRY_MAX_ATTEMPTS"
    assert str(loaded.origins["ui.mouse"]).endswith("config.yaml:1")


def test_overrides_reach_entries_by_name(tmp_path: Path) -> None:
    text = "models:\n  - {name: gpt-4.1, id: a/b}\n"
    loaded = load(
        tmp_path, text, overrides={"models.gpt-4.1.price.input": "2.5", "ui.mouse": False}
    )
    (model,) = loaded.config.models
    assert model.price
    assert (model.id, model.price.input) == ("a/b", 2.5)
    assert loaded.config.ui.mouse is False
    assert loaded.origins["models.gpt-4.1.price.input"].kind == "command line"


def test_a_changed_file_is_noticed_and_a_broken_one_raises(tmp_path: Path) -> None:
    loaded = load(tmp_path, "model: a\n")
    write(home(tmp_path).config_file, "modl: b\n ")
    assert loaded.changed
    with pytest.raises(InvalidConfig, match=r"modl: unknown key; did you mean model\?"):
        load(tmp_path)

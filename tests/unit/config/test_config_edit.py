"""One key is changed, everything else stays byte for byte (spec/interface)."""

from pathlib import Path

import pytest

from neocode.config.edit import append_value, set_value
from neocode.config.problems import InvalidConfig
from neocode.domain.errors import ConfigError

TEXT = """\
# top
model: lab # my model
models:
  - name: lab   # here
    id: 'x/y'

    api_key: ${LABKEY}   # never expanded
  - {name: b.5,  id: q/r}
context:   # nothing
# comment
permissions:
  allow: ["bash(a)"]  # rules
  deny:
    - 'read(x)'   # no
ui: {theme: dark,  mouse: true}
retry:
  max_attempts: 3 # three"""

AGENT = "agents:\n- name: a\n  instructions: |\n    one\n    two\n# end\n"


def changed(path: Path, text: str) -> list[str]:
    """Lines taken away and lines put in, in order; every other line must be there."""
    old, new = text.splitlines(), path.read_text().splitlines()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return ["-" + line for line in old[start : len(old) - end]] + [
        "+" + line for line in new[start : len(new) - end]
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text(TEXT)
    return file


@pytest.mark.parametrize(
    ("key", "value", "lines"),
    [
        ("model", "b.5", ["-model: lab # my model", "+model: b.5 # my model"]),
        ("models.lab.auxiliary", True, ["+    auxiliary: true"]),
        ("models.lab.id", "z/'z", ["-    id: 'x/y'", "+    id: 'z/''z'"]),
        ("models.lab.price.input", 3, ["+    price:", "+      input: 3"]),
        (
            "models.b.5.auxiliary",
            True,
            ["-  - {name: b.5,  id: q/r}", "+  - {name: b.5,  id: q/r, auxiliary: true}"],
        ),
        ("models.new", {"id": "a/b"}, ["+  - name: new", "+    id: a/b"]),
        ("models.new.id", "a/b", ["+  - name: new", "+    id: a/b"]),
        ("models.b.5", None, ["-  - {name: b.5,  id: q/r}"]),
        (
            "agents.r.threshold_percent",
            50,
            ["+agents:", "+  - name: r", "+    threshold_percent: 50"],
        ),
        ("context.compact.fallback", "extractive", ["+  compact:", "+    fallback: extractive"]),
        (
            "ui.theme",
            "light",
            ["-ui: {theme: dark,  mouse: true}", "+ui: {theme: light,  mouse: true}"],
        ),
        ("ui.theme", None, ["-ui: {theme: dark,  mouse: true}", "+ui: {mouse: true}"]),
        ("ui.mouse", None, ["-ui: {theme: dark,  mouse: true}", "+ui: {theme: dark}"]),
        (
            "ui.bell",
            False,
            ["-ui: {theme: dark,  mouse: true}", "+ui: {theme: dark,  mouse: true, bell: false}"],
        ),
        ("retry.max_wait_s", 4.5, ["+  max_wait_s: 4.5"]),
        ("retry.max_attempts", None, ["-retry:", "-  max_attempts: 3 # three"]),
        ("retry.max_wait_s", None, []),
        ("retry.max_attempts", 3, []),
        ("permissions.deny", None, ["-  deny:", "-    - 'read(x)'   # no"]),
        ("tools.bash.timeout_s", 5, ["+tools:", "+  bash:", "+    timeout_s: 5"]),
    ],
)
def test_one_change_touches_its_own_lines(
    path: Path, key: str, value: object, lines: list[str]
) -> None:
    set_value(path, key, value)
    assert changed(path, TEXT) == lines


def test_rules_are_appended_in_either_form_and_once(path: Path) -> None:
    append_value(path, "permissions.allow", "edit(src/**)")
    assert '  allow: ["bash(a)", edit(src/**)]  # rules' in path.read_text()
    append_value(path, "permissions.deny", "bash(git push *)")
    assert "    - 'read(x)'   # no\n    - bash(git push *)\n" in path.read_text()
    before = path.read_text()
    append_value(path, "permissions.deny", "read(x)")
    assert path.read_text() == before
    with pytest.raises(ConfigError, match="is not a list of texts"):
        append_value(path, "ui.theme", "dark")


def test_a_placeholder_stays_a_placeholder(path: Path) -> None:
    """B55: saving the configuration keeps ${LABKEY}."""
    set_value(path, "models.lab.auxiliary", True)
    set_value(path, "models.lab", {"id": "n/m", "api_key": "${LABKEY}"})
    assert "api_key: ${LABKEY}" in path.read_text()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("ui.them", "dark", r"ui\.them: there is no such key.*did you mean ui\.theme\?"),
        ("auto_compact.enabled", True, r"did you mean context\.auto_compact\.enabled\?"),
        ("ui.theme", "drak", "must be one of auto, dark.*did you mean dark"),
        ("retry.max_attempts", True, "not true"),
        ("retry.max_attempts", 99, "from 1 to 50, not 99"),
        ("model", "lob", 'no model is called "lob".*did you mean lab'),
        ("models.lab.id", None, r"models\.lab\.id: must be given"),
        ("models.lab", None, 'no model is called "lab"'),
        ("models.x.auxiliary", True, r"models\.x\.id: must be given"),
    ],
)
def test_an_invalid_change_leaves_the_file_untouched(
    path: Path, key: str, value: object, words: str
) -> None:
    with pytest.raises(InvalidConfig, match=words):
        set_value(path, key, value)
    assert path.read_text() == TEXT


def test_a_broken_file_is_not_edited(path: Path) -> None:
    path.write_text("modl: x\n")
    with pytest.raises(InvalidConfig, match="did you mean model"):
        set_value(path, "ui.bell", False)
    assert path.read_text() == "modl: x\n"


def test_a_missing_file_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.yaml"
    set_value(path, "models.new", {"id": "a/b", "api_key": "${X}"})
    set_value(path, "model", "new")
    append_value(path, "permissions.allow", "x: y")
    assert path.read_text() == (
        "models:\n  - name: new\n    id: a/b\n    api_key: '${X}'\nmodel: new\n"
        "permissions:\n  allow: ['x: y']\n"
    )
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["config.yaml"]


def test_mode_mark_line_ends_and_link_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.yaml", tmp_path / "config.yaml"
    real.write_bytes(b"\xef\xbb\xbfmodel: a # \xc3\xa9\r\nretry:\r\n  max_attempts: 2\r\n")
    real.chmod(0o640)
    link.symlink_to(real)
    set_value(link, "retry.max_wait_s", 7)
    set_value(link, "model", "ü")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert real.read_bytes().decode() == (
        "\ufeffmodel: ü # é\r\nretry:\r\n  max_attempts: 2\r\n  max_wait_s: 7\r\n"
    )


@pytest.mark.parametrize(
    ("text", "key", "value", "kept"),
    [
        ("# only words\n", "model", "a", "# only words\nmodel: a\n"),
        ("models: []  # none yet\n", "models.a.id", "b/c", "models:  # none yet\n  - name: a\n"),
        ("ui: {\n  # dark\n  theme: dark,\n}\n", "ui.bell", False,
         "ui: {\n  # dark\n  theme: dark, bell: false,\n}\n"),
        (AGENT, "agents.a.mode", "plan", "    two\n  mode: plan\n# end\n"),
        (AGENT, "agents.a.instructions", "x", "# end\n"),
        ("x: &n 4\n", "retry.max_attempts", 5, None),
        ("retry: &r {max_attempts: 2}\n", "retry.max_attempts", 5, "max_attempts: 5"),
        ("agents:\n  - name: a\n", "agents.a", None, "agents"),
        ("retry: {max_attempts: 2}\n", "retry", {"max_wait_s": 5}, "max_wait_s: 5"),
        ("permissions:\n  allow:\n", "permissions.allow", ["a"], "  allow: [a]\n"),
    ],
)  # fmt: skip
def test_shapes_of_other_files(
    tmp_path: Path, text: str, key: str, value: object, kept: str | None
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    if kept is None:
        with pytest.raises(InvalidConfig):
            set_value(path, key, value)
    else:
        set_value(path, key, value)
        assert kept in path.read_text()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a file, where a folder should be")
    with pytest.raises(ConfigError, match=r"cannot be (read|made|written)"):
        set_value(tmp_path / "f" / "config.yaml", "model", "b")


def test_a_text_within_brackets_gets_the_quotes_it_needs_there(tmp_path: Path) -> None:
    """Without them the whole file went through the slow way and lost its spacing elsewhere."""
    path = tmp_path / "config.yaml"
    path.write_text("models:\n  - {name: m, id: c/d }\nagents: [ {name: a, instructions: A}, ]\n")
    set_value(path, "agents.a.instructions", "0[")
    assert path.read_text() == (
        "models:\n  - {name: m, id: c/d }\nagents: [ {name: a, instructions: '0['}, ]\n"
    )

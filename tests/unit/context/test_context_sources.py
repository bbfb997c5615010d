"""The system prompt's parts (spec/context 4.1)."""

import subprocess
from pathlib import Path

import pytest

from neocode.context.git_state import git_root, git_summary
from neocode.context.sources import (
    SystemParts,
    base_prompt,
    gather_environment,
    read_instructions,
    render,
    render_own,
)
from neocode.context.tokens import TokenCounter


def _repo(root: Path) -> Path:
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(root)], check=True)
    return root


def test_the_base_prompt_is_short_and_whole() -> None:
    counter = TokenCounter()
    counter.warm()
    assert counter.count_text(base_prompt()) <= 900
    assert "recall" in base_prompt()


def test_parts_that_are_empty_leave_no_trace() -> None:
    assert render(SystemParts(base="Base.\n")) == "Base."
    parts = SystemParts(base="Base.", environment="Env.", instructions="Rules.")
    assert render(parts) == "Base.\n\nEnv.\n\nRules."
    assert render_own(parts) == "Base.\n\nEnv."


def test_instructions_from_the_git_root_down(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("outside the repository")
    root = _repo(tmp_path / "repo")
    inner = root / "pkg" / "deep"
    inner.mkdir(parents=True)
    (root / "AGENTS.md").write_text("root rules")
    (root / "CLAUDE.md").write_text("not read beside AGENTS.md")
    (root / "pkg" / "CLAUDE.md").write_text("package rules")
    found = read_instructions(inner)
    assert found.files == (root / "AGENTS.md", root / "pkg" / "CLAUDE.md")
    assert found.text.index("root rules") < found.text.index("package rules")
    assert "outside" not in found.text
    assert "not read" not in found.text
    assert found.notes == ()


def test_they_are_read_afresh(tmp_path: Path) -> None:
    assert read_instructions(tmp_path).text == ""
    (tmp_path / "AGENTS.md").write_text("one")
    first = read_instructions(tmp_path)
    (tmp_path / "AGENTS.md").write_text("two")
    assert first.text != read_instructions(tmp_path).text


def test_too_long_instructions_are_cut_and_said_to_be(tmp_path: Path) -> None:
    root = _repo(tmp_path)
    inner = root / "pkg"
    inner.mkdir()
    (root / "AGENTS.md").write_text("é" * 600)
    (inner / "AGENTS.md").write_text("near " * 20)
    found = read_instructions(inner, limit=301)
    assert "near " * 19 in found.text
    assert "é" * 100 in found.text
    assert "\ufffd" not in found.text
    assert "[cut: 201 of 1,200 bytes; read the file for the rest]" in found.text
    assert found.notes == (f"{root / 'AGENTS.md'} is cut to 201 of its 1,200 bytes.",)


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "AGENTS.md").write_text("x")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    found = read_instructions(tmp_path)
    assert found.text == ""
    assert found.notes == (f"{tmp_path / 'AGENTS.md'} could not be read (Permission denied).",)


def test_the_environment_names_folder_day_and_branch(tmp_path: Path) -> None:
    root = _repo(tmp_path)
    (root / "new.txt").write_text("x")
    text = gather_environment(root, "2026-11-30")
    assert f"Working folder: {root}" in text
    assert "Date: 2026-11-30" in text
    assert "trunk" in text
    assert "?? new.txt" in text
    assert gather_environment(root, "2026-11-30") == text


def test_many_changes_are_counted_and_cut(tmp_path: Path) -> None:
    root = _repo(tmp_path)
    for n in range(40):
        (root / f"f{n}.txt").write_text("x")
    text = git_summary(root)
    assert "40 changed:" in text
    assert text.endswith("... and 25 more")


def test_without_a_repository_or_an_answer_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert git_root(tmp_path) is None
    assert git_summary(tmp_path) == "Git: not a repository"
    root = _repo(tmp_path / "repo")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_summary(root) == f"Git: repository at {root}"


def test_a_repositorys_own_programs_are_not_started(tmp_path: Path) -> None:
    """Opening a folder must not run what its configuration names."""
    root = _repo(tmp_path)
    trap = root / "trap.sh"
    trap.write_text("#!/bin/sh\ntouch " + str(root / "sprung") + "\n")
    trap.chmod(0o755)
    subprocess.run(["git", "-C", str(root), "config", "core.fsmonitor", str(trap)], check=True)
    git_summary(root)
    assert not (root / "sprung").exists()

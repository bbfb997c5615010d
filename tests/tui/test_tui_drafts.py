"""Pastes, earlier prompts, bursts of keys."""

from pathlib import Path

from textual import events

from neocode.tui.drafts import Pastes, Recall, append_history, read_history
from neocode.tui.files import branch_of, folders_of
from neocode.tui.terminal import Burst


def test_large_paste_is_a_chip_and_whole_again_when_sent() -> None:
    """B38: folded with its size, expanded exactly once."""
    pastes, text = Pastes(), "\n".join(f"line {i}" for i in range(121))
    chip = pastes.fold(text)
    assert chip == "[Pasted text #1 +120 lines, 978 B]"
    assert pastes.expand(f"see {chip} please") == f"see {text} please"
    assert pastes.fold(text) == chip
    assert pastes.chip_at_end(f"a {chip}") == chip
    assert pastes.fold("three\nshort\nlines") == "three\nshort\nlines"


def test_recall_walks_back_and_keeps_the_draft() -> None:
    recall = Recall(["one", "two"])
    assert [recall.older("draft"), recall.older(""), recall.older("")] == ["two", "one", None]
    assert [recall.newer(), recall.newer(), recall.newer()] == ["two", "draft", None]
    recall.add("two")
    assert recall.entries == ["one", "two"]
    recall.add("three")
    assert recall.older("") == "three"


def test_history_file_survives_odd_lines(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "prompts.jsonl"
    append_history(path, "first\nwith [b] 中文")
    with path.open("a") as file:
        file.write("{not json\n42\n")
    append_history(path, "second")
    assert read_history(path) == ["first\nwith [b] 中文", "second"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_history(tmp_path / "none") == []


def key(name: str, character: str | None = None) -> events.Key:
    """A key event."""
    return events.Key(name, character)


def test_rest_of_a_cut_paste_is_a_paste() -> None:
    """B38: an end mark inside a paste must not let its line ends press Enter."""
    burst = Burst()
    assert not burst.take(events.Paste("begin"), 10.0)
    held = [key("x", "x"), key("enter", "\r"), key("y", "y"), key("enter", "\r")]
    assert all(burst.take(event, 10.001 + i / 1000) for i, event in enumerate(held))
    assert burst.flush() == "x\ny\n"
    assert burst.flush() == ""


def test_fingers_are_no_paste() -> None:
    burst = Burst()
    assert not burst.take(key("a", "a"), 1.0)
    assert not burst.take(key("enter", "\r"), 1.001)
    burst.take(events.Paste("x"), 2.0)
    assert not burst.take(key("enter", "\r"), 2.5)
    assert not burst.take(key("up"), 2.001)


def test_branch_and_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/fix/[b]\n")
    (tmp_path / "src").mkdir()
    assert branch_of(tmp_path / "src") == "fix/[b]"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert branch_of(tmp_path) == "01234567"
    assert folders_of(["a/b/c.py", "a/d.py", "e.py"]) == ["a/", "a/b/"]

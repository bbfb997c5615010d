"""Pastes, earlier prompts, bursts of keys."""

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from neocode.tui.drafts import Pastes, Recall, append_history, read_history
from neocode.tui.files import branch_of, folders_of
from neocode.tui.terminal import END, FULL_READ, START, PasteJoiner


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


def passed(data: str, sizes: list[int], *, quiet: bool = True) -> str:
    """What comes through when data arrives in reads of these sizes, again and again."""
    joiner, out, at = PasteJoiner(), "", 0
    for size in itertools.cycle(sizes):
        if at >= len(data):
            break
        out += joiner.feed(data[at : at + size])
        at += size
    return out + (joiner.release() if quiet else "")


PARTS = st.sampled_from(["a", "\r\n", "[", "\x1b", "\x1b[A", "rows[0]", "200~", "x" * 40])
TEXTS = st.lists(PARTS, max_size=12).map("".join).filter(lambda text: START not in text)
READS = st.lists(st.integers(1, 50), min_size=1, max_size=6)


@given(TEXTS, TEXTS, READS)
def test_ordinary_input_passes_unchanged(before: str, pasted: str, sizes: list[int]) -> None:
    data = f"{before}{START}{pasted}{END}"
    assert passed(data, sizes) == data


@given(st.lists(TEXTS, min_size=1, max_size=4), READS)
def test_end_marks_inside_a_paste_do_not_end_it(pieces: list[str], sizes: list[int]) -> None:
    """B38: else the line ends behind them would press Enter."""
    whole = f"{START}{END.join(pieces)}{END}"
    joined = passed(whole, [max(FULL_READ, len(whole))])
    assert joined == f"{START}{''.join(pieces)}{END}"


def test_enter_right_behind_a_paste_is_still_enter() -> None:
    assert passed(f"{START}text{END}\r", [4096]) == f"{START}text{END}\r"
    assert passed(f"{START}text{END}", [4096], quiet=False) == f"{START}text{END}"
    two = f"{START}one{END}x{START}two{END}"
    assert passed(two, [4096], quiet=False) == two


def test_branch_and_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/fix/[b]\n")
    (tmp_path / "src").mkdir()
    assert branch_of(tmp_path / "src") == "fix/[b]"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert branch_of(tmp_path) == "01234567"
    assert folders_of(["a/b/c.py", "a/d.py", "e.py"]) == ["a/", "a/b/"]

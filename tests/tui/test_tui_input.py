"""The input: completions of files and arguments, drafts put aside, dropped files, history."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from neocode.tui.drafts import Stash
from neocode.tui.dropped import mention_of
from neocode.tui.fuzzy import Names
from neocode.tui.ports import Surroundings
from neocode.tui.widgets.completions import Query, query_at
from tests.tui.story import StartStory


def in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


@given(
    st.lists(st.text("abcAB_/.é中", min_size=1, max_size=12), max_size=30),
    st.text("abcB_/.", max_size=4),
)
def test_files_found_are_those_whose_letters_stand_in_order(names: list[str], query: str) -> None:
    names = sorted({name.strip("/") for name in names} - {""})
    found = Names(names).best(query, 50)
    low = query.lower()
    if not low:
        assert found == names[:50]
    elif len(low) == 1:
        assert set(found) == {name for name in names if low in name.lower()}
    else:
        assert set(found) == {name for name in names if in_order(low, name.lower())}
    assert len(found) == len(set(found))


def test_a_name_that_begins_with_the_letters_stands_first() -> None:
    names = ["a/parser/x.py", "src/parse.py", "src/unparsed.py", "p/a/r/s/e", "docs/parse/"]
    assert Names(names).best("parse")[:3] == ["docs/parse/", "src/parse.py", "src/unparsed.py"]
    assert Names(names).best("prsx") == ["a/parser/x.py"]
    assert Names([]).best("x") == []


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("/comp", Query("command", "comp", 5)),
        ("/model so", Query("argument", "so", 2, "model")),
        ("/export md @do", Query("file", "do", 3)),
        ("see @a", Query("file", "a", 2)),
        ("a@b", None),
        (" /comp", None),
    ],
)
def test_what_is_completed(before: str, wanted: Query | None) -> None:
    assert query_at(before, before) == wanted


async def test_arguments_are_offered_and_sent_as_typed_unless_chosen(start: StartStory) -> None:
    async with start() as story:
        await story.type("/mode ")
        assert "reads only" in story.screen_text()
        await story.press("down", "down", "enter")
        assert story.engine.mode == "plan"
        await story.type("/compact pre")
        assert "what would be archived" in story.screen_text()
        await story.press("enter")
        assert story.engine.asked == [("compact", "pre")]
        story.engine.compacted()
        await story.type("/compact the parser")
        assert "/compact [focus" in story.screen_text()
        await story.press("ctrl+c")
        assert "/compact [focus" not in story.screen_text()


async def test_drafts_are_put_aside_and_survive_the_program(
    start: StartStory, tmp_path: Path
) -> None:
    around = Surroundings(theme="dark", drafts_path=tmp_path / "drafts.json")
    async with start(around=around) as story:
        await story.type("first")
        await story.press("ctrl+s")
        assert story.chat.prompt.text == ""
        assert "Draft put aside (1)" in story.screen_text()
        await story.type("second\nwith [b]lines")
        await story.press("ctrl+s")
        await story.type("left behind")
    async with start(around=around) as story:
        for wanted in ("left behind", "second\nwith [b]lines", "first", ""):
            await story.press("ctrl+s")
            assert story.chat.prompt.text == wanted
            story.chat.prompt.fill("")
        assert "No draft was put aside" in story.screen_text()


def test_drafts_without_a_file_stay_in_memory() -> None:
    stash = Stash(None)
    stash.push("a")
    assert stash.drafts == ["a"]
    assert (stash.pop(), stash.pop()) == ("a", "")


def test_dropped_files_become_mentions(tmp_path: Path) -> None:
    picture, blank = tmp_path / "a.png", tmp_path / "my picture.png"
    picture.touch()
    blank.touch()
    assert mention_of(f"{picture}\n", tmp_path) == "@a.png "
    assert mention_of(f"'{blank}'", tmp_path) == '@"my picture.png" '
    assert mention_of(str(blank), tmp_path) == '@"my picture.png" '
    assert mention_of(str(blank).replace(" ", "\\ "), tmp_path) == '@"my picture.png" '
    assert mention_of(f"file://{blank}".replace(" ", "%20"), tmp_path) == '@"my picture.png" '
    assert mention_of(f"{picture} {picture}", tmp_path / "x") == f"@{picture} @{picture} "
    for text in ("a.png", "/nowhere/a.png", f"see {picture}", f"{picture} is it", "", "'"):
        assert mention_of(text, tmp_path) == ""


async def test_a_dropped_picture_is_a_mention_but_not_in_a_shell_line(
    start: StartStory, tmp_path: Path
) -> None:
    picture = tmp_path / "shot.png"
    picture.touch()
    async with start() as story:
        story.chat.prompt.post_message(events.Paste(str(picture)))
        await story.settle()
        assert story.chat.prompt.text == f"@{picture} "
        story.chat.prompt.fill("!ls ")
        story.chat.prompt.post_message(events.Paste(str(picture)))
        await story.settle()
        assert story.chat.prompt.text == f"!ls {picture}"


async def test_earlier_prompts_are_shown_whole_while_choosing(start: StartStory) -> None:
    async with start() as story:
        story.chat.prompt.recall.entries = ["one", "two lines\nof [b]it"]
        await story.press("ctrl+r")
        await story.settle()
        assert "of [b]it" in story.screen_text()
        await story.press("enter")
        assert story.chat.prompt.text == "two lines\nof [b]it"


async def test_enter_for_a_list_that_closed_meanwhile_sends(start: StartStory) -> None:
    """Typed fast on a busy machine, Enter met a list that was just closing and was lost."""
    async with start() as story:
        prompt = story.chat.prompt
        prompt.fill("/compact undo")
        story.chat.completions.close()
        prompt.completing = True
        prompt.post_message(prompt.Wanted("enter"))
        await story.settle()
        assert prompt.text == ""

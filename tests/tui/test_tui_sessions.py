"""The session list: search, preview, names, copies, deletions, exports, views."""

import pytest

from neocode.tui.ports import Surroundings
from neocode.tui.screens.sessions import SessionPicker
from tests.tui.fake_engine import FakeEngine
from tests.tui.fake_shelf import FakeShelf
from tests.tui.story import StartStory, Story


async def opened(story: Story) -> SessionPicker:
    story.chat.send("/sessions")
    await story.until(lambda: isinstance(story.app.screen, SessionPicker))
    await story.until(lambda: "words of s_1" in story.screen_text())
    assert isinstance(story.app.screen, SessionPicker)
    return story.app.screen


async def test_preview_search_and_opening_in_the_full_view(start: StartStory) -> None:
    shelf = FakeShelf()
    async with start(around=Surroundings(theme="dark", shelf=shelf), size=(120, 40)) as story:
        await opened(story)
        assert "● current" in story.screen_text()
        await story.press("down")
        await story.until(lambda: "words of s_2" in story.screen_text())
        assert "[b]yes[/b]" in story.screen_text()
        assert "[compacted]" in story.screen_text()
        await story.press("tab")
        assert "[full]" in story.screen_text()
        await story.press("z", *"ebra")
        await story.until(lambda: "said zebra there" in story.screen_text())
        assert "parser" not in story.screen_text()
        await story.press(*["backspace"] * 5, *"pars")
        await story.until(lambda: "parser [fix]" in story.screen_text())
        await story.press("enter")
        await story.until(lambda: ("open", "s_2") in story.engine.asked)
        assert story.chat.stage is not None
        assert story.chat.stage.views._next == "full"


async def test_rename_copy_export_and_delete_with_a_question(start: StartStory) -> None:
    shelf = FakeShelf()
    async with start(around=Surroundings(theme="dark", shelf=shelf), size=(120, 40)) as story:
        await opened(story)
        await story.press("ctrl+d", "y")
        await story.until(lambda: "This session is open. Leave it first." in story.screen_text())
        await story.press("down", "ctrl+r")
        await story.press("ctrl+u", *"new", "enter")
        await story.until(lambda: "Renamed." in story.screen_text())
        assert shelf.infos[1].title == "new"
        await story.press("ctrl+x", "h")
        await story.until(lambda: "Written to /repo/neocode-s_2.html" in story.screen_text())
        await story.press("ctrl+d", "escape")
        assert len(shelf.infos) == 3
        await story.press("ctrl+d", "x")
        assert len(shelf.infos) == 3
        await story.press("ctrl+d", "y")
        await story.until(lambda: "Deleted." in story.screen_text())
        assert [i.id for i in shelf.infos] == ["s_1", "s_3"]
        await story.press("ctrl+f")
        await story.until(lambda: "Copied as s_9" in story.screen_text())
        assert shelf.done == [("export", "s_2", "html"), ("fork", "s_1")]
        await story.press("escape")
        assert story.app.screen is story.chat


async def test_the_session_in_front_is_renamed_by_its_engine(start: StartStory) -> None:
    async with start(around=Surroundings(theme="dark", shelf=FakeShelf())) as story:
        await opened(story)
        await story.press("ctrl+r", "ctrl+u", *"mine", "enter")
        await story.until(lambda: story.engine.session.title == "mine")


@pytest.mark.parametrize("size", [(60, 15), (250, 70)])
async def test_the_list_fits_every_size(start: StartStory, size: tuple[int, int]) -> None:
    around = Surroundings(theme="dark", shelf=FakeShelf())
    async with start(FakeEngine(), around=around, size=size) as story:
        story.chat.send("/sessions")
        await story.until(lambda: "parser [fix]" in story.screen_text())
        assert "Enter opens" in story.screen_text()

"""Esc Esc and /rewind: an earlier prompt, its files, and files that others changed."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from neocode.domain.checkpoints import Conflict, RewindPoint
from neocode.tui.screens.rewind import touched_since
from neocode.tui.text.times import ago
from tests.tui.fake_engine import AT, FakeEngine
from tests.tui.story import StartStory, Story


async def two_turns(story: Story) -> None:
    for prompt in ("first prompt", "second prompt"):
        story.engine.user(prompt)
        story.engine.say(f"answer to the {prompt}")
        story.engine.finish()
    await story.settle()


async def test_twice_escape_goes_back_with_conversation_and_files(start: StartStory) -> None:
    async with start() as story:
        await two_turns(story)
        story.engine.files = {"m_103": ("src/a.py", "src/b.py")}
        await story.press("escape")
        assert "Press Esc again" in story.screen_text()
        await story.press("escape")
        await story.until(lambda: "Back to before" in story.screen_text())
        assert "2 files" in story.screen_text()
        assert "src/b.py" in story.screen_text()
        await story.press("enter")
        await story.until(lambda: "Conversation and files" in story.screen_text())
        await story.press("enter")
        await story.until(lambda: story.chat.prompt.text == "second prompt")
        assert story.engine.asked == [("rewind", "m_103", True, True, "stop")]
        text = story.screen_text()
        assert "answer to the first prompt" in text
        assert "answer to the second" not in text
        assert "1 file as before: src/a.py." in " ".join(text.split())


async def test_once_escape_or_with_text_or_while_it_runs_opens_nothing(start: StartStory) -> None:
    async with start() as story:
        await two_turns(story)
        await story.type("words")
        await story.press("escape", "escape")
        assert story.app.screen is story.chat
        await story.press("ctrl+c")
        story.engine.user("go")
        await story.press("escape", "escape")
        assert story.app.screen is story.chat
        assert "Press Esc again" in story.screen_text()


@pytest.mark.parametrize(
    ("keys", "calls", "said"),
    [
        (("enter",), 1, "Nothing was changed."),
        (("down", "enter"), 2, "Left alone: src/mine.py."),
        (("down", "down", "enter"), 2, "1 file as before"),
    ],
)
async def test_files_that_others_changed_are_asked_about(
    start: StartStory, keys: tuple[str, ...], calls: int, said: str
) -> None:
    conflict = Conflict(path=Path("/repo/src/mine.py"), name="src/mine.py", reason="changed")
    async with start(FakeEngine(conflicts=(conflict,), files={"m_101": ("src/mine.py",)})) as story:
        await two_turns(story)
        story.chat.open("rewind")
        await story.until(lambda: "Back to before" in story.screen_text())
        await story.press("down", "enter")
        await story.until(lambda: "Files only" in story.screen_text())
        await story.press("down", "down", "enter")
        await story.until(lambda: "changed by you or another program" in story.screen_text())
        await story.press(*keys)
        await story.until(lambda: said in " ".join(story.screen_text().split()))
        assert len(story.engine.asked) == calls
        assert story.chat.prompt.text == ""


async def test_nothing_to_go_back_to_is_said(start: StartStory) -> None:
    async with start() as story:
        await story.press("escape", "escape")
        await story.until(lambda: "no earlier prompt" in story.screen_text())


def test_files_of_later_prompts_count_once() -> None:
    points = [
        RewindPoint(message_id=f"m{n}", created_at=AT, prompt="", files=files)
        for n, files in enumerate((("a",), ("b", "c"), ("c",)))
    ]
    assert touched_since(points, "m1") == ["b", "c"]
    assert touched_since(points, "other") == []


@pytest.mark.parametrize(
    ("stamp", "said"),
    [
        ("2026-11-30T09:59:30Z", "just now"),
        ("2026-11-30T09:15:00Z", "45 min ago"),
        ("2026-11-30T02:59:59.5Z", "7 h ago"),
        ("2026-11-02T03:00:00Z", "2026-11-02"),
        ("soon", "soon"),
    ],
)
def test_moments_as_people_say_them(stamp: str, said: str) -> None:
    assert ago(stamp, datetime(2026, 11, 30, 10, tzinfo=UTC)) == said

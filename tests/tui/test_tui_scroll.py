"""Scrolling, long sessions, selection."""

from textual.geometry import Offset
from textual.selection import Selection

from neocode.domain import events as ev
from tests.tui.fake_engine import FakeEngine, message
from tests.tui.story import StartStory


def long_engine(count: int) -> FakeEngine:
    """A session of count messages."""
    engine = FakeEngine()
    engine.history = [
        message(i, "assistant" if i % 2 else "user", f"message {i}\n\nbody **{i}**")
        for i in range(count)
    ]
    engine.session = engine.session.append(*engine.history)
    return engine


def rows(text: str) -> list[str]:
    """The rows of an 80 cell screen without its scrollbar."""
    return [line[:77].rstrip() for line in text.split("\n")]


async def test_what_is_looked_at_does_not_move_while_streaming(start: StartStory) -> None:
    """B37: scrolled up stays; a hint tells of new text; the key leads back."""
    async with start() as story:
        story.engine.user("go")
        story.engine.say("\n\n".join(f"line {i}" for i in range(100)), pieces=3)
        await story.settle()
        await story.press("pageup", "pageup")
        before = rows(story.screen_text())[:15]
        for i in range(40):
            story.engine.emit(ev.TextDelta, text=f"new line {i}\n\n")
            if i % 10 == 0:
                await story.settle()
        await story.settle()
        after = rows(story.screen_text())
        assert after[:15] == before
        assert any("↓ new text below" in line for line in after)
        await story.press("ctrl+end")
        assert "new line 39" in story.screen_text()
        assert "new text below" not in story.screen_text()
        story.engine.emit(ev.TextDelta, text="one more\n\n")
        await story.settle()
        assert "one more" in story.screen_text()


async def test_folding_above_keeps_the_place(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.call("c1", "bash", "bash x")
        story.engine.result("c1", "bash", "\n".join(f"out {i}" for i in range(60)))
        story.engine.say("\n\n".join(f"line {i}" for i in range(60)))
        await story.settle()
        await story.press("pageup")
        before = story.screen_text().split("\n")[0]
        await story.press("ctrl+o")
        assert story.screen_text().split("\n")[0] == before


async def test_a_long_session_lays_out_only_its_end_and_reaches_all(start: StartStory) -> None:
    async with start(long_engine(2000)) as story:
        transcript = story.chat.transcript
        assert "body 1999" in story.screen_text()
        assert sum(bool(item.rows) for item in transcript.items) <= 60
        for _ in range(12):
            await story.press("pageup")
        seen = rows(story.screen_text())
        for _ in range(3):
            transcript.load_older()
        await story.settle()
        assert rows(story.screen_text()) == seen
        await story.press("ctrl+home")
        assert "message 0" in story.screen_text()
        await story.press("ctrl+end")
        assert "body 1999" in story.screen_text()


async def test_resizing_keeps_the_end_or_the_place(start: StartStory) -> None:
    async with start(long_engine(100), size=(100, 40)) as story:
        await story.pilot.resize_terminal(60, 15)
        await story.settle()
        assert "body 99" in story.screen_text()
        await story.press("pageup", "pageup")
        top = story.chat.transcript.locate(story.chat.transcript.scroll_offset.y)
        await story.pilot.resize_terminal(120, 15)
        await story.settle()
        now = story.chat.transcript.locate(story.chat.transcript.scroll_offset.y)
        assert top is not None
        assert now is not None
        assert now[0] is top[0]


async def test_copied_text_has_no_borders_and_no_added_breaks(start: StartStory) -> None:
    """B40: a wrapped paragraph and a code block copy as they were written."""
    long = "word " * 40
    async with start() as story:
        story.engine.user("q")
        story.engine.say(f"{long.strip()}\n\n```python\ndef f(x):\n    return x\n```")
        await story.settle()
        transcript = story.chat.transcript
        text = transcript.get_selection(Selection(None, None))
        assert text is not None
        lines = text[0].split("\n")
        assert long.strip() in lines
        assert lines[lines.index("def f(x):") :][:2] == ["def f(x):", "    return x"]
        await story.pilot.mouse_down("Transcript", offset=Offset(3, 3))
        await story.pilot.hover("Transcript", offset=Offset(9, 5))
        await story.pilot.mouse_up("Transcript", offset=Offset(9, 5))
        await story.settle()
        selected = story.app.screen.get_selected_text()
        assert selected
        await story.press("ctrl+c")
        await story.until(lambda: bool(story.app.clipboard))
        assert story.app.clipboard == selected


async def test_the_last_answer_is_copied_by_command(start: StartStory) -> None:
    """B40: without a mouse."""
    async with start() as story:
        story.engine.user("q")
        story.engine.say("**the** `answer[0]`")
        await story.settle()
        story.chat.send("/copy")
        await story.settle()
        await story.until(lambda: story.app.clipboard == "**the** `answer[0]`")
        assert "Copied the last answer" in story.screen_text()

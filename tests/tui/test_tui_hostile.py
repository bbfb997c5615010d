"""Text from outside: never markup, never a control sequence, never out of its columns."""

import pytest
from rich.cells import cell_len

from neocode.domain import events as ev
from neocode.domain.session import Notice, SessionInfo
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import AT, FakeEngine, message
from tests.tui.fake_shelf import FakeShelf
from tests.tui.story import StartStory

NASTY = [
    "[bold",
    "[/red]",
    "rows[0]",
    "[key=value]",
    "text [",
    "[red]word[/red]",
    "[@click=app.exit]x",
]


@pytest.mark.parametrize("nasty", NASTY)
async def test_brackets_are_shown_literally_everywhere(start: StartStory, nasty: str) -> None:
    """B43: user message, answer, tool row, output, path, approval, notice, error, titles."""
    listed = SessionInfo(
        id="s_9", title=f"t {nasty}", model=nasty, created_at=AT, updated_at=AT, messages=1,
        tokens=1, compactions=0, cwd=nasty,
    )  # fmt: skip

    shelf = FakeShelf()
    shelf.infos = [listed]
    around = Surroundings(theme="dark", approval_guard_s=0.0, shelf=shelf)
    async with start(size=(120, 60), around=around) as story:
        engine = story.engine
        await engine.rename(f"title {nasty}")
        engine.user(f"user {nasty}")
        engine.emit(ev.ReasoningDelta, text=f"thought {nasty}")
        engine.call("c1", "bash", f"bash run {nasty}")
        engine.emit(ev.ToolOutput, call_id="c1", text=f"live {nasty}")
        await story.settle()
        engine.result("c1", "bash", f"output {nasty}\nmore", exit_status=1)
        engine.say(f"`answer {nasty}`", pieces=3)
        engine.emit(ev.NoticeEvent, kind="x", message=f"notice {nasty}")
        engine.emit(ev.RunError, kind="x", message=f"error {nasty}", hint=f"hint {nasty}")
        engine.emit(ev.TodoUpdate, items=((f"todo {nasty}", "pending"),))
        engine.emit(ev.Retry, attempt=1, max_attempts=3, wait_s=9.0, reason=f"retry {nasty}")
        fields = {"trigger_mode": "auto", "reason": "timeout", "message": f"compact {nasty}"}
        engine.emit(ev.CompactError, **fields)
        diff = f"--- a\n+++ b\n@@ -1 +1 @@\n-old {nasty}\n+new {nasty}\n"
        engine.permission(
            "p1", "edit", f"path {nasty}", diff, call_id="c2", rule=nasty, reason=f"why {nasty}"
        )
        await story.settle()
        text = story.screen_text()
        for place in ("user", "bash run", "output", "answer", "notice", "error", "hint", "todo",
                      "retry", "compact", "path", "old", "new", "why"):  # fmt: skip
            assert f"{place} {nasty}" in text, place
        assert nasty in story.app.title
        await story.press("escape")
        story.chat.send(f"/nocommand{nasty}")
        story.chat.send("/sessions")
        await story.settle()
        assert f"t {nasty}" in story.screen_text()
        await story.press("escape")
        await story.type(nasty)
        await story.press("enter")
        assert nasty in story.screen_text()


async def test_stored_rows_show_brackets_too(start: StartStory) -> None:
    """B43 on reload."""
    engine = FakeEngine()
    engine.history = [message(i, "user", text) for i, text in enumerate(NASTY)]
    engine.session = engine.session.append(*engine.history)
    engine.stored_notices = [
        Notice(id=f"n{i}", session_id="s_1", created_at=AT, after_message_id="m_0",
               kind=text, payload={"message": f"stored {text}", "level": text})
        for i, text in enumerate(NASTY)
    ]  # fmt: skip
    async with start(engine, size=(100, 50)) as story:
        text = story.screen_text()
        for nasty in NASTY:
            assert nasty in text
            assert f"stored {nasty}" in text


async def test_control_sequences_never_reach_the_terminal(start: StartStory) -> None:
    evil = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\x9b1m\x08\x00\u202eevil"
    async with start() as story:
        story.engine.user(evil)
        story.engine.call("c1", "bash", f"bash {evil}")
        story.engine.result("c1", "bash", f"{evil}\n2", exit_status=2)
        story.engine.say(evil, pieces=3)
        story.engine.permission("p1", "run", evil, reason=evil, rule=evil)
        await story.settle()
        text = story.screen_text()
        assert not any(ord(c) < 32 and c != "\n" for c in text)
        assert "\x9b" not in text
        assert "\u202e" not in text
        assert "redevil" in text


@pytest.mark.parametrize("width", [40, 61, 100])
async def test_wide_characters_keep_inside_the_screen(start: StartStory, width: int) -> None:
    """B39: no row is wider than the screen, in answers, tables, tool rows and the input."""
    wide = "中文 日本語 🇩🇪 👨‍👩‍👧 ❤️ é " * 4
    async with start(size=(width, 30)) as story:
        story.engine.user(wide)
        story.engine.call("c1", "bash", f"bash {wide}")
        story.engine.result("c1", "bash", wide, exit_status=1)
        story.engine.say(f"{wide}\n\n| a | b |\n|---|---|\n| {wide} | x |\n\n```\n{wide}\n```")
        await story.settle()
        for line in story.screen_text().split("\n"):
            assert cell_len(line) <= width
        await story.type("中文🇩🇪👨‍👩‍👧")
        await story.press("left", "left", "backspace")
        assert story.chat.prompt.text == "中🇩🇪👨‍👩‍👧"

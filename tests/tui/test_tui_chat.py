"""Talking to the agent: keys in, rows out."""

import asyncio
from pathlib import Path

import pytest
from textual import events

from neocode.domain import events as ev
from neocode.tui.app import NeoCodeApp
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import FakeEngine
from tests.tui.story import StartStory


async def test_a_turn_from_prompt_to_answer(start: StartStory) -> None:
    async with start() as story:
        await story.type("hello")
        await story.press("enter")
        assert story.engine.asked == [("submit", "hello")]
        story.engine.call("c1", "read", "read src/app.py")
        await story.settle()
        assert "◌ read src/app.py" in story.screen_text()
        assert "Esc stops" in story.screen_text()
        story.engine.result("c1", "read", "1\n2\n3", seconds=1.25)
        story.engine.say("All **good**.", pieces=4)
        story.engine.finish()
        await story.settle()
        text = story.screen_text()
        assert "✓ read src/app.py  3 lines  1.2 s" in text
        assert "All good." in text
        assert "Esc stops" not in text
        assert not story.chat.prompt.text


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (250, 70)])
async def test_last_line_is_on_the_screen_after_every_turn(
    start: StartStory, size: tuple[int, int]
) -> None:
    async with start(size=size) as story:
        for turn in range(6):
            story.engine.user(f"question {turn}")
            story.engine.say(f"word {turn}\n\n" * (turn * 8 + 1) + f"LAST-{turn}", pieces=5)
            story.engine.finish()
            await story.settle()
            assert f"LAST-{turn}" in story.screen_text()


async def test_keys_typed_before_the_engine_is_ready_are_not_lost() -> None:
    gate, engine = asyncio.Event(), FakeEngine()

    async def make() -> FakeEngine:
        await gate.wait()
        return engine

    app = NeoCodeApp(make, Surroundings(theme="dark"))
    async with app.run_test() as pilot:
        await pilot.press("h", "i")
        assert app.chat.prompt.text == "hi"
        await pilot.press("enter", "m", "o", "r", "e")
        await pilot.pause()
        assert engine.asked == []
        gate.set()
        for _ in range(50):
            await pilot.pause(0.01)
        assert engine.asked == [("submit", "hi")]
        assert app.chat.prompt.text == "more"


async def test_new_lines_by_keys_and_by_backslash(start: StartStory) -> None:
    """B38: Ctrl+J always works, Enter sends."""
    async with start() as story:
        for key in ("a", "ctrl+j", "b", "alt+enter", "c", "shift+enter", "d", "backslash", "enter"):
            await story.press(key)
        await story.press("e", "enter")
        assert story.engine.asked == [("submit", "a\nb\nc\nd\ne")]


@pytest.mark.parametrize("size", [3, 4090, 5000, 200_000])
async def test_a_paste_is_not_sent_and_arrives_once(start: StartStory, size: int) -> None:
    """B38: several sizes, CRLF, a stray end mark."""
    wanted = ("line[0] of it\n" * (size // 14 + 1))[: max(size, 3)] + "\nend"
    async with start() as story:
        paste = wanted.replace("\n", "\r\n") + "\x1b[201~"
        story.chat.prompt.post_message(events.Paste(paste))
        await story.settle()
        assert story.engine.asked == []
        if size > 2000:
            assert story.chat.prompt.text.startswith("[Pasted text #1 +")
        await story.press("enter")
        assert story.engine.asked == [("submit", wanted)]


async def test_backspace_takes_whole_characters_and_chips(start: StartStory) -> None:
    """B39: a family emoji, a flag, a heart with its selector; and a folded paste."""
    async with start() as story:
        for char in ("👨‍👩‍👧", "❤️", "中", "e\u0301"):
            story.chat.prompt.fill("a" + char)
            await story.press("backspace")
            assert story.chat.prompt.text == "a"
        story.chat.prompt.post_message(events.Paste("x\n" * 50))
        await story.settle()
        await story.press("backspace")
        assert story.chat.prompt.text == "a"


async def test_busy_text_is_queued_edited_removed_and_steered(start: StartStory) -> None:
    """B35 for runs: shown, editable, removable; Enter twice steers."""
    async with start() as story:
        story.engine.user("go")
        await story.type("first")
        await story.press("enter")
        await story.type("second")
        await story.press("enter")
        text = story.screen_text()
        assert "queued first" in text
        assert "queued second" in text
        await story.press("up")
        assert story.chat.prompt.text == "second"
        assert story.engine.queue == ("first",)
        await story.press("ctrl+c")
        assert story.chat.prompt.text == ""
        await story.press("enter")
        assert story.engine.asked[-1] == ("steer", "first")
        assert not story.engine.queue


async def test_escape_stops_and_keeps_what_was_written(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.emit(ev.TextDelta, text="half an ans")
        await story.press("escape")
        assert story.engine.asked == [("cancel",)]
        assert "half an ans" in story.screen_text()
        assert "Stopped. What was written so far is kept." in story.screen_text()


async def test_ctrl_c_clears_then_stops_then_leaves(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        await story.type("draft")
        await story.press("ctrl+c")
        assert story.chat.prompt.text == ""
        await story.press("ctrl+c")
        assert story.engine.asked == [("cancel",)]
        await story.press("ctrl+c")
        assert "Press Ctrl+C again to leave" in story.screen_text()
        assert story.app.is_running
        await story.press("up")
        assert story.chat.prompt.text == "draft"
        await story.press("ctrl+c", "ctrl+c")
        assert story.app._exit


async def test_ctrl_d_leaves_only_when_empty(start: StartStory) -> None:
    async with start() as story:
        await story.type("ab")
        await story.press("home", "ctrl+d")
        assert story.chat.prompt.text == "b"
        await story.press("ctrl+d", "ctrl+d")
        assert story.app._exit


async def test_shift_tab_cycles_the_mode(start: StartStory) -> None:
    async with start() as story:
        seen = []
        for _ in range(4):
            await story.press("shift+tab")
            seen.append(story.engine.mode)
        assert seen == ["accept-edits", "plan", "auto", "ask"]
        assert story.chat.prompt.has_focus


async def test_commands_complete_run_and_suggest(start: StartStory) -> None:
    async with start() as story:
        await story.type("/comp")
        assert "shrink the context now" in story.screen_text()
        await story.press("tab")
        assert story.chat.prompt.text == "/compact "
        await story.type("the parser")
        await story.press("enter")
        assert story.engine.asked == [("compact", "the parser")]
        story.engine.compacted()
        await story.type("/compcat")
        await story.press("enter")
        assert "Did you mean /compact?" in story.screen_text()
        await story.type(" /etc is a folder")
        await story.press("enter")
        await story.type("/etc/hosts what is it")
        await story.press("enter")
        assert [a[1] for a in story.engine.asked if a[0] == "submit"] == [
            " /etc is a folder", "/etc/hosts what is it",
        ]  # fmt: skip


async def test_files_complete_after_at(start: StartStory, tmp_path: Path) -> None:
    for name in ("src/parser.py", "src/printer.py", "notes[1].md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    async with start(FakeEngine(root=tmp_path)) as story:
        await story.type("look at @")
        await story.until(lambda: story.chat.completions.is_open)
        assert "notes[1].md" in story.screen_text()
        await story.type("parse")
        await story.press("tab")
        assert story.chat.prompt.text == "look at @src/parser.py "


async def test_history_is_kept_across_sessions(start: StartStory, tmp_path: Path) -> None:
    around = Surroundings(theme="dark", history_path=tmp_path / "prompts.jsonl")
    async with start(around=around) as story:
        await story.type("remember me")
        await story.press("enter")
    async with start(around=around) as story:
        await story.press("up")
        assert story.chat.prompt.text == "remember me"
        await story.press("ctrl+c")
        await story.press("ctrl+r")
        await story.type("memb")
        await story.press("enter")
        assert story.chat.prompt.text == "remember me"


async def test_output_unfolds_by_key(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.emit(ev.ReasoningDelta, text="deep thought")
        story.engine.call("c1", "bash", "bash make")
        story.engine.result("c1", "bash", "compiled[0]\nlinked", exit_status=0)
        await story.settle()
        assert "compiled[0]" not in story.screen_text()
        await story.press("ctrl+o", "ctrl+o")
        assert "compiled[0]" in story.screen_text()
        assert "deep thought" in story.screen_text()
        await story.press("ctrl+o")
        assert "compiled[0]" not in story.screen_text()


async def test_live_output_retry_and_error_are_seen(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.call("c1", "bash", "bash make")
        story.engine.emit(ev.ToolOutput, call_id="c1", text="building...\n")
        await story.settle()
        assert "│ building..." in story.screen_text()
        story.engine.emit(ev.Retry, attempt=1, max_attempts=5, wait_s=8.0, reason="429 from x")
        await story.settle()
        assert "429 from x. Try 2 of 5 in 8 s · Esc stops" in story.screen_text()
        story.engine.emit(ev.RunError, kind="auth", message="No key.", hint="Set X_API_KEY.")
        story.engine.finish("error")
        await story.settle()
        assert "✗ No key." in story.screen_text()
        assert "→ Set X_API_KEY." in story.screen_text()


async def test_todo_list_shows_and_hides(start: StartStory) -> None:
    async with start() as story:
        story.engine.emit(ev.TodoUpdate, items=(("one", "done"), ("two", "in_progress")))
        await story.settle()
        assert "Todo 1/2" in story.screen_text()
        await story.press("ctrl+t")
        assert "Todo 1/2" not in story.screen_text()


async def test_without_a_model_five_ways_are_shown(start: StartStory) -> None:
    async with start(FakeEngine(model=None, models=())) as story:
        text = story.screen_text()
        assert "no model to talk to yet" in text
        assert "ANTHROPIC_API_KEY" in text
        assert "neocode-cli[local]" in text
        await story.type("hi")
        await story.press("enter")
        assert story.engine.asked == []
        assert story.chat.prompt.text == "hi"


@pytest.mark.parametrize("size", [(60, 15), (160, 50)])
async def test_drawers_and_pickers_open_and_close(start: StartStory, size: tuple[int, int]) -> None:
    async with start(size=size) as story:
        for key, words in (("f1", "Keys"), ("ctrl+p", "Commands"), ("ctrl+r", "Earlier prompts")):
            await story.press(key)
            assert words in story.screen_text()
            await story.press("escape")
            assert story.app.screen is story.chat
        for command, words in (("/context", "Next request"), ("/task", "Task state"),
                               ("/theme", "high-contrast"), ("/sessions", "Sessions")):  # fmt: skip
            story.chat.send(command)
            await story.settle()
            assert words in story.screen_text()
            await story.press("escape")
        assert story.chat.prompt.has_focus

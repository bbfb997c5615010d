"""Context, task, preview and summary screens; the two views; the quiet hint."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.compact.result import CompactFailure, Preview
from neocode.domain import events as ev
from neocode.domain.session import CompactionRecord
from neocode.domain.task_state import TaskState
from neocode.tui.pages import summary_markdown
from neocode.tui.rows.marks import CompactItem, DividerItem, MoreItem
from neocode.tui.screens.context import ContextScreen, stacked
from neocode.tui.text.lines import cells
from tests.tui.fake_engine import AT, FakeEngine, message
from tests.tui.files_engine import files_engine
from tests.tui.story import StartStory, Story


def record(number: int, *, undone: bool = False, **metrics: object) -> CompactionRecord:
    return CompactionRecord(
        id=f"k_{number}", session_id="s_1", created_at=AT, trigger_mode="auto",
        strategy="keep_recent", method="summary", model="sonnet", transcript_id=f"t_{number}",
        transcript_path=f"/data/t{number}.jsonl", summary_message_id=f"m_s{number}",
        archived_ids=("m_1",), task_state_before=TaskState(),
        task_state_after=TaskState(goal=f"goal {number}"), counters_before={},
        metrics={"removed_count": number, "tokens_before": 1000, "tokens_after": 100} | metrics,
        undone_at=AT if undone else None,
    )  # fmt: skip


def archived_engine() -> FakeEngine:
    """Six turns, of which the first four messages are archived."""
    engine = FakeEngine()
    engine.history = [message(i, "assistant" if i % 2 else "user", f"text {i}") for i in range(6)]
    summary = replace(
        message(0, "user", "[compact_summary]\ndone:\n- x", is_compaction_summary=True), id="m_s1"
    )
    live = (summary, *engine.history[4:])
    engine.history.insert(4, summary)
    engine.session = replace(engine.session, messages=live, compactions=1)
    engine.records = [replace(record(1), archived_ids=tuple(f"m_{i}" for i in range(4)))]
    return engine


def state_of(engine: FakeEngine) -> TaskState:
    return engine.session.task_state


def last(engine: FakeEngine) -> tuple[object, ...]:
    return engine.asked[-1]


async def show(story: Story, line: str) -> str:
    story.chat.send(line)
    await story.until(lambda: story.app.screen is not story.chat)
    await story.pilot.pause()
    return story.screen_text()


# --- the two views


async def test_the_archive_comes_back_by_scrolling_up(start: StartStory) -> None:
    """spec/tui: nothing that was on the screen vanishes; archived rows are dimmed, divided."""
    async with start(archived_engine()) as story:
        text = story.screen_text()
        assert "↑ 4 archived messages above" in text
        assert "text 1" not in text
        await story.press("pageup")
        text = story.screen_text()
        places = [text.index(w) for w in ("text 1", "text 3", "The model still sees", "text 4")]
        assert places == sorted(places)
        assert "archived messages above" not in text
        dimmed = {i.message_id for i in story.chat.transcript.items if i.archived}
        assert dimmed == {"m_0", "m_1", "m_2", "m_3"}
        story.engine.emit(ev.SessionChanged, reason="undo")
        await story.settle()
        assert "text 1" in story.screen_text()


async def test_the_full_view_says_so_in_a_line_that_stays(start: StartStory) -> None:
    """W 8.4: a line on top, with the way back; the stored summary is there too."""
    engine = archived_engine()
    engine.history += [message(i, "user", f"more {i}\n\nand more") for i in range(10, 30)]
    engine.session = engine.session.with_messages((*engine.session.messages, *engine.history[7:]))
    async with start(engine) as story:
        await story.press("f4")
        assert "Full history, archived messages too" in story.screen_text().split("\n")[0]
        await story.press("ctrl+home")
        text = story.screen_text()
        assert "Full history" in text.split("\n")[0]
        assert "text 0" in text
        assert "Summary of what stands above" in text
        column = text.split("\n")[0].index("[compacted")
        await story.pilot.click("#view", offset=(column + 2, 0))
        await story.settle()
        assert "Full history" not in story.screen_text()
        story.chat.send("/view full")
        await story.settle()
        assert story.chat.stage is not None
        assert story.chat.stage.views.name == "full"
        await story.engine.new_session()
        await story.settle()
        assert "Full history" not in story.screen_text()


async def test_a_protected_head_is_not_dimmed(start: StartStory) -> None:
    """token_budget: head and tail are live, the divider stands behind the archived middle."""
    engine = archived_engine()
    head = engine.history[0]
    engine.session = engine.session.with_messages((head, *engine.session.messages))
    async with start(engine) as story:
        await story.press("f4")
        items = story.chat.transcript.items
        kinds = [("divider" if isinstance(i, DividerItem) else i.message_id) for i in items]
        assert kinds[kinds.index("divider") - 1] in ("m_3", "m_s1")
        assert [i.message_id for i in items if i.archived] == ["m_1", "m_2", "m_3"]


async def test_rows_that_come_live_stay_when_they_are_archived(start: StartStory) -> None:
    """Tool rows and reasoning go with their messages."""
    async with start() as story:
        story.engine.user("question 0")
        story.engine.call("c1", "read", "read a.py")
        story.engine.result("c1", "read", "1\n2")
        story.engine.say("answer 0")
        story.engine.user("question 1")
        story.engine.say("answer 1")
        story.engine.finish()
        await story.settle()
        story.engine.compact()
        story.engine.compacted()
        await story.settle()
        items = story.chat.transcript.items
        above = items[1 : [i.key for i in items].index("boundary")]
        assert [(i.kind, i.archived) for i in above] == [
            ("user", True), ("tool", True), ("answer", True),
        ]  # fmt: skip
        assert "read a.py" in story.screen_text()
        assert not any(isinstance(item, MoreItem) for item in items)


# --- rows and their buttons


async def test_only_the_newest_compaction_offers_undo(start: StartStory) -> None:
    """Undo takes the newest in force; what is undone offers redo."""
    engine = archived_engine()
    engine.records = [record(1), record(2), record(3, undone=True), record(4, undone=True)]
    async with start(engine) as story:
        for number in range(1, 5):
            story.engine.compacted(summary_message_id=f"m_s{number}", transcript_id=f"t_{number}")
        await story.settle()
        rows = [i for i in story.chat.transcript.items if isinstance(i, CompactItem)]
        shown = ["\n".join(t for b in row.blocks() for t in b.layout(90).texts) for row in rows]
        assert ["[undo]" in text for text in shown] == [False, True, False, False]
        assert ["[redo]" in text for text in shown] == [False, False, True, False]
        assert "· undone" in shown[2]


async def test_a_retry_counts_down_inside_the_compaction(start: StartStory) -> None:
    """Its seconds go on meanwhile."""
    async with start() as story:
        story.engine.compact()
        story.engine.emit(ev.Retry, attempt=1, max_attempts=3, wait_s=9.0, reason="Overloaded.")
        await story.settle()
        assert "Overloaded. Try 2 of 3 in 9 s" in story.screen_text()
        await story.pilot.pause(1.2)
        text = story.screen_text()
        assert "Compacting context… 1 s" in text
        assert "in 8 s" in text
        story.engine.compacted()
        await story.settle()
        assert "Overloaded" not in story.screen_text()


# --- the hint


async def test_one_quiet_hint_when_automatic_is_off(start: StartStory, tmp_path: Path) -> None:
    """Once a session; its switch writes enabled: true, trigger: context_window."""
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        engine.tokens(100_000)
        await story.settle()
        assert "automatic compaction is off" not in story.screen_text()
        for used in (150_000, 160_000):
            engine.tokens(used)
            await story.settle()
        text = story.screen_text()
        assert text.count("automatic compaction is off") == 1
        assert "[compact now] F3" in text
        row = next(i for i, line in enumerate(text.split("\n")) if "[turn automatic on]" in line)
        column = text.split("\n")[row].index("[turn")
        await story.pilot.click("Transcript", offset=(column + 3, row))
        await story.settle()
        auto = engine.config.context.auto_compact
        assert (auto.enabled, auto.trigger) == (True, "context_window")
        assert "# my own" in engine.text
        assert "Automatic compaction is on, at 72 % of the window." in story.screen_text()
        await story.press("f3")
        assert ("compact", "") in engine.asked


# --- screens


async def test_the_context_screen(start: StartStory) -> None:
    async with start(size=(100, 34)) as story:
        text = await show(story, "/context")
        for words in (
            "43,150 tokens of 200,000 (21.6 %)", "estimated", "threshold 140,000",
            "tool results", "71.8%", "61,000 input tokens sent", "about 12 turns",
            "The largest part is tool results", "There is room", "90k",
        ):  # fmt: skip
            assert words in text, words
        await story.press("p")
        await story.until(lambda: ("preview", "", None, 10) in story.engine.asked)


@given(
    st.lists(st.integers(0, 300_000), min_size=7, max_size=7),
    st.integers(20, 250),
    st.integers(0, 200_000),
)
def test_the_bar_of_parts_fits(sizes: list[int], width: int, threshold: int) -> None:
    """Every part that is not empty has a cell as long as there is room; nothing overflows."""
    names = ("system", "instructions", "tools", "task_state", "summary", "messages", "tool_results")
    figures = replace(
        FakeEngine().figures(), parts=dict(zip(names, sizes, strict=True)),
        next_request=sum(sizes), threshold=threshold,
    )  # fmt: skip
    bar, *below = stacked(figures, width)
    assert cells(bar) == width
    assert all(cells(line) <= width for line in below)


async def test_the_task_is_edited_and_limits_are_said(start: StartStory) -> None:
    engine = FakeEngine()
    state = TaskState(goal="old", user_constraints=("never push",), pinned=("never push",))
    engine.session = replace(engine.session, task_state=state)
    async with start(engine, size=(90, 40)) as story:
        text = await show(story, "/task")
        assert "★ pinned  never push" in text
        await story.press("enter")
        await story.type("er goal")
        assert "of 2,000 characters" in story.screen_text()
        await story.press("enter")
        assert engine.session.task_state.goal == "older goal"
        await story.press("down", "down", "a")
        await story.type("first item")
        await story.press("enter")
        assert state_of(engine).open_items == ("first item",)
        await story.press("enter")
        await story.type("x" * 400)
        await story.press("enter")
        assert "400 are the most" in story.screen_text()
        assert state_of(engine).open_items == ("first item",)
        await story.press("d")
        assert state_of(engine).open_items == ()


async def test_pins_are_marked_and_toggled(start: StartStory) -> None:
    """A reworded pin stays pinned, in the new words."""
    engine = FakeEngine()
    state = TaskState(user_constraints=("never push", "use tabs"), pinned=("never push",))
    engine.session = replace(engine.session, task_state=state)
    async with start(engine, size=(90, 40)) as story:
        await show(story, "/task")
        for _ in range(6):
            await story.press("down")
        await story.press("enter")
        await story.type("!")
        await story.press("enter")
        assert state_of(engine).pinned == ("never push!",)
        assert engine.session.task_state.user_constraints[0] == "never push!"
        await story.press("p")
        assert state_of(engine).pinned == ()
        await story.press("down", "p")
        assert state_of(engine).pinned == ("use tabs",)
        assert story.app.screen is not story.chat


async def test_a_preview_is_changed_and_accepted(start: StartStory) -> None:
    engine = FakeEngine()
    for number in range(14):
        engine.history.append(message(number, "user", f"question {number}"))
    engine.session = engine.session.with_messages(engine.history)
    async with start(engine, size=(90, 30)) as story:
        text = await show(story, "/compact preview the parser")
        for words in ("~98,000 → ~12,400", "$0.2940 → $0.0370", "by sonnet", "the parser"):
            assert words in text
        await story.press("minus", "minus")
        assert last(engine) == ("preview", "the parser", None, 8)
        await story.press("right", "right", "right")
        assert last(engine) == ("preview", "the parser", "extractive", None)
        assert not [call for call in engine.asked if call[0] == "compact"]
        await story.press("escape")
        await show(story, "/compact preview")
        await story.press("enter")
        assert last(engine) == ("compact", "")
        assert story.app.screen is story.chat


class Poor(FakeEngine):
    """Has no model for summaries."""

    def preview_compaction(self, *args: object, **more: object) -> Preview:
        """Fails but for extractive."""
        strategy = args[1] if len(args) > 1 else None
        if strategy == "extractive" or not self.asked:
            return super().preview_compaction(*args, **more)  # type: ignore[arg-type]
        raise CompactFailure("no_auxiliary_model", "The auxiliary model lab has no [key].")


async def test_a_preview_that_would_fail_says_why_and_cannot_be_accepted(start: StartStory) -> None:
    engine = Poor()
    async with start(engine, size=(90, 30)) as story:
        text = await show(story, "/compact preview")
        assert "This would fail: The auxiliary model lab has no [key]." in text
        await story.press("enter")
        assert story.app.screen is not story.chat
        await story.press("left")
        assert "This would fail" not in story.screen_text()


async def test_any_compaction_of_the_log_can_be_looked_at(start: StartStory) -> None:
    """/compact log leads to a drawer; Left and Right to the others; u undoes the newest."""
    engine = archived_engine()
    audit = {
        "kept": 2, "recallable": 1, "dropped": 0, "share": 1.0,
        "items": [{"text": "src/[a].py", "kind": "path", "fate": "kept"}],
    }  # fmt: skip
    engine.records = [record(1, audit=audit), record(2)]
    async with start(engine, size=(100, 40)) as story:
        text = await show(story, "/compact log")
        assert "2 messages archived" in text
        assert text.index("2 messages archived") < text.index("1 message archived")
        await story.press("enter")
        text = story.screen_text()
        assert "Compaction 2 of 2" in text
        assert "goal 2" in text
        await story.press("left")
        text = story.screen_text()
        for words in ("Compaction 1 of 2", "goal 1", "100% of the names", "2 kept", "src/[a].py"):
            assert words in text
        assert "[undo]" not in text
        await story.press("right", "u")
        await story.until(lambda: ("undo",) in engine.asked)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "[compact_summary]\ndone:\n- a\nin_progress:\n- b",
            "**done**\n\n- a\n\n**in_progress**\n\n- b",
        ),
        ("[CONTEXT COMPACTION]\n## Goal\nx", "## Goal\nx"),
        ("", ""),
    ],
)
def test_a_summary_as_markdown(text: str, shown: str) -> None:
    assert summary_markdown(text) == shown


@pytest.mark.parametrize("make", [ContextScreen])
async def test_pages_fit_a_small_screen(
    start: StartStory, make: Callable[[FakeEngine], ContextScreen]
) -> None:
    """60x15: the hint stays in sight, the page scrolls."""
    async with start(size=(60, 15)) as story:
        text = await show(story, "/context")
        assert "Esc closes" in text
        await story.press("end")
        assert "cost" in story.screen_text()
        await story.press("escape")
        assert story.app.screen is story.chat

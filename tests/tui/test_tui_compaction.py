"""Compaction on the screen: rows, bar, views; and what must not be lost meanwhile."""

import pytest

from neocode.domain import events as ev
from neocode.domain.session import CompactionRecord, Notice
from neocode.domain.task_state import TaskState
from tests.tui.fake_engine import AT, FakeEngine, message
from tests.tui.story import StartStory

RECORD = CompactionRecord(
    id="k_1",
    session_id="s_1",
    created_at=AT,
    trigger_mode="manual",
    strategy="keep_recent",
    method="summary",
    model="sonnet",
    transcript_id="t_1",
    transcript_path="/data/t[1].jsonl",
    summary_message_id="m_sum",
    archived_ids=("m_1", "m_2"),
    task_state_before=TaskState(),
    task_state_after=TaskState(goal="Fix [the] parser", user_constraints=("never push",)),
    counters_before={},
    metrics={"tokens_before": 98_000, "tokens_after": 12_400, "audit": {"share": 0.9, "kept": 9}},
)


async def test_the_meter_falls_at_once_and_the_draft_stays(start: StartStory) -> None:
    """B27: bar and status follow the one number; half-typed text stays."""
    async with start() as story:
        story.engine.tokens(156_000, estimated=False)
        await story.type("half a thou")
        assert "156k/200k tokens" in story.screen_text()
        assert story.chat.bar.gauge.percent == 78
        story.engine.compact()
        await story.settle()
        assert "Compacting context… 0 s  Esc stops" in story.screen_text()
        assert story.chat.bar.compacting is True
        story.engine.compacted()
        story.engine.tokens(12_400, compactions=1)
        await story.settle()
        text = story.screen_text()
        assert "~12.4k/200k tokens" in text
        assert "compacted 1 times" in text or "threshold 70%" in text
        assert story.chat.bar.gauge.level == "ok"
        assert "Context compacted · 42 messages archived · 87 % of tokens saved" in text
        assert "[view summary] [undo]" in text
        assert story.chat.prompt.text == "half a thou"


@pytest.mark.parametrize("end", ["done", "error", "cancelled"])
async def test_text_typed_during_a_compaction_waits_and_stays(start: StartStory, end: str) -> None:
    """B35: shown as waiting whatever the end is; the engine delivers it."""
    async with start() as story:
        story.engine.compact()
        await story.type("one")
        await story.press("enter")
        await story.type("two")
        await story.press("enter")
        assert story.engine.queue == ("one", "two")
        assert "queued one" in story.screen_text()
        assert "queued two" in story.screen_text()
        if end == "done":
            story.engine.compacted()
        else:
            story.engine.busy = ""
            fields = {"trigger_mode": "manual", "message": "boom[0]", "reason": "provider_error"}
            story.engine.emit(
                ev.CompactError, **fields | ({"reason": end} if end != "error" else {})
            )
        await story.settle()
        assert story.engine.queue == ("one", "two")
        assert [a for a in story.engine.asked if a[0] == "submit"] == [
            ("submit", "one"), ("submit", "two"),
        ]  # fmt: skip


async def test_escape_stops_a_compaction_and_the_input_goes_on(start: StartStory) -> None:
    """B36: cancelled, not failed; the next message is sent."""
    async with start() as story:
        story.engine.compact()
        await story.settle()
        await story.press("escape")
        text = story.screen_text()
        assert "Compaction cancelled. The conversation is unchanged." in text
        assert "failed" not in text
        assert not story.chat.activity.display
        await story.type("next")
        await story.press("enter")
        assert story.engine.asked[-1] == ("submit", "next")


async def test_a_failure_offers_to_try_again(start: StartStory) -> None:
    async with start() as story:
        story.engine.emit(
            ev.CompactError, trigger_mode="auto", reason="timeout", message="no [answer] in 120 s"
        )
        await story.settle()
        text = story.screen_text()
        assert "Compaction failed: no [answer] in 120 s. The conversation is unchanged." in text
        row = next(i for i, line in enumerate(text.split("\n")) if "[try again]" in line)
        await story.pilot.click("Transcript", offset=(5, row))
        await story.settle()
        assert story.engine.asked == [("compact", "")]


async def test_nothing_vanishes_and_a_divider_shows_what_is_still_seen(start: StartStory) -> None:
    async with start() as story:
        for number in range(3):
            story.engine.user(f"question {number}")
            story.engine.say(f"answer {number}")
            story.engine.finish()
        await story.settle()
        story.engine.compact()
        story.engine.compacted()
        await story.settle()
        lines = story.screen_text().split("\n")
        places = [
            next(i for i, line in enumerate(lines) if words in line)
            for words in ("answer 1", "The model still sees", "question 2", "answer 2")
        ]
        assert places == sorted(places)


def stored(kind: str, after: str, **payload: object) -> Notice:
    """A stored notice."""
    return Notice(
        id=f"n_{kind}_{after}", session_id="s_1", created_at=AT, after_message_id=after,
        kind=kind, payload=payload,
    )  # fmt: skip


async def test_rows_come_back_on_reload_and_the_view_changes(start: StartStory) -> None:
    """Stored notices are the rows they were; F4 shows the archive and says so."""
    engine = FakeEngine()
    engine.history = [message(i, "assistant" if i % 2 else "user", f"text {i}") for i in range(6)]
    summary = message(90, "user", "[compact_summary] …", is_compaction_summary=True)
    engine.session = engine.session.append(summary, *engine.history[4:])
    object.__setattr__(engine.session, "compactions", 1)
    engine.stored_notices = [
        stored("compact_done", "m_3", removed_count=4, tokens_before=1000, tokens_after=100,
               summary_message_id="m_sum"),
        stored("compact_error", "m_5", reason="timeout", message="too slow"),
    ]  # fmt: skip
    async with start(engine) as story:
        text = story.screen_text()
        assert "Context compacted · 4 messages archived · 90 % of tokens saved" in text
        assert text.index("Context compacted") < text.index("text 4")
        assert "Compaction failed: too slow." in text
        assert "text 1" not in text
        assert "compact_summary" not in text
        await story.press("f4")
        await story.press("ctrl+home")
        text = story.screen_text()
        assert "Full history" in text
        assert "text 1" in text
        await story.press("f4")
        assert "text 1" not in story.screen_text()


async def test_the_summary_drawer(start: StartStory) -> None:
    engine = FakeEngine(records=[RECORD])
    engine.history = [message(1, "user", "x")]
    engine.session = engine.session.append(
        message(2, "user", "# What happened\n\nWe fixed [b]it[/b].", is_compaction_summary=True)
    )
    object.__setattr__(engine.session.messages[0], "id", "m_sum")
    async with start(engine, size=(100, 40)) as story:
        await story.press("f2")
        text = story.screen_text()
        for words in (
            "98,000 → 12,400", "/data/t[1].jsonl", "We fixed [b]it[/b].", "Fix [the] parser",
            "never push", "2 messages", "90% of the names",
        ):  # fmt: skip
            assert words in text
        await story.press("escape")
        assert story.app.screen is story.chat

"""The built request: order, parts, decisions (spec/context 4 and 6; B13, B18, B26, B27, B31)."""

from dataclasses import replace

import pytest

from neocode.config.schema import AutoCompactConfig, CompactConfig, ContextConfig
from neocode.context.builder import ContextBuilder
from neocode.context.measure import Measured
from neocode.context.sources import SystemParts
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.task_state import TaskState
from neocode.domain.tooling import ToolSpec
from tests.checker import check
from tests.histories import (
    AT,
    GOAL,
    assistant,
    call,
    metadata,
    result,
    session,
    summary,
    tool_run,
    user,
)

COUNTER = TokenCounter()
PARTS = ("system", "instructions", "tools", "task_state", "summary", "messages", "tool_results")
MARKED = "[compact_summary]\n\ndone:\n- the parser"


def _builder(counter: TokenCounter = COUNTER, **auto: object) -> ContextBuilder:
    config = ContextConfig(auto_compact=AutoCompactConfig(**auto))  # type: ignore[arg-type]
    return ContextBuilder(counter, config)


def _talk(turns: int, text: str = "words and more words") -> list[Message]:
    pairs = ((user(f"u{n}", f"{n} {text}"), assistant(f"e{n}", text)) for n in range(turns))
    return [message for pair in pairs for message in pair][:-1]


def test_order_system_preamble_live_messages() -> None:
    state = session(summary("s", MARKED, "first words"), user("u", "go on"), task_state=GOAL)
    parts = SystemParts(base="Base.", environment="Env.", instructions="Rules.", agent="Role.")
    built = _builder().build(state, metadata(system=parts))
    assert built.system == "Base.\n\nEnv.\n\n# Agent profile\nRole.\n\nRules."
    (only,) = built.messages
    places = [
        only.content.index(text)
        for text in ("not orders", "make the tests pass", MARKED, "first words", "go on")
    ]
    assert places == sorted(places)


def test_without_state_or_summary_there_is_no_preamble() -> None:
    history = (user("u", "hello"),)
    assert _builder().build(session(*history), metadata()).messages == history


def test_the_preamble_stands_where_the_archive_was() -> None:
    """W: between head and tail; older summaries are left out."""
    state = session(
        user("h", "head"),
        assistant("a", "", call("c1")),
        result("t", "c1", "out"),
        summary("old", "[compact_summary] OLD"),
        summary("s", "[CONTEXT COMPACTION] middle"),
        assistant("b", "tail"),
        user("u", "next"),
    )
    built = _builder().build(state, metadata())
    assert [m.role for m in built.messages] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
        "user",
    ]
    assert "middle" in built.messages[3].content
    assert not any("OLD" in m.content for m in built.messages)
    assert built.cache_breakpoints == (3, 5)


def test_archived_messages_are_not_sent() -> None:
    gone = user("x", "archived", compacted_at=AT, compacted_into="s")
    built = _builder().build(session(gone, user("u", "now")), metadata())
    assert [m.content for m in built.messages] == ["now"]


def test_signed_reasoning_passes_untouched() -> None:
    """B13."""
    blocks = [{"type": "thinking", "thinking": "…", "signature": "s1"}, {"signature": "s2"}]
    reply = assistant("a", "", call("c1"), call("c2"), metadata={"reasoning_blocks": blocks})
    state = session(user("u", "x"), reply, result("t1", "c1", "1"), assistant("b", "no"))
    built = _builder().build(state.append(user("v", "y")), metadata())
    check(built.messages)
    assert built.messages[1] is reply


def test_parts_add_up_to_the_total() -> None:
    tool = ToolSpec(name="read", description="Reads a file.", parameters={"type": "object"})
    counter = TokenCounter({"openai/m": 1.37})
    state = session(summary("s", MARKED), user("u", "x"), *tool_run(3, "out"), task_state=GOAL)
    parts = SystemParts(base="Base.", instructions="Rules.")
    built = ContextBuilder(counter, ContextConfig(), [tool]).build(state, metadata(system=parts))
    assert tuple(built.tokens) == PARTS
    assert all(count > 0 for count in built.tokens.values())
    assert sum(built.tokens.values()) == built.total
    assert built.total == round(1.37 * built.raw_tokens)
    assert built.estimated


def test_the_measured_figure_replaces_the_estimate() -> None:
    state = session(*_talk(4))
    measured = Measured(input_tokens=7000, output_tokens=10, message_id="e2", model="openai/m")
    built = _builder().build(state, metadata(measured=measured))
    added = COUNTER.count_message(state.messages[-1])
    assert built.total == 7010 + added
    assert built.estimated
    whole = _builder().build(session(*_talk(4)[:-1]), metadata(measured=measured))
    assert (whole.total, whole.estimated) == (7010, False)


@pytest.mark.parametrize("change", [{"model": "other"}, {"message_id": "gone"}])
def test_a_figure_of_another_model_or_history_is_not_used(change: dict[str, str]) -> None:
    """B26."""
    measured = Measured(input_tokens=7000, output_tokens=10, message_id="e2", model="openai/m")
    used = replace(measured, **change)  # type: ignore[arg-type]
    built = _builder().build(session(*_talk(4)), metadata(measured=used))
    assert built.total == built.raw_tokens


def test_after_a_compaction_the_figure_falls_at_once() -> None:
    """B27: the kept reply's figure is corrected by what is gone."""
    long = session(*_talk(60, "words " * 100))
    before = _builder().build(long, metadata())
    measured = Measured(
        input_tokens=before.total,
        output_tokens=100,
        message_id="e58",
        model="openai/m",
        estimate=before.raw_tokens,
    )
    short = session(summary("s", MARKED), *long.messages[-4:], task_state=GOAL)
    after = _builder().build(short, metadata(measured=measured))
    assert after.total < before.total / 5


def test_session_input_counts_what_was_sent() -> None:
    """B18 and N: the sum over calls, not the present size; zero after a success."""
    state = session(*_talk(4), input_tokens_since_compaction=100_000)
    assert _builder().build(state, metadata()).auto_compact_suggested == "session_input"
    reset = replace(state, input_tokens_since_compaction=0)
    assert _builder().build(reset, metadata()).auto_compact_suggested is None


def test_context_window_counts_the_next_request() -> None:
    state = session(*_talk(40, "words " * 200), input_tokens_since_compaction=10**9)
    small = _builder(trigger="context_window").build(state, metadata(window=10_000))
    assert small.auto_compact_suggested == "context_window"
    assert small.percent > 70
    large = _builder(trigger="context_window").build(state, metadata(window=1_000_000))
    assert large.auto_compact_suggested is None


def test_an_agents_threshold_wins() -> None:
    state = session(*_talk(40, "words " * 200))
    built = _builder(trigger="either").build(state, metadata(window=40_000))
    assert built.auto_compact_suggested is None
    early = _builder(trigger="either").build(state, metadata(window=40_000, threshold_percent=30))
    assert early.auto_compact_suggested == "context_window"


@pytest.mark.parametrize(
    "history",
    [
        [user("u", "a" * 9000)],
        [user("u", "go"), assistant("a", "", call("c1")), result("t", "c1", "x" * 9000)],
        [summary("s", MARKED), user("u", "a" * 9000), assistant("a", "reply")],
    ],
)
def test_nothing_to_archive_is_never_suggested(history: list[Message]) -> None:
    """B18: the newest user message and the newest block alone cannot be compacted."""
    state = session(*history, input_tokens_since_compaction=10**6)
    built = _builder(trigger="either").build(state, metadata(window=2000))
    assert built.auto_compact_suggested is None


def test_the_floor_names_every_part_and_the_largest() -> None:
    """B31, spec/context 4: nothing is sent when what stays does not fit."""
    state = session(*_talk(3), user("huge", "log line 17 failed\n" * 9000))
    built = _builder().build(state, metadata(window=20_000))
    assert built.floor is not None
    assert built.floor.largest == "newest_message"
    assert built.floor.total > 20_000
    assert set(built.floor.parts) == {
        "system",
        "instructions",
        "tools",
        "task_state",
        "summary",
        "newest_message",
    }


def test_a_guessed_window_refuses_nothing() -> None:
    """B25: the real window may be larger than the cautious default."""
    state = session(user("huge", "log line 17 failed\n" * 9000))
    guessed = replace(metadata(window=20_000).model, window_source="default")
    assert _builder().build(state, metadata(model=guessed)).floor is None
    assert _builder().build(session(*_talk(3)), metadata()).floor is None


def test_repairs_come_with_the_stub_to_store_and_storing_it_changes_nothing() -> None:
    broken = session(user("u", "x"), assistant("a", "", call("c1"), call("c2")), user("v", "y"))
    built = _builder().build(broken, metadata())
    stubs = [r.stub for r in built.repairs if r.stub]
    assert [s.tool_call_id for s in stubs] == ["c1", "c2"]
    stored = (*broken.messages[:2], *stubs, *broken.messages[2:])
    mended = _builder().build(session(*stored), metadata())
    assert mended.messages == built.messages
    assert mended.repairs == ()


def test_cache_marks_are_few_and_on_the_last_requests_end() -> None:
    state = session(user("u", "x"), *tool_run(20, "out"), task_state=GOAL)
    built = _builder().build(state, metadata())
    last = len(built.messages) - 1
    assert built.cache_breakpoints == (0, last - 2, last)
    assert _builder().build(session(), metadata()).cache_breakpoints == ()


def test_a_changed_task_state_changes_only_the_preamble() -> None:
    history = (user("u", "x"), assistant("a", "y"), user("v", "z"))
    one = _builder().build(session(*history, task_state=GOAL), metadata())
    two = _builder().build(session(*history, task_state=TaskState(goal="other")), metadata())
    assert one.system == two.system
    assert one.messages[1:] == two.messages[1:]


def test_keep_user_words_can_be_switched_off() -> None:
    config = ContextConfig(compact=CompactConfig(keep_user_words_tokens=0))
    state = session(summary("s", MARKED, "my own words"), user("u", "x"))
    built = ContextBuilder(COUNTER, config).build(state, metadata())
    assert "my own words" not in built.messages[0].content

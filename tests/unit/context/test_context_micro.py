"""Micro compact's rules (spec/context 5; B28, B29)."""

from dataclasses import replace

import pytest

from neocode.config.schema import CompactConfig, ContextConfig
from neocode.context.builder import ContextBuilder
from neocode.context.micro import EdgeStats, Prices, next_rent, relative_prices, should_move
from neocode.context.standin import call_target, stand_in
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState
from neocode.domain.tooling import ToolSpec
from neocode.domain.usage import Price
from tests.histories import GOAL, assistant, call, metadata, result, session, tool_run, user

COUNTER = TokenCounter()
LONG = "some output of a tool, one line of many\n" * 60
CHEAP = Price(input=1, output=1, cached_input=1, cache_write=1)


def _builder(**compact: object) -> ContextBuilder:
    config = ContextConfig(compact=CompactConfig(**compact))  # type: ignore[arg-type]
    preserving = ToolSpec(name="recall", description="", parameters={}, preserve_history=True)
    return ContextBuilder(COUNTER, config, [preserving])


def _long_run(blocks: int, name: str = "grep") -> SessionState:
    return session(user("u", "do it"), *tool_run(blocks, LONG, name), task_state=GOAL)


def _stats(**more: object) -> EdgeStats:
    fields = {"freed": 5000, "request": 50_000, "between": 1000, "tail": 4000, "rent": 1e9}
    return EdgeStats(**{**fields, "calls": 100, **more})  # type: ignore[arg-type]


def test_the_edge_moves_when_rent_and_gain_are_enough() -> None:
    assert should_move(_stats(), Prices(), 4000)


@pytest.mark.parametrize(
    "less",
    [
        {"freed": 3999},
        {"freed": 5000, "request": 100_001},
        {"rent": 4000 * 1.15},
        {"calls": 10},
        {"freed": 0, "pressed": True},
    ],
)
def test_the_edge_stays(less: dict[str, object]) -> None:
    assert not should_move(_stats(**less), Prices(), 4000)


def test_near_the_window_room_counts_for_more_than_money() -> None:
    assert should_move(_stats(rent=0, calls=0, pressed=True), Prices(), 4000)
    assert not should_move(_stats(freed=3999, pressed=True), Prices(), 4000)


def test_rent_is_the_cached_price_of_what_could_be_cleared() -> None:
    assert next_rent(_stats(rent=10.0), Prices()) == pytest.approx(510)


def test_prices_are_the_models_own_with_defaults() -> None:
    assert relative_prices(None) == Prices(cached=0.1, fresh=1.25)
    assert relative_prices(Price(input=0, output=0)) == Prices()
    assert relative_prices(Price(input=4, cached_input=1, cache_write=4)) == Prices(
        cached=0.25, fresh=1
    )


def test_small_greps_far_below_the_limit_stay_whole() -> None:
    """B28: one turn, 25 greps of 200 tokens, window 128k, task state not empty."""
    state = session(user("u", "look"), task_state=GOAL)
    builder, text = _builder(), "match in file line " * 50
    for n in range(25):
        state = state.append(*tool_run(1, text, start=n))
        built = builder.build(state, metadata())
        assert built.cleared == ()
        state = replace(state, micro_edge=built.micro_edge, micro_rent=built.micro_rent)


@pytest.mark.parametrize("gate", ["no task state", "disabled"])
def test_without_a_task_state_or_when_disabled_nothing_is_cleared(gate: str) -> None:
    """N's gate; B28's last sentence."""
    state = replace(_long_run(40), micro_edge="t30", micro_rent=1e9)
    if gate == "disabled":
        built = _builder(micro_compact_disabled=True).build(state, metadata())
    else:
        built = _builder().build(replace(state, task_state=TaskState()), metadata())
    assert built.cleared == ()
    assert built.micro_edge == "t30"


def test_one_prompt_and_sixty_blocks_shrink_and_the_prompt_stays() -> None:
    """The current run is not exempt."""
    state = replace(_long_run(60), micro_rent=1e9)
    built = _builder().build(state, metadata())
    assert built.edge_moved
    assert built.micro_edge == "t53"
    assert built.micro_rent == 0.0
    assert len(built.cleared) == 54
    assert built.messages[0].content.endswith("do it")
    whole = [m for m in built.messages if m.role == "tool" and LONG in m.content]
    assert [m.id for m in whole] == [f"t{n}" for n in range(54, 60)]
    assert built.total < 0.3 * _builder(micro_compact_disabled=True).build(state, metadata()).total


def test_a_stored_edge_clears_the_same_and_nothing_else() -> None:
    state = replace(_long_run(60), micro_edge="t10")
    built = _builder().build(state, metadata())
    assert built.cleared == tuple(f"t{n}" for n in range(11))
    assert not built.edge_moved
    assert built.micro_rent > 0


def test_an_edge_that_was_archived_clears_nothing() -> None:
    built = _builder().build(replace(_long_run(8), micro_edge="gone"), metadata())
    assert built.cleared == ()


def test_thirty_turns_move_the_edge_rarely_and_share_their_prefix() -> None:
    """B29: 30 turns each with a 4k result; stand-ins never change."""
    builder, state = _builder(), session(task_state=GOAL)
    previous: tuple[Message, ...] = ()
    moves = 0
    short: dict[str, str] = {}
    for n in range(30):
        text = f"{n} result " * 1600
        state = state.append(user(f"u{n}", f"turn {n}"), *tool_run(1, text, start=n))
        built = builder.build(state, metadata(window=1_000_000))
        if built.edge_moved:
            moves += 1
        else:
            assert built.messages[: len(previous)] == previous
        for message in built.messages:
            if message.id in built.cleared:
                assert short.setdefault(message.id, message.content) == message.content
        previous = built.messages
        state = replace(state, micro_edge=built.micro_edge, micro_rent=built.micro_rent)
        state = state.append(assistant(f"e{n}", "done"))
    assert 1 <= moves <= 8


def test_errors_short_results_preserving_tools_and_pictures_stay() -> None:
    state = session(
        user("u", "go"),
        assistant("a", "", call("c1"), call("c2"), call("c3", "recall"), call("c4")),
        result("error", "c1", LONG, is_error=True),
        result("short", "c2", "x" * 199),
        result("kept", "c3", LONG, "recall"),
        result("cleared", "c4", LONG),
        *tool_run(6, LONG),
        task_state=GOAL,
        micro_edge="cleared",
    )
    assert _builder().build(state, metadata()).cleared == ("cleared",)


def test_a_compaction_that_is_due_takes_the_clearing_with_it() -> None:
    state = replace(_long_run(60), micro_rent=1e9, input_tokens_since_compaction=100_000)
    due = _builder().build(state, metadata(may_compact=True))
    assert due.auto_compact_suggested == "session_input"
    assert not due.edge_moved
    assert _builder().build(state, metadata(may_compact=False)).edge_moved


def test_the_stand_in_says_what_was_there_and_how_to_get_it_back() -> None:
    read = call("c", "read", '{"path": "src/app.py", "offset": 3}')
    text = "   \n1 import os\n" + "x" * 300
    short = stand_in(result("m_7", "c", text, "read"), read).content
    assert short == f"[cleared read src/app.py {len(text)} chars 1 import o; recall m_7]"
    ran = call("c", "bash", '{"command": "pytest -q tests/unit/context --durations=9"}')
    done = result("m_8", "c", "\x1b[31mred\x1b[0m" * 90, "bash", metadata={"exit_status": 1})
    assert stand_in(done, ran).content.endswith("chars exit 1; recall m_8]")
    assert stand_in(replace(done, metadata={}), None).content.startswith(
        "[cleared bash 1080 chars red"
    )


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ('{"path": "/home/someone/project/src/deep/module.py"}', "src/deep/module.py"),
        ('{"pattern": "def \\n main", "path": ""}', "def main"),
        ('{"command": "a command that is rather long"}', "a command that is r…"),
        ('{"limit": 3}', ""),
        ("[1]", ""),
        ("", ""),
        ('{"path": "cut o', '{"path": "cut o'),
        ('{"other": "value"}', "value"),
    ],
)
def test_what_a_call_works_on(arguments: str, target: str) -> None:
    assert call_target(call("c", "tool", arguments)) == target

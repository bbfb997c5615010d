"""Whatever the history and the cut, what goes out is valid (spec/context 4; B13, B19, B20, B21)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.config.schema import CompactConfig, ContextConfig
from neocode.context.builder import ContextBuilder
from neocode.context.tokens import TokenCounter
from neocode.context.validate import pair_up, repair
from neocode.domain.messages import Message
from neocode.domain.task_state import TaskState
from tests.checker import check, is_valid
from tests.histories import GOAL, histories, metadata, session, tidy_histories

few = settings(max_examples=60)
CONFIG = ContextConfig(
    compact=CompactConfig(micro_compact_keep_recent_blocks=1, micro_compact_min_tokens=0)
)
COUNTER = TokenCounter()


def _builder() -> ContextBuilder:
    return ContextBuilder(COUNTER, CONFIG, preserving=["recall"])


@given(histories(), st.booleans(), st.integers(0, 14), st.integers(0, 14))
def test_any_history_and_any_cut_builds_a_valid_request(
    history: tuple[Message, ...], established: bool, edge: int, cut: int
) -> None:
    state = GOAL if established else TaskState()
    live = session(*history[cut:], task_state=state, micro_edge=f"m{edge}", micro_rent=1e9)
    built = _builder().build(live, metadata())
    if built.messages:
        check(built.messages)
    else:
        own = [m for m in history[cut:] if m.role == "user" and not m.is_compaction_summary]
        assert not any(m.content.strip() for m in own)


@few
@given(histories())
def test_a_repaired_list_needs_no_more_repair(history: tuple[Message, ...]) -> None:
    once, _ = repair(history)
    again, repairs = repair(once)
    assert again == once
    assert repairs == []


@few
@given(histories())
def test_every_missing_result_is_reported_with_the_stub_that_stands_in(
    history: tuple[Message, ...],
) -> None:
    paired, repairs = pair_up(history)
    known = {m.id for m in history}
    assert [m for m in paired if m.id not in known] == [
        r.stub for r in repairs if r.kind == "missing_result"
    ]


@few
@given(tidy_histories())
def test_a_tidy_history_passes_unchanged(history: tuple[Message, ...]) -> None:
    paired, repairs = pair_up(history)
    assert repairs == []
    assert [m.id for m in paired] == [m.id for m in history]
    assert all(a is b for a, b in zip(paired, history, strict=True) if not b.content.isspace())


@few
@given(histories())
def test_the_newest_user_message_goes_out_word_for_word(history: tuple[Message, ...]) -> None:
    built = _builder().build(session(*history, task_state=GOAL), metadata())
    own = [m for m in history if m.role == "user" and not m.is_compaction_summary]
    texts = [m.content for m in own if m.content.strip()]
    if texts:
        assert any(m.role == "user" and texts[-1] in m.content for m in built.messages)


@few
@given(histories())
def test_images_of_the_user_are_kept(history: tuple[Message, ...]) -> None:
    paired, _ = pair_up(history)
    sent, _ = repair(history)
    spoken = sum(len(m.images) for m in paired if m.role == "user")
    assert sum(len(m.images) for m in sent if m.role == "user") == spoken


@few
@given(histories())
def test_same_input_same_bytes(history: tuple[Message, ...]) -> None:
    state = session(*history, task_state=GOAL)
    warm = _builder()
    warm.build(state, metadata())
    assert warm.build(state, metadata()) == _builder().build(state, metadata())


def test_the_checker_is_strict() -> None:
    assert not is_valid([])

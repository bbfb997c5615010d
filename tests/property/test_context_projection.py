"""Micro compact's promises over growing sessions (spec/context 5; B28, B29)."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.config.schema import CompactConfig, ContextConfig
from neocode.context.builder import BuildResult, ContextBuilder
from neocode.context.micro import LEAST_CHARS
from neocode.context.tokens import TokenCounter
from neocode.domain.blocks import group
from neocode.domain.messages import Message
from neocode.domain.usage import Price
from tests.checker import check
from tests.histories import GOAL, metadata, session, tidy_histories

COUNTER = TokenCounter()


def _builder(keep: int) -> ContextBuilder:
    compact = CompactConfig(micro_compact_keep_recent_blocks=keep, micro_compact_min_tokens=500)
    return ContextBuilder(COUNTER, ContextConfig(compact=compact), preserving=["recall"])


def _requests(history: tuple[Message, ...], keep: int) -> list[tuple[int, BuildResult]]:
    """Every request that led to this history: one before each reply, the edge stored between.

    Writing costs no more than reading here, so that the edge moves often.
    """
    flat = Price(input=1, output=1, cached_input=1, cache_write=1)
    model = replace(metadata().model, price=flat)
    builder, state = _builder(keep), session(task_state=GOAL)
    built: list[tuple[int, BuildResult]] = []
    for index, message in enumerate(history):
        if message.role == "assistant":
            state = replace(state, messages=history[:index])
            request = builder.build(state, metadata(model=model))
            state = replace(state, micro_edge=request.micro_edge, micro_rent=request.micro_rent)
            built.append((index, request))
    return built


@given(tidy_histories(), st.integers(1, 6))
@settings(max_examples=40)
def test_between_moves_each_request_begins_with_the_whole_previous_one(
    history: tuple[Message, ...], keep: int
) -> None:
    previous: BuildResult | None = None
    for _, request in _requests(history, keep):
        check(request.messages)
        if previous is not None and not request.edge_moved:
            same = len(previous.messages)
            assert request.messages[:same] == previous.messages
        previous = request


@given(tidy_histories(), st.integers(1, 6))
@settings(max_examples=40)
def test_what_is_protected_is_never_cleared(history: tuple[Message, ...], keep: int) -> None:
    for index, request in _requests(history, keep):
        sent = {m.id: m for m in request.messages}
        blocks = [b for b in group(history[:index]) if b.has_tool_calls]
        newest = {m.id for block in blocks[-keep:] for m in block.messages}
        for message in history[:index]:
            protected = (
                message.role == "user"
                or message.id in newest
                or message.is_error
                or message.tool_name == "recall"
                or len(message.content) < LEAST_CHARS
            )
            if message.role == "tool" and protected:
                assert sent[message.id].content == message.content
                assert message.id not in request.cleared
            if message.role == "user":
                assert any(message.content in m.content for m in request.messages)


@given(tidy_histories(), st.integers(1, 6))
@settings(max_examples=40)
def test_a_move_frees_enough_at_once_and_stored_messages_never_change(
    history: tuple[Message, ...], keep: int
) -> None:
    before = 0
    for _, request in _requests(history, keep):
        if request.edge_moved:
            freed = request.freed_tokens - before
            assert freed >= 500
            assert freed >= 0.05 * (request.raw_tokens + freed)
        before = request.freed_tokens

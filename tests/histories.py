"""Histories for tests: tidy ones by hand, and any whatever by Hypothesis."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from neocode.context.builder import BuildMetadata
from neocode.context.sources import SystemParts
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.task_state import TaskState

AT = "2026-11-30T15:04:22.123456Z"
GOAL = TaskState(goal="make the tests pass")


def user(ident: str, text: str, **more: Any) -> Message:
    return Message(id=ident, created_at=AT, role="user", content=text, **more)


def assistant(ident: str, text: str = "", *calls: ToolCall, **more: Any) -> Message:
    return Message(
        id=ident, created_at=AT, role="assistant", content=text, tool_calls=calls, **more
    )


def call(ident: str, name: str = "grep", arguments: str = '{"pattern": "x"}') -> ToolCall:
    return ToolCall(id=ident, name=name, arguments=arguments)


def result(ident: str, call_id: str, text: str, name: str = "grep", **more: Any) -> Message:
    return Message(
        id=ident,
        created_at=AT,
        role="tool",
        content=text,
        tool_call_id=call_id,
        tool_name=name,
        **more,
    )


def tool_run(blocks: int, text: str, name: str = "grep", start: int = 0) -> list[Message]:
    """That many tool blocks of one call each."""
    messages: list[Message] = []
    for n in range(start, start + blocks):
        messages.append(assistant(f"a{n}", "", call(f"c{n}", name)))
        messages.append(result(f"t{n}", f"c{n}", f"{n}: {text}", name))
    return messages


def summary(ident: str, text: str, *words: str) -> Message:
    return user(ident, text, is_compaction_summary=True, metadata={"user_words": list(words)})


def session(*messages: Message, **more: Any) -> SessionState:
    state = SessionState(id="s1", cwd="/p", created_at=AT, updated_at=AT, messages=messages)
    return replace(state, **more)


def metadata(window: int = 128_000, **more: Any) -> BuildMetadata:
    model = ModelInfo(name="m", id="openai/m", window=window, window_source="config")
    system = SystemParts(base="Be useful.")
    fields: dict[str, Any] = {"model": model, "system": system, **more}
    return BuildMetadata(**fields)


_texts = st.sampled_from(["", " ", "hello", "你好", "x" * 250, "line\n" * 300])
_ids = st.sampled_from(["c1", "c2", "c3", "c4", ""])
_calls = st.lists(st.builds(call, _ids, st.sampled_from(["read", "bash", "recall"])), max_size=3)
_roles: Any = st.sampled_from(
    ["user", "assistant", "assistant", "tool", "tool", "system", "developer", "function", "odd"]
)


@st.composite
def any_message(draw: st.DrawFn, index: int) -> Message:
    """One message that makes no sense on purpose: any role, calls, id, text."""
    role = draw(_roles)
    return Message(
        id=f"m{index}",
        created_at=AT,
        role=role,
        content=draw(_texts),
        tool_calls=tuple(draw(_calls)) if role in ("assistant", "user") else (),
        tool_call_id=draw(_ids) if role == "tool" else None,
        is_error=draw(st.booleans()) if role == "tool" else False,
        images=(Image(media_type="image/png", data="AA"),) if draw(st.integers(0, 9)) == 0 else (),
        is_compaction_summary=role == "user" and draw(st.integers(0, 5)) == 0,
    )


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> tuple[Message, ...]:
    """Any history whatever: broken calls, orphans, unknown roles, summaries anywhere."""
    count = draw(st.integers(0, most))
    return tuple(draw(any_message(index)) for index in range(count))


@st.composite
def tidy_histories(draw: st.DrawFn) -> tuple[Message, ...]:
    """A history as a run leaves it: prompts, each followed by blocks and an answer."""
    messages: list[Message] = []
    for prompt in range(draw(st.integers(1, 3))):
        messages.append(user(f"u{prompt}", f"please do {prompt}"))
        for block in range(draw(st.integers(0, 12))):
            names = draw(
                st.lists(st.sampled_from(["read", "bash", "recall"]), min_size=1, max_size=2)
            )
            ids = [f"c{prompt}_{block}_{k}" for k in range(len(names))]
            calls = [call(i, name) for i, name in zip(ids, names, strict=True)]
            messages.append(assistant(f"a{prompt}_{block}", draw(_texts), *calls))
            for ident, name in zip(ids, names, strict=True):
                text = "data " * draw(st.integers(1, 900))
                bad = draw(st.integers(0, 9)) == 0
                messages.append(result(f"t{ident}", ident, text, name, is_error=bad))
        messages.append(assistant(f"e{prompt}", "done"))
    return tuple(messages)

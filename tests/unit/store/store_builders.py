"""Small builders for the store's tests."""

import itertools
import os
from dataclasses import replace
from typing import Any

from neocode.domain.messages import Message, Role, ToolCall
from neocode.domain.session import CompactionRecord, SessionState
from neocode.domain.task_state import TaskState
from neocode.store.sessions import SessionStore

_numbers = itertools.count(os.getpid() * 1000)  # a child process must not make the same ids


def message(content: str, role: Role = "user", **fields: Any) -> Message:
    number = next(_numbers)
    fields.setdefault("id", f"m_{number:06d}")
    return Message(
        created_at=f"2026-11-30T10:00:{number:010d}Z", role=role, content=content, **fields
    )


def call(call_id: str, name: str = "bash", arguments: str = '{"command": "ls"}') -> Message:
    return message(
        "", "assistant", tool_calls=(ToolCall(id=call_id, name=name, arguments=arguments),)
    )


def result(call_id: str, content: str, **fields: Any) -> Message:
    return message(content, "tool", tool_call_id=call_id, tool_name="bash", **fields)


def talk(store: SessionStore, *contents: str, cwd: str = "/project") -> SessionState:
    """A stored session of alternating user and assistant messages."""
    session = store.create(cwd=cwd)
    for index, content in enumerate(contents):
        said = message(content, "assistant" if index % 2 else "user")
        session = session.append(said)
        store.append(session, said)
    return session


def compaction(
    session: SessionState, first: int, stop: int, state: TaskState | None = None
) -> tuple[SessionState, CompactionRecord, Message]:
    """The compaction that archives session.messages[first:stop], not yet stored."""
    summary = message("[compact_summary]\ndone:\n- things", is_compaction_summary=True)
    after_state = state or TaskState(goal=f"goal of {summary.id}")
    archived = session.messages[first:stop]
    after = replace(
        session.with_messages((*session.messages[:first], summary, *session.messages[stop:])),
        task_state=after_state,
        input_tokens_since_compaction=0,
        micro_edge="",
        compactions=session.compactions + 1,
    )
    record = CompactionRecord(
        id=f"c_{summary.id}",
        session_id=session.id,
        created_at=summary.created_at,
        trigger_mode="manual",
        strategy="keep_recent",
        method="summary",
        model="sonnet",
        transcript_id="t",
        transcript_path="/t.jsonl",
        summary_message_id=summary.id,
        archived_ids=tuple(m.id for m in archived),
        task_state_before=session.task_state,
        task_state_after=after_state,
        counters_before={},
        metrics={"tokens_before": 10, "tokens_after": 5},
    )
    return after, record, summary


def compact(store: SessionStore, session: SessionState, first: int, stop: int) -> SessionState:
    after, record, summary = compaction(session, first, stop)
    store.apply_compaction(after, record, summary)
    return after

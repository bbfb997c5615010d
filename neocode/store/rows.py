"""Messages, sessions and records as database rows, and back."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.session import CompactionRecord, Notice, SessionInfo, SessionState
from neocode.domain.task_state import task_state_from_json
from neocode.domain.text import clean
from neocode.domain.usage import Usage

ROW_COLUMNS = (
    "id, created_at, role, tool_call_id, tool_name, is_error, is_compaction_summary, "
    "compacted_at, compacted_into"
)
TEXT_COLUMNS = "tool_calls, metadata, content, images"
MESSAGE_COLUMNS = f"{ROW_COLUMNS}, {TEXT_COLUMNS}"
INFO_COLUMNS = (
    "id, CASE title WHEN '' THEN first_words ELSE title END, model, created_at, updated_at, "
    "message_count, tokens, compaction_count, cwd"
)
RECORD_COLUMNS = ", ".join(field.name for field in fields(CompactionRecord))
_OWN_COLUMNS = (
    *("id", "cwd", "created_at", "updated_at", "title", "model", "agent"),
    *("messages", "task_state", "usage", "compactions"),
)
COUNTERS = tuple(f.name for f in fields(SessionState) if f.name not in _OWN_COLUMNS)
"""Fields of SessionState that are stored by name: the counters of triggers and of costs."""


def dump(value: object) -> str:
    """A JSON value as compact text that SQLite can hold."""
    return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def call_to_json(call: ToolCall) -> dict[str, object]:
    """A call as rows and transcript lines hold it: OpenAI's shape."""
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def call_from_json(data: JsonObject) -> ToolCall:
    """The call that call_to_json wrote."""
    function = data["function"]
    return ToolCall(id=data["id"], name=function["name"], arguments=function["arguments"])


def row_values(message: Message) -> tuple[object, ...]:
    """The values of ROW_COLUMNS, in order."""
    return (
        message.id,
        message.created_at,
        message.role,
        message.tool_call_id,
        message.tool_name,
        int(message.is_error),
        int(message.is_compaction_summary),
        message.compacted_at,
        message.compacted_into,
    )


def text_values(message: Message) -> tuple[object, ...]:
    """The values of TEXT_COLUMNS, in order."""
    return (
        dump([call_to_json(call) for call in message.tool_calls]) if message.tool_calls else None,
        dump(message.metadata) if message.metadata else None,
        clean(message.content),
        dump([asdict(image) for image in message.images]) if message.images else None,
    )


def message_from_row(row: tuple[Any, ...]) -> Message:
    """The message of a row with MESSAGE_COLUMNS."""
    return Message(
        id=row[0],
        created_at=row[1],
        role=row[2],
        tool_call_id=row[3],
        tool_name=row[4],
        is_error=bool(row[5]),
        is_compaction_summary=bool(row[6]),
        compacted_at=row[7],
        compacted_into=row[8],
        tool_calls=tuple(map(call_from_json, json.loads(row[9]))) if row[9] else (),
        metadata=json.loads(row[10]) if row[10] else {},
        content=row[11],
        images=tuple(Image(**image) for image in json.loads(row[12])) if row[12] else (),
    )


def searchable(message: Message) -> tuple[str, ...]:
    """The texts of a message that the search index covers."""
    calls = (part for call in message.tool_calls for part in (call.name, call.arguments))
    return (message.content, message.tool_name or "", *calls)


def counters_of(session: SessionState) -> dict[str, object]:
    """The counters by name, usage included, as JSON values."""
    return {name: getattr(session, name) for name in COUNTERS} | {"usage": asdict(session.usage)}


SESSION_COLUMNS = (
    "id, cwd, created_at, updated_at, title, model, agent, compaction_count, counters, task_state"
)


def session_values(session: SessionState) -> dict[str, object]:
    """The columns of a session row that follow from its state."""
    return {
        "id": session.id,
        "cwd": session.cwd,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "title": clean(session.title),
        "model": session.model,
        "agent": session.agent,
        "tokens": session.usage.total_tokens,
        "counters": dump(counters_of(session)),
        "task_state": dump(session.task_state.to_json()),
    }


def session_from_row(row: tuple[Any, ...], messages: Iterable[Message] = ()) -> SessionState:
    """The session of a row with SESSION_COLUMNS."""
    stored: dict[str, Any] = json.loads(row[8])
    return SessionState(
        id=row[0],
        cwd=row[1],
        created_at=row[2],
        updated_at=row[3],
        title=row[4],
        model=row[5],
        agent=row[6],
        compactions=row[7],
        messages=tuple(messages),
        task_state=task_state_from_json(json.loads(row[9])),
        usage=Usage(**stored.get("usage", {})),
        **{name: stored[name] for name in COUNTERS if name in stored},
    )


def info_from_row(row: tuple[Any, ...]) -> SessionInfo:
    """The list entry of a row with INFO_COLUMNS."""
    names = (field.name for field in fields(SessionInfo))
    return SessionInfo(**dict(zip(names, row, strict=True)))


def record_values(record: CompactionRecord) -> dict[str, object]:
    """The columns of a compaction row."""
    return {
        **{field.name: getattr(record, field.name) for field in fields(record)},
        "archived_ids": dump(record.archived_ids),
        "task_state_before": dump(record.task_state_before.to_json()),
        "task_state_after": dump(record.task_state_after.to_json()),
        "counters_before": dump(record.counters_before),
        "metrics": dump(record.metrics),
    }


def record_from_row(row: tuple[Any, ...]) -> CompactionRecord:
    """The record of a row with RECORD_COLUMNS."""
    names = (field.name for field in fields(CompactionRecord))
    values = dict(zip(names, row, strict=True))
    for name in ("archived_ids", "task_state_before", "task_state_after"):
        values[name] = json.loads(values[name])
    values["archived_ids"] = tuple(values["archived_ids"])
    for name in ("task_state_before", "task_state_after"):
        values[name] = task_state_from_json(values[name])
    for name in ("counters_before", "metrics"):
        values[name] = json.loads(values[name])
    return CompactionRecord(**values)


def notice_from_row(row: tuple[Any, ...]) -> Notice:
    """The notice of a row (id, session_id, created_at, after_message_id, kind, payload)."""
    payload: dict[str, object] = json.loads(row[5])
    return Notice(
        id=row[0],
        session_id=row[1],
        created_at=row[2],
        after_message_id=row[3],
        kind=row[4],
        payload=payload,
    )


def message_to_json(message: Message) -> JsonObject:
    """Every field of a message as JSON values; message_from_json reads it back."""
    return asdict(message)


def message_from_json(data: JsonObject) -> Message:
    """The message that message_to_json wrote."""
    values = dict(data)
    values["tool_calls"] = tuple(ToolCall(**call) for call in data["tool_calls"])
    values["images"] = tuple(Image(**image) for image in data["images"])
    return Message(**values)


def insert(connection: sqlite3.Connection, table: str, values: Mapping[str, object]) -> None:
    """Insert one row."""
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)

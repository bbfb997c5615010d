"""Transcript lines made by SQLite: the same bytes as lines.encode, several times as fast.

Most messages hold no key and no picture, and their stored JSON can stand in the line as it
is. The others take the way through line_of. A test holds both ways to the same bytes.
"""

import json
from collections.abc import Sequence
from typing import Any

from neocode.store.lines import OWN, RECORD_FIELDS, encode, line_of
from neocode.store.masking import RULES
from neocode.store.rows import message_from_row

_RESERVED = " AND ".join(
    f"instr(coalesce(metadata, ''), '\"{name}\"') = 0" for name in (*RECORD_FIELDS, OWN)
)
_RECORD = """
    iif(metadata IS NULL, '', ',' || substr(metadata, 2, length(metadata) - 2))
    || iif(is_compaction_summary, ',"is_compaction_summary":true', '')
    || iif(compacted_at IS NULL, '', ',"compacted_at":' || json_quote(compacted_at))
    || iif(compacted_into IS NULL, '', ',"compacted_into":' || json_quote(compacted_into))
"""
_REST = f"""
    ',"id":' || json_quote(id) || ',"created_at":' || json_quote(created_at)
    || ',"role":"' || role || '","content":' || json_quote(content)
    || coalesce(',"tool_calls":' || tool_calls, '')
    || iif(tool_call_id IS NULL, '', ',"tool_call_id":' || json_quote(tool_call_id))
    || iif(tool_name IS NULL, '', ',"tool_name":' || json_quote(tool_name))
    || iif(is_error, ',"is_error":true', '')
    || iif(({_RECORD}) = '', '', ',"metadata":{{' || substr({_RECORD}, 2) || '}}')
    || '}}' || char(10)
"""
_IS_PLAIN = f"keyless = {RULES} AND images IS NULL AND {_RESERVED}"

LINE_COLUMNS = f"CASE WHEN {_IS_PLAIN} THEN CAST({_REST} AS BLOB) END, seq"
"""A line but for its index, or NULL where it has to be made of the message; and its seq."""


def quoted_values(secrets: Sequence[str]) -> list[bytes]:
    """The values as they would stand in a line."""
    forms = {form for value in secrets if value for form in (value, json.dumps(value)[1:-1])}
    return [form.encode("utf-8", "replace") for form in forms]


def line_from_rest(rest: bytes | None, index: int, values: Sequence[bytes]) -> bytes | None:
    """The line of the first of LINE_COLUMNS; None where line_from_row must make it."""
    if rest is None or any(value in rest for value in values):
        return None
    return b'{"index":%d' % index + rest


def line_from_row(row: tuple[Any, ...], index: int, secrets: Sequence[str]) -> bytes:
    """The line of a row with MESSAGE_COLUMNS, masked."""
    return encode(line_of(message_from_row(row), index, secrets))

"""Transcript lines straight from rows: the same bytes as lines.encode, several times as fast.

Most messages hold no key and no picture; their stored JSON is put into the line as it is.
The others take the way through line_of. A test holds both to the same bytes.
"""

from collections.abc import Sequence
from json.encoder import encode_basestring as quoted
from typing import Any

from neocode.store.lines import OWN, RECORD_FIELDS, encode, line_of
from neocode.store.masking import RULES
from neocode.store.rows import MESSAGE_COLUMNS, message_from_row

LINE_COLUMNS = f"{MESSAGE_COLUMNS}, keyless, seq"
_RESERVED = tuple(f'"{name}"' for name in (*RECORD_FIELDS, OWN))


def line_from_row(row: tuple[Any, ...], index: int, values: Sequence[str]) -> bytes:
    """The line of a row with LINE_COLUMNS, masked as line_of masks it."""
    call_texts, metadata, content, images, keyless = row[9:14]
    stored = (content, call_texts, metadata)
    is_plain = keyless == RULES and images is None and not _has(metadata, _RESERVED)
    if not is_plain or any(_has(text, values) for text in stored):
        return encode(line_of(message_from_row(row[:13]), index, values))
    parts = [
        f'{{"index":{index},"id":{quoted(row[0])},"created_at":{quoted(row[1])},'
        f'"role":"{row[2]}","content":{quoted(content)}'
    ]
    if call_texts:
        parts.append(f'"tool_calls":{call_texts}')
    if row[3] is not None:
        parts.append(f'"tool_call_id":{quoted(row[3])}')
    if row[4] is not None:
        parts.append(f'"tool_name":{quoted(row[4])}')
    if row[5]:
        parts.append('"is_error":true')
    if record := _record(row, metadata):
        parts.append(f'"metadata":{{{record}}}')
    return (",".join(parts) + "}\n").encode()


def _record(row: tuple[Any, ...], metadata: str | None) -> str:
    """The inside of the line's metadata: the stored one, then what has no field of its own."""
    parts = [metadata[1:-1]] if metadata else []
    if row[6]:
        parts.append('"is_compaction_summary":true')
    if row[7] is not None:
        parts.append(f'"compacted_at":{quoted(row[7])}')
    if row[8] is not None:
        parts.append(f'"compacted_into":{quoted(row[8])}')
    return ",".join(parts)


def _has(text: str | None, needles: Sequence[str]) -> bool:
    return text is not None and any(needle in text for needle in needles)

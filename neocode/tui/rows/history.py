"""Stored messages and notices as rows, for a session that is opened or reloaded."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from neocode.tui.rows.base import Item
from neocode.tui.rows.marks import CompactItem, DividerItem, NoticeItem, SummaryItem
from neocode.tui.rows.talk import AnswerItem, ReasoningItem, UserItem
from neocode.tui.rows.tools import ToolItem

if TYPE_CHECKING:
    from neocode.domain.messages import Message, ToolCall
    from neocode.domain.session import Notice

_TARGETS = ("path", "command", "pattern", "question", "query", "id", "url", "name")


def call_summary(call: "ToolCall") -> str:
    """ "read src/app.py" of a stored call: its name and its most telling argument."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return call.name
    if not isinstance(arguments, dict):
        return call.name
    target = next((arguments[k] for k in _TARGETS if arguments.get(k)), "")
    return f"{call.name} {target}".strip()


def history_items(
    messages: Iterable["Message"],
    notices: Iterable["Notice"],
    *,
    show_reasoning: bool,
    summaries: bool = False,
) -> list[Item]:
    """Rows in the order of time; a notice stands behind its message, above all when that
    one is archived and not among messages.

    Summaries of compactions are rows only if summaries is set: the notice of the
    compaction leads to them.
    """
    messages = list(messages)
    shown = {message.id for message in messages}
    behind: dict[str, list[Notice]] = {}
    for notice in notices:
        place = notice.after_message_id
        behind.setdefault(place if place in shown else "", []).append(notice)
    items = [notice_item(notice) for notice in behind.pop("", ())]
    calls: dict[str, ToolItem] = {}
    for message in messages:
        if summaries and message.is_compaction_summary:
            items.append(SummaryItem(message.id, message.content))
        items += message_items(message, calls, show_reasoning=show_reasoning)
        items += [notice_item(notice) for notice in behind.pop(message.id, ())]
    return items


def message_items(
    message: "Message", calls: dict[str, ToolItem], *, show_reasoning: bool
) -> list[Item]:
    """The rows of one message; calls: tool rows by call id, filled and finished here."""
    if message.is_compaction_summary:
        return []
    match message.role:
        case "user":
            typed = message.metadata.get("typed") or message.content
            return [UserItem(message.id, str(typed), len(message.images))]
        case "assistant":
            return _assistant(message, calls, show_reasoning=show_reasoning)
        case _:
            return _result(message, calls)


def _assistant(
    message: "Message", calls: dict[str, ToolItem], *, show_reasoning: bool
) -> list[Item]:
    items: list[Item] = []
    reasoning = message.metadata.get("reasoning")
    if reasoning:
        items.append(ReasoningItem(f"r-{message.id}", str(reasoning), unfolded=show_reasoning))
    if message.content.strip():
        interrupted = bool(message.metadata.get("interrupted"))
        items.append(AnswerItem(message.id, message.content, interrupted=interrupted))
    for call in message.tool_calls:
        calls[call.id] = ToolItem(call.id, call.name, call_summary(call))
        calls[call.id].message_id = message.id
        items.append(calls[call.id])
    return items


def _result(message: "Message", calls: dict[str, ToolItem]) -> list[Item]:
    call_id = message.tool_call_id or message.id
    item = calls.get(call_id)
    made: Sequence[Item] = ()
    if item is None:
        item = ToolItem(call_id, message.tool_name or "tool", message.tool_name or "tool")
        item.message_id = message.id
        made = (item,)
    finish_tool(item, message, 0.0)
    return list(made)


def finish_tool(item: ToolItem, message: "Message", seconds: float) -> None:
    """Put a stored or new result into its row."""
    item.message_id = item.message_id or message.id
    stored = message.metadata.get("duration_s")
    took = float(stored) if not seconds and isinstance(stored, (int, float)) else seconds
    item.finish(message.content, message.is_error, message.metadata, took)


def notice_item(notice: "Notice") -> Item:
    """A stored notice as the row it was."""
    if notice.kind in ("compact_done", "compact_error"):
        item = CompactItem(f"n-{notice.id}")
        (item.done if notice.kind == "compact_done" else item.failed)(notice.payload)
        return item
    words = str(notice.payload.get("message") or notice.kind.replace("_", " "))
    if notice.kind == "divider":
        return DividerItem(f"n-{notice.id}", words)
    level = str(notice.payload.get("level") or "info")
    return NoticeItem(f"n-{notice.id}", words, level, str(notice.payload.get("hint") or ""))

"""What stands in the place of a cleared tool result (spec/context 5).

Made from the result and its call alone, so it is the same in every request.
"""

import json
from dataclasses import replace
from typing import Any

from neocode.domain.messages import Message, ToolCall

_TARGETS = ("path", "file_path", "command", "pattern", "query", "url", "file", "name", "id")
_TARGET_CHARS = 80
_LINE_CHARS = 80


def stand_in(result: Message, call: ToolCall | None) -> Message:
    """The message with its text replaced: tool, on what, size, first line, id for recall."""
    return replace(result, content=_text(result, call))


def _text(result: Message, call: ToolCall | None) -> str:
    name = (call.name if call else "") or result.tool_name or "tool"
    target = call_target(call) if call else ""
    lines = result.content.count("\n") + 1
    return (
        f"[cleared: {f'{name} {target}'.rstrip()}; {len(result.content)} chars, {lines} lines; "
        f'{_outcome(result)}; recall id "{result.id}"]'
    )


def call_target(call: ToolCall) -> str:
    """What a call works on, one line of at most 80 characters; "" when it does not say."""
    try:
        args: Any = json.loads(call.arguments or "{}")
    except ValueError:
        return _one_line(call.arguments, _TARGET_CHARS)
    if not isinstance(args, dict):
        return ""
    named = (args.get(key) for key in _TARGETS)
    value = next((v for v in named if v and isinstance(v, str)), None)
    if value is None:
        value = next((v for v in args.values() if v and isinstance(v, str)), "")
    return _one_line(value, _TARGET_CHARS)


def _outcome(result: Message) -> str:
    """The exit status where the tool has one, else the first line that says something."""
    status = result.metadata.get("exit_status")
    if isinstance(status, int):
        return f"exit status {status}"
    head = result.content[:2000]
    first = next((line for line in head.splitlines() if line.strip()), "")
    return f'first line "{_one_line(first, _LINE_CHARS)}"'


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"

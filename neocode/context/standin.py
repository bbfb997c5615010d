"""What stands in the place of a cleared tool result (spec/context 5).

Made from the result and its call alone, so it is the same in every request. Terse,
because hundreds of them are read again with every call; the call itself, whole, stands
right before it.
"""

import json
import re
from dataclasses import replace
from typing import Any

from neocode.domain.messages import Message, ToolCall

_PATHS = ("path", "file_path", "file", "filename")
_TARGETS = ("command", "pattern", "query", "url", "name", "id")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x00-\x08\x0b-\x1f\x7f]")
# Measured on recorded sessions: each token of a stand-in is 0.1 % of all billed input.
_TARGET_CHARS = 20
_LINE_CHARS = 10


def stand_in(result: Message, call: ToolCall | None) -> Message:
    """The message with its text replaced: tool, on what, size, first line, id for recall."""
    return replace(result, content=_text(result, call))


def _text(result: Message, call: ToolCall | None) -> str:
    name = (call.name if call else "") or result.tool_name or "tool"
    target = call_target(call) if call else ""
    what = f"{name} {target}".rstrip()
    return f"[cleared {what} {len(result.content)} chars {_outcome(result)}; recall {result.id}]"


def call_target(call: ToolCall) -> str:
    """What a call works on, one line of at most 20 characters; "" when it does not say."""
    try:
        args: Any = json.loads(call.arguments or "{}")
    except ValueError:
        return _one_line(call.arguments, _TARGET_CHARS)
    if not isinstance(args, dict):
        return ""
    paths = (args.get(key) for key in _PATHS)
    path = next((v for v in paths if v and isinstance(v, str)), None)
    if path is not None:
        return _tail(_one_line(path, 4096))
    named = (args.get(key) for key in _TARGETS)
    value = next((v for v in named if v and isinstance(v, str)), None)
    if value is None:
        value = next((v for v in args.values() if v and isinstance(v, str)), "")
    return _one_line(value, _TARGET_CHARS)


def _outcome(result: Message) -> str:
    """The exit status where the tool has one, else the first line's first characters."""
    status = result.metadata.get("exit_status")
    if isinstance(status, int):
        return f"exit {status}"
    head = result.content[:2000]
    first = next((line for line in head.splitlines() if line.strip()), "")
    return _one_line(first, len(first))[:_LINE_CHARS].rstrip()


def _one_line(text: str, limit: int) -> str:
    line = " ".join(_CONTROL.sub("", text[: 8 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _tail(path: str) -> str:
    """As many of the last parts of a path as fit: they say more than the first."""
    tail = path[-_TARGET_CHARS:]
    return tail if tail == path else tail.partition("/")[2] or tail

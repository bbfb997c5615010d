"""Summary requests (spec/context 7.5): what the summariser is asked, and in which form. Pure."""

import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Literal

from neocode.compact.parse import Summary
from neocode.compact.serialize import CountText, mark, tokens_per_char
from neocode.compact.summary import SECTIONS
from neocode.config.schema import Strategy
from neocode.domain.events import TriggerMode
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.task_state import LIST_FIELDS, TEXT_FIELDS, TaskState
from neocode.provider.base import ModelRequest

Protocol = Literal["json", "handoff"]

TEMPERATURE = 0.3
JSON_OUTPUT_TOKENS = 6000
LEAST_OUTPUT_TOKENS = 256
LONG_CHARS = 24_000
"""Longer texts are measured by samples."""

_STRINGS = {"type": "array", "items": {"type": "string"}}
RESPONSE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["task_state", "display_summary"],
    "properties": {
        "task_state": {
            "type": "object",
            "additionalProperties": False,
            "required": [*TEXT_FIELDS, *LIST_FIELDS],
            "properties": {name: {"type": "string"} for name in TEXT_FIELDS}
            | dict.fromkeys(LIST_FIELDS, _STRINGS),
        },
        "display_summary": {"type": "string"},
    },
}
"""What a json answer must be; for providers that can be held to a schema."""
_BULLETS = r'(\n- [^\n"\\]{2,120}){1,4}'
_SHAPE = r"^\[compact_summary\]" + "".join(rf"\n\n{name}:{_BULLETS}" for name in SECTIONS) + "$"
SHAPED_SCHEMA: dict[str, Any] = RESPONSE_SCHEMA | {
    "properties": RESPONSE_SCHEMA["properties"]
    | {"display_summary": {"type": "string", "pattern": _SHAPE}}
}
"""For the repair try: the display summary's form as a pattern, which small local models need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One summary to be made.

    state: the TaskState so far. previous: an earlier handoff's text (a display summary
    is never given again: no summary of a summary).
    stays: a sentence on what stays in the context. target_tokens: handoff only.
    idle_timeout_s: the time limit, on silence.
    """

    protocol: Protocol
    model: ModelInfo
    mode: TriggerMode
    strategy: Strategy
    state: TaskState = field(default_factory=TaskState)
    previous: str = ""
    focus: str = ""
    language: str = ""
    stays: str = ""
    kept_messages: int = 0
    max_chars: int = 1200
    target_tokens: int = 2000
    rich: bool = True
    idle_timeout_s: float = 120.0


@cache
def prompt(name: str) -> str:
    """A prompt's text, from the package's files."""
    return resources.files("neocode.compact").joinpath(f"prompts/{name}.txt").read_text("utf-8")


def instruction(job: Job, carry: Summary | None) -> str:
    """What is to be done, without the material."""
    values = {
        "mode": job.mode,
        "strategy": job.strategy,
        "max_chars": job.max_chars,
        "stays": job.stays,
        "language": job.language or "in the language of the user's messages",
        "focus": f"\nThe user asks to give most room to: {job.focus}" if job.focus else "",
        "target": job.target_tokens,
    }
    if job.protocol == "json":
        return Template(prompt("json")).safe_substitute(values)
    start = "handoff_update" if carry or job.previous else "handoff_first"
    return prompt(start) + Template(prompt("handoff_sections")).safe_substitute(values)


def context_of(job: Job, carry: Summary | None) -> str:
    """The state and the summary so far, as marked material."""
    state = carry.state if carry else job.state
    if job.protocol == "handoff":
        previous = carry.text if carry else job.previous
        parts = [mark("previous_summary", previous)] if previous else []
        if state.is_established and not carry:
            parts.append(mark("current_task_state", state_json(state)))
        return "\n\n".join(parts)
    parts = [mark("current_task_state", state_json(state))]
    if job.previous and not carry:
        parts.append(mark("previous_summary", job.previous))
    if carry:
        parts.append(mark("summary_of_the_parts_before", carry.text))
    return "\n\n".join(parts)


def state_json(state: TaskState) -> str:
    """The eight fields that the model may write; no time, no pins."""
    fields = state.to_json()
    return json.dumps({n: fields[n] for n in TEXT_FIELDS + LIST_FIELDS}, ensure_ascii=False)


def flattened(job: Job, piece: str, carry: Summary | None, *, is_last: bool) -> ModelRequest:
    """The request whose one message holds instruction, state and a piece of the archive."""
    parts = [instruction(job, carry), context_of(job, carry)]
    if carry or not is_last:
        more = "the last part" if is_last else "a part; more parts follow"
        parts.append(f"The archive is too long for one request; this is {more}.")
    parts.append(mark("archived", piece))
    text = "\n\n".join(part for part in parts if part)
    return _request(job, (_user("compact_request", text),))


def cached_prefix(job: Job, prefix: ModelRequest) -> ModelRequest:
    """The session's own next request, with the instruction as last user message.

    Same system prompt, tools and messages, so that the provider's cache is read; the
    tools are offered and forbidden. No schema: it would change the cached part.
    """
    told = Template(prompt("cached")).safe_substitute(kept=job.kept_messages)
    parts = (told, instruction(job, None), context_of(job, None))
    text = "\n\n".join(part for part in parts if part)
    messages = prefix.messages
    if messages and messages[-1].role == "user":
        joined = replace(messages[-1], content=f"{messages[-1].content}\n\n{text}")
        messages = (*messages[:-1], joined)
    else:
        messages = (*messages, _user("compact_request", text))
    return replace(
        prefix,
        messages=messages,
        tool_choice="none",
        temperature=TEMPERATURE,
        reasoning="off",
        max_output_tokens=job.model.max_output,
        idle_timeout_s=job.idle_timeout_s,
    )


def repaired(request: ModelRequest, fault: str, reply: str) -> ModelRequest:
    """The same request with the fault of the first answer named, held to the form if it can be."""
    begun = reply.strip()[:500].replace("\n", " ") or "(nothing)"
    note = Template(prompt("repair")).safe_substitute(fault=fault, reply=begun)
    last = request.messages[-1]
    message = replace(last, content=f"{last.content}\n\n{note}")
    schema = request.response_schema and (request.response_schema[0], SHAPED_SCHEMA)
    return replace(request, messages=(*request.messages[:-1], message), response_schema=schema)


def output_limit(job: Job, request: ModelRequest, count: CountText) -> ModelRequest:
    """With an output limit: no more than the model's, and than its window leaves."""
    wanted = JSON_OUTPUT_TOKENS + job.max_chars if job.protocol == "json" else output_of(job)
    left = job.model.window - request_tokens(request, count) - 64
    limit = min(wanted, job.model.max_output or wanted, max(LEAST_OUTPUT_TOKENS, left))
    return replace(request, max_output_tokens=limit)


def output_of(job: Job) -> int:
    """Room for the answer that is kept free when the material is measured, in tokens."""
    wanted = job.target_tokens * 3 // 2 + 500 if job.protocol == "handoff" else 3000
    most = min(job.model.max_output or wanted, job.model.window // 4)
    return min(wanted, most)


def request_tokens(request: ModelRequest, count: CountText) -> int:
    """A rough size of the request, in tokens."""
    texts = [request.system, *(message.content for message in request.messages)]
    calls = [call.arguments for m in request.messages for call in m.tool_calls]
    tools = [json.dumps(dict(tool.parameters)) + tool.description for tool in request.tools]
    return sum(_rough(text, count) + 8 for text in texts + calls + tools)


def _rough(text: str, count: CountText) -> int:
    """Tokens of a text; of a long one from samples, a little too many."""
    if len(text) <= LONG_CHARS:
        return count(text)
    return int(len(text) * tokens_per_char(text, count))


def language_of(messages: Sequence[Message]) -> str:
    """In which language to write, from the script of what the user typed."""
    text = "".join(m.content[:2000] for m in messages if m.role == "user")[:20_000]
    scripts = Counter(_script(char) for char in text if char.isalpha())
    total = sum(scripts.values())
    if not total:
        return ""
    if scripts["KANA"] > total * 0.05:
        return "in Japanese, the user's language"
    for script, name in _LANGUAGES.items():
        if scripts[script] > total * 0.2:
            return f"in {name}, the user's language"
    return ""


_LANGUAGES = {"CJK": "Chinese", "HANGUL": "Korean", "ARABIC": "Arabic", "HEBREW": "Hebrew"}


def _script(char: str) -> str:
    if char < "\u0250":
        return "LATIN"
    first = unicodedata.name(char, "").partition(" ")[0]
    return "KANA" if first in ("HIRAGANA", "KATAKANA") else first


def _request(job: Job, messages: tuple[Message, ...]) -> ModelRequest:
    return ModelRequest(
        model=job.model,
        system=prompt("system"),
        messages=messages,
        temperature=TEMPERATURE,
        reasoning="off",
        response_schema=("compaction", RESPONSE_SCHEMA) if job.protocol == "json" else None,
        idle_timeout_s=job.idle_timeout_s,
    )


def _user(message_id: str, text: str) -> Message:
    return Message(id=message_id, created_at="", role="user", content=text)

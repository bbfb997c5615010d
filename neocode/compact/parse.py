"""Reading what the summariser returned: strict, with the fault named (spec/context 9)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neocode.domain.messages import SUMMARY_MARK
from neocode.domain.task_state import LIST_FIELDS, TEXT_FIELDS, TaskState
from neocode.provider.base import Reply

LEAST_HANDOFF_CHARS = 200
LEAST_HANDOFF_SECTIONS = 3
MAX_BRACES = 60
"""How many opening braces are tried as the start of the object."""
_NONE_WORDS = (
    frozenset(
        ("", "-", "...", "…", "none", "(none)", "[none]", "n/a", "na", "nil", "null", "nothing")
    )
    | frozenset(
        ("empty", "tbd", "unknown", "not applicable", "none yet", "none recorded", "no items")
    )
    | frozenset(
        ("无", "暂无", "没有", "無", "なし", "없음", "нет", "keine", "aucun", "ninguno", "ninguna")
    )
)


class InvalidSummary(Exception):
    """The answer cannot be used; the text names the fault, for the one repair try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A usable answer. text: the display summary, or the handoff without its mark."""

    state: TaskState
    text: str


def is_none_word(text: str) -> bool:
    """True for text that says nothing: "", "none", "n/a", "无"."""
    return text.strip().strip("-*• ").lower().rstrip(".。") in _NONE_WORDS


def check_reply(reply: Reply) -> str:
    """The reply's text; raises InvalidSummary for what no text could make good."""
    if reply.calls:
        raise InvalidSummary("it called a tool; answer with text only")
    if reply.finish == "length":
        raise InvalidSummary("it was cut off at the output limit; write a shorter one")
    if reply.finish == "content_filter":
        raise InvalidSummary("it was stopped by the provider's content filter")
    if not reply.text.strip():
        raise InvalidSummary("it was empty")
    return reply.text


def parse_json(reply: Reply, *, rich: bool) -> Summary:
    """The json protocol: exactly two keys, exactly the eight fields of the state.

    rich: the archive holds enough that a hollow answer must be wrong.
    """
    data = _object(check_reply(reply))
    _exact_keys(data, ("task_state", "display_summary"), "the object")
    state = _state(data["task_state"])
    text = data["display_summary"]
    if not isinstance(text, str):
        raise InvalidSummary("display_summary must be a string")
    if rich and not state.richness:
        raise InvalidSummary("task_state is hollow: every field is empty or says none")
    return Summary(state=state, text=text)


def _object(text: str) -> dict[str, Any]:
    """The one JSON object in the text; a fence or a greeting around it is tolerated."""
    starts = [match.start() for match in re.finditer(r"\{", text)][:MAX_BRACES]
    if not starts:
        raise InvalidSummary("it was not a JSON object")
    # strict=False: raw line breaks inside strings are a common and harmless defect
    decoder = json.JSONDecoder(object_pairs_hook=_unique, strict=False)
    for start in starts:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value, dict) and (start == starts[0] or "task_state" in value):
            return value
    return _repaired(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise InvalidSummary("a key stands in it twice")
    return made


def _repaired(body: str) -> dict[str, Any]:
    """json_repair for small defects; an answer whose end is missing is never completed."""
    start, end = body.find("{"), body.rstrip().rstrip("`").rstrip()
    if not end.endswith("}") or end.count("{") > end.count("}") or end.count("[") > end.count("]"):
        raise InvalidSummary("the JSON was not complete or not valid")
    import json_repair  # imported on failure only: most answers never need it

    value = json_repair.loads(end[start:])
    if not isinstance(value, dict) or "task_state" not in value:
        raise InvalidSummary("the JSON was not valid")
    return value


def _exact_keys(data: Mapping[str, Any], wanted: tuple[str, ...], where: str) -> None:
    missing = [name for name in wanted if name not in data]
    if missing:
        raise InvalidSummary(f"{where} lacks {', '.join(missing)}")
    unknown = sorted(set(data) - set(wanted))
    if unknown:
        raise InvalidSummary(f"{where} has unknown keys: {', '.join(unknown)[:200]}")


def _state(data: Any) -> TaskState:
    if not isinstance(data, dict):
        raise InvalidSummary("task_state must be an object")
    _exact_keys(data, TEXT_FIELDS + LIST_FIELDS, "task_state")
    texts = {name: _text(name, data[name]) for name in TEXT_FIELDS}
    lists = {name: _texts(name, data[name]) for name in LIST_FIELDS}
    return TaskState(**texts, **lists)  # type: ignore[arg-type]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidSummary(f"task_state.{name} must be a string")
    return "" if is_none_word(value) else value.strip()


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidSummary(f"task_state.{name} must be a list of strings")
    return tuple(item.strip() for item in value if not is_none_word(item))


_HEADINGS: Mapping[str, tuple[str, ...]] = {
    "goal": ("goal", "goals", "目标"),
    "user_constraints": (
        "constraints and preferences",
        "constraints & preferences",
        "constraints",
        "约束与偏好",
    ),
    "progress_group": ("progress", "进度"),
    "progress": ("done", "completed", "已完成"),
    "open_items": ("in progress", "in-progress", "进行中"),
    "blockers": ("blocked", "blockers", "受阻"),
    "decisions": ("key decisions", "decisions", "关键决策"),
    "key_artifacts": ("relevant files", "files", "相关文件"),
    "next_step": ("next steps", "next step", "下一步"),
    "critical": ("critical context", "关键上下文"),
    "tools": ("tools and patterns", "tools & patterns", "工具与模式"),
}
_FIELD_OF = {heading: name for name, headings in _HEADINGS.items() for heading in headings}
_HEADING_LINE = re.compile(r"^\s{0,3}(?:#{1,6}\s*|\*\*)(.+?)(?:\*\*)?\s*[:：]?\s*$")


def parse_handoff(reply: Reply, *, rich: bool) -> Summary:
    """The handoff protocol: Markdown whose sections fill the fields of the state."""
    text = check_reply(reply).strip()
    fenced = re.fullmatch(r"```(?:markdown|md)?\s*\n(.*)\n```", text, re.DOTALL)
    text = fenced.group(1).strip() if fenced else text
    if len(text) < LEAST_HANDOFF_CHARS:
        raise InvalidSummary(f"it had {len(text)} characters; at least 200 are needed")
    sections = _sections(text)
    found = [name for name in sections if name]
    if len(found) < LEAST_HANDOFF_SECTIONS:
        raise InvalidSummary("the headings of the structure are missing")
    fields: dict[str, Any] = {name: _bullets(sections.get(name, [])) for name in LIST_FIELDS}
    for name in TEXT_FIELDS:
        fields[name] = " ".join(_bullets(sections.get(name, [])))
    state = TaskState(**fields)
    if rich and not state.richness:
        raise InvalidSummary("every section is empty or says none")
    return Summary(state=state, text=text)


def _sections(text: str) -> dict[str, list[str]]:
    """Lines by field; those before the first heading and under unknown ones under ""."""
    sections: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        heading = _HEADING_LINE.match(line)
        if heading:
            current = _FIELD_OF.get(heading.group(1).strip().strip("*:： ").lower(), "")
            sections.setdefault(current, [])
        else:
            sections.setdefault(current, []).append(line)
    return sections


def _bullets(lines: list[str]) -> tuple[str, ...]:
    """Bullets of a section; lines that carry one on are joined to it."""
    items: list[str] = []
    is_new = True
    for line in lines:
        body = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip()
        if not body:
            is_new = True
            continue
        if is_new or body != line.strip():
            items.append(body)
        else:
            items[-1] += " " + body
        is_new = False
    return tuple(item for item in items if not is_none_word(item))


def starts_with_mark(text: str) -> bool:
    """True when a display summary begins as it must."""
    return text.lstrip().startswith(SUMMARY_MARK)

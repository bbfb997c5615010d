"""The arguments of a call: from the text a model sent to values a tool can use.

Tolerant where nothing is lost, strict where something could be: half a call never runs.
Every refusal names the fault, so that the model can mend it (spec/safety, "Providers").
"""

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import ToolCall
from neocode.domain.tooling import ToolSpec
from neocode.tools.base import ToolError

_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def parse_arguments(call: ToolCall, spec: ToolSpec) -> dict[str, Any]:
    """The arguments of a call, checked against the tool's schema.

    Raises ToolError with words for the model: what is malformed, missing, unknown or of
    the wrong type. An optional argument given as null counts as left out.
    """
    try:
        given = _decode(call.arguments)
    except ToolError as error:
        raise ToolError(f"{call.name}: {error} Nothing was run; send the call again.") from error
    try:
        return _check(given, spec.parameters)
    except ToolError as error:
        raise ToolError(f"{call.name}: {error} Nothing was run.") from error


def _decode(text: str) -> dict[str, Any]:
    stripped = _unfenced(text)
    if not stripped:
        return {}
    try:
        value = json.loads(stripped, strict=False)
    except (json.JSONDecodeError, RecursionError) as error:
        value = _repaired(stripped)
        if value is None:
            raise ToolError(
                f"the arguments are not valid JSON: {_fault(stripped, error)}"
            ) from None
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return _decode(value)
    if not isinstance(value, dict):
        raise ToolError("the arguments must be one JSON object, such as {...}.")
    return value


def _unfenced(text: str) -> str:
    match = re.fullmatch(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    return (match[1] if match else text).strip()


def _fault(text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "nested too deeply."
    if _is_cut_off(text):
        return "they end too early (cut off?)."
    near = text[max(0, error.pos - 20) : error.pos + 20]
    hint = " Write a backslash as \\\\." if "escape" in error.msg else ""
    return f"{error.msg} at character {error.pos + 1}, near {near!r}.{hint}"


def _is_cut_off(text: str) -> bool:
    outside = re.sub(r'"(?:\\.|[^"\\])*"', "", text, flags=re.DOTALL)
    return '"' in outside or outside.count("{") > outside.count("}")


def _repaired(text: str) -> Any:
    """What json_repair makes of text, or None unless only punctuation had to change.

    Every character of the original other than quotes, commas and blanks must be there
    again in order, and every string must stand in it word for word.
    """
    if not (text.startswith("{") and text.endswith("}")):
        return None
    import json_repair  # 31 ms, paid on failure only

    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not all(part in text for part in _strings(value)):
        return None
    return value if _bones(json.dumps(value, ensure_ascii=False)) == _bones(text) else None


def _strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, as it would be written."""
    if isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)[1:-1]
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _bones(text: str) -> str:
    for python, json_word in (("True", "true"), ("False", "false"), ("None", "null")):
        text = re.sub(rf"\b{python}\b", json_word, text)
    return re.sub(r"[\s'\",]", "", text)


def _check(given: dict[str, Any], schema: JsonObject) -> dict[str, Any]:
    known: dict[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    if not schema.get("additionalProperties", not known):
        for name in given:
            if name not in known:
                raise ToolError(_unknown(name, list(known)))
    missing = [name for name in known if name in required and given.get(name) is None]
    if missing:
        names = ", ".join(repr(name) for name in missing)
        raise ToolError(f"argument {names} is missing.")
    return {
        name: _fit(value, known.get(name, {}), name)
        for name, value in given.items()
        if value is not None or name not in known
    }


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1, 0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"there is no argument {name!r}.{hint} Known: {', '.join(known)}."


def _fit(given: Any, schema: JsonObject, name: str) -> Any:
    """The value as the schema wants it; a number or list sent as a string is taken."""
    value: Any = given
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return value
    if isinstance(value, str) and kind != "string":
        value = _from_string(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not _is_a(kind, value):
        raise ToolError(f"argument {name!r} must be {_WORDS[kind]}, not {_shown(value)}.")
    allowed = schema.get("enum")
    if allowed and value not in allowed:
        raise ToolError(f"argument {name!r} must be one of {', '.join(map(str, allowed))}.")
    if kind == "array":
        items = schema.get("items", {})
        return [_fit(item, items, f"{name}[{index}]") for index, item in enumerate(value)]
    if kind == "object" and schema.get("properties"):
        return _fit_object(value, schema, name)
    return value


def _is_a(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _fit_object(value: dict[str, Any], schema: JsonObject, name: str) -> dict[str, Any]:
    try:
        return _check(value, schema)
    except ToolError as error:
        raise ToolError(f"in {name!r}: {error}") from error


def _from_string(value: str) -> Any:
    try:
        return json.loads(value.strip().lower() if value.strip()[:1] in "TFtf" else value)
    except (json.JSONDecodeError, RecursionError):
        return value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:40] + "..."

"""The schema as JSON Schema (draft 2020-12), for editors: `neocode config schema`."""

from typing import Any

from neocode.config.build import to_plain
from neocode.config.spec import Key, Many, Scalar, Section, Spec, root_spec

_TYPES = {"text": "string", "whole": "integer", "number": "number", "flag": "boolean"}


def json_schema() -> dict[str, Any]:
    """The schema of config.yaml; sections refuse unknown keys, as the loader does."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "NeoCode"}
    return head | _of(root_spec())


def _of(spec: Spec) -> dict[str, Any]:
    if isinstance(spec, Section):
        required = [key.name for key in spec.keys.values() if key.required]
        # a section with nothing in it, or only comments, is null
        made: dict[str, Any] = {"type": ["object", "null"], "additionalProperties": False}
        made["properties"] = {name: _property(key) for name, key in spec.keys.items()}
        return made | ({"type": "object", "required": required} if required else {})
    if isinstance(spec, Many):
        return {"type": ["array", "null"], "items": _of(spec.item)}
    return _scalar(spec)


def _scalar(spec: Scalar) -> dict[str, Any]:
    made: dict[str, Any] = {"type": _TYPES[spec.kind]}
    if spec.optional:
        made["type"] = [made["type"], "null"]
    if spec.choices:
        made["enum"] = [*spec.choices, *([None] if spec.optional else [])]
    if spec.least is not None:
        made["minimum"] = spec.least
    if spec.most is not None:
        made["maximum"] = spec.most
    return made


def _property(key: Key) -> dict[str, Any]:
    made = _of(key.spec) | {"description": key.doc}
    if key.required:
        return made | {"minLength": 1}
    if isinstance(key.spec, (Scalar, Many)):
        made["default"] = to_plain(key.default)
    return made

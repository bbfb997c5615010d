"""The schema's dataclasses read as a tree of rules: types, bounds, documentation."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from neocode.config.schema import Config

Kind = Literal["text", "whole", "number", "flag"]
_KINDS: dict[type, Kind] = {str: "text", int: "whole", float: "number", bool: "flag"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value. choices: the only texts allowed, if any. Bounds are inclusive."""

    kind: Kind
    choices: tuple[str, ...] = ()
    optional: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Many:
    """A list; entries that are sections are told apart by their `name`."""

    item: "Scalar | Section"


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping with known keys. make: the dataclass it becomes; optional: null is None."""

    make: Any
    keys: Mapping[str, "Key"]
    optional: bool = False


Spec: TypeAlias = Scalar | Many | Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a section, with what schema.option() says of it."""

    name: str
    doc: str
    default: Any
    spec: Spec
    secret: bool = False
    required: bool = False
    user_only: bool = False


@cache
def root_spec() -> Section:
    """The rules of the whole file."""
    return _section(Config)


@cache
def all_keys() -> Mapping[str, Key]:
    """Every key by its dotted path; entries of lists as models[].name."""
    return dict(_walk(root_spec(), ""))


def allowed(spec: Spec) -> str:
    """What may stand there, in words: "a whole number from 30 to 95"."""
    if isinstance(spec, Section):
        return f"a section with {', '.join(spec.keys)}"
    if isinstance(spec, Many):
        return "a list of sections" if isinstance(spec.item, Section) else "a list of texts"
    return _scalar_words(spec) + (", or null" if spec.optional else "")


def _scalar_words(spec: Scalar) -> str:
    if spec.choices:
        return "one of " + ", ".join(spec.choices)
    if spec.kind in ("text", "flag"):
        return "text" if spec.kind == "text" else "true or false"
    noun = "a whole number" if spec.kind == "whole" else "a number"
    if spec.least is not None and spec.most is not None:
        return f"{noun} from {spec.least:.15g} to {spec.most:.15g}"
    return noun if spec.least is None else f"{noun} of at least {spec.least:.15g}"


def _walk(section: Section, prefix: str) -> Iterator[tuple[str, Key]]:
    for key in section.keys.values():
        path = prefix + key.name
        yield path, key
        if isinstance(key.spec, Section):
            yield from _walk(key.spec, path + ".")
        if isinstance(key.spec, Many) and isinstance(key.spec.item, Section):
            yield from _walk(key.spec.item, path + "[].")


def _section(make: Any, optional: bool = False) -> Section:
    return Section(make, {f.name: _key(f) for f in fields(make)}, optional)


def _key(entry: Field[Any]) -> Key:
    default = entry.default if entry.default is not MISSING else None
    more = {name: entry.metadata.get(name, False) for name in ("secret", "required", "user_only")}
    return Key(
        name=entry.name,
        doc=entry.metadata["doc"],
        default=default,
        spec=_spec(entry.type, entry.metadata),
        **more,
    )


def _spec(kind: Any, metadata: Mapping[str, Any]) -> Spec:
    optional = get_origin(kind) in (types.UnionType, Union)
    if optional:
        kind = next(arg for arg in get_args(kind) if arg is not types.NoneType)
    if is_dataclass(kind):
        return _section(kind, optional)
    if get_origin(kind) is tuple:
        item = _spec(get_args(kind)[0], {})
        if isinstance(item, Many):
            raise TypeError("lists of lists are not part of the configuration")
        return Many(item)
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return Scalar(
        kind="text" if choices else _KINDS[kind],
        choices=choices,
        optional=optional,
        least=metadata.get("least"),
        most=metadata.get("most"),
    )

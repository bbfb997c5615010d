"""Values with their places: what a layer of the configuration is read into."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

LayerKind = Literal["built in", "user", "project", "environment", "command line"]
ScalarValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value comes from.

    where: the file's path or the variable's name, "" for the other layers.
    line, column: counted from 1 in files, 0 elsewhere.
    """

    kind: LayerKind
    where: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if self.kind == "environment":
            return f"environment {self.where}"
        if not self.where:
            return self.kind
        return f"{self.where}:{self.line}" if self.line else self.where

    @property
    def place(self) -> str:
        """The place for error messages, with the column: /path/config.yaml:3:5."""
        return f"{self}:{self.column}" if self.line else str(self)


BUILT_IN = Origin(kind="built in")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar. start, end: half-open character range in the text it was read from."""

    value: ScalarValue
    origin: Origin
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Items:
    """A list. size: nodes below and including it, shared ones counted each time."""

    items: tuple["Node", ...]
    origin: Origin
    start: int = 0
    end: int = 0
    flow: bool = False
    size: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a table and its value. start: where the key begins."""

    origin: Origin
    node: "Node"
    start: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping in the order of the file; size as in Items."""

    entries: Mapping[str, Entry]
    origin: Origin
    start: int = 0
    end: int = 0
    flow: bool = False
    size: int = 1


Node: TypeAlias = Leaf | Items | Table


def plain(node: Node) -> object:
    """The bare Python value, without places."""
    if isinstance(node, Table):
        return {key: plain(entry.node) for key, entry in node.entries.items()}
    if isinstance(node, Items):
        return [plain(item) for item in node.items]
    return node.value


def from_plain(value: object, origin: Origin) -> Node:
    """A tree of a Python value, all of one origin; tuples are lists, keys become text."""
    if isinstance(value, Mapping):
        entries = {str(k): Entry(origin, from_plain(v, origin)) for k, v in value.items()}
        return Table(entries, origin)
    if isinstance(value, (list, tuple)):
        return Items(tuple(from_plain(item, origin) for item in value), origin)
    if value is None or isinstance(value, (str, int, float)):
        return Leaf(value, origin)
    return Leaf(str(value), origin)


def name_of(node: Node) -> str | None:
    """The text under `name` of a list entry such as a model, if there is any."""
    if not isinstance(node, Table) or "name" not in node.entries:
        return None
    name = node.entries["name"].node
    return name.value if isinstance(name, Leaf) and isinstance(name.value, str) else None


def child(node: Node | None, step: str) -> Node | None:
    """One step down: a table's key, or a list's entry of that name."""
    if isinstance(node, Table):
        entry = node.entries.get(step)
        return entry.node if entry else None
    if isinstance(node, Items):
        return next((item for item in node.items if name_of(item) == step), None)
    return None


def descend(node: Node, steps: tuple[str, ...]) -> Node | None:
    """The node that the steps lead to, or None."""
    found: Node | None = node
    for step in steps:
        found = child(found, step)
    return found

"""YAML text to a tree with places, one event at a time: bounded in depth and size.

PyYAML is imported on first use. Aliases are shared, not copied, and count each time they
are used, so that a small text cannot unfold into a large tree.
"""

import math
from collections.abc import Callable
from typing import Any

from neocode.config.problems import Faults, shown
from neocode.config.tree import Entry, Items, Leaf, Node, Origin, ScalarValue, Table

MAX_DEPTH = 40
MAX_NODES = 20_000
_CORE_TAG = "tag:yaml.org,2002:"
_TAGS = ("str", "int", "float", "bool", "null", "map", "seq")
_WORDS = {
    "found character that cannot start any token": "this character cannot begin a value",
    "found unexpected end of stream": "the text ends inside quotes",
}

PlaceOf = Callable[[int, int], Origin]
"""Makes the Origin of a line and a column, both counted from 1."""


class _Stop(Exception):
    """The text cannot be read on; the problem is noted already."""


def parse(text: str, place_of: PlaceOf, faults: Faults) -> Node | None:
    """The tree of one YAML document; None for an empty one or after a fault.

    Syntax errors, duplicate keys, foreign tags, unknown aliases and texts that unfold
    too far are added to faults; nothing is raised.
    """
    import yaml

    try:
        return _Reader(text, place_of, faults).document()
    except _Stop:
        return None
    except yaml.YAMLError as error:
        _note_syntax(error, text, place_of, faults)
    except UnicodeError:
        faults.add(place_of(1, 1), "", "the text holds characters that are not valid Unicode")
    return None


def _note_syntax(error: Any, text: str, place_of: PlaceOf, faults: Faults) -> None:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        at = min(int(getattr(error, "position", 0)), len(text))
        origin = place_of(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
        faults.add(origin, "", "control characters are not allowed here")
        return
    words = _WORDS.get(error.problem, error.problem or "the text is not YAML")
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        words = "a tab stands at the beginning of this line; YAML is indented with spaces"
    start = getattr(error, "context_mark", None)
    begun = mark.line if start is None else start.line
    where = f" ({error.context}, which begins in line {begun + 1})" if begun != mark.line else ""
    origin = place_of(mark.line + 1, mark.column + 1)
    faults.add(origin, "", f"not valid YAML: {words}{where}")


class _Reader:
    """Builds the tree by recursive descent over libyaml's events."""

    def __init__(self, text: str, place_of: PlaceOf, faults: Faults) -> None:
        import yaml

        self._yaml = yaml
        self._loader: Any = yaml.CSafeLoader(text)
        self._place_of = place_of
        self._faults = faults
        self._anchors: dict[str, Node] = {}
        self._nodes = 0

    def document(self) -> Node | None:
        """The only document of the text."""
        found: list[Node] = []
        while self._loader.check_event():
            event = self._loader.get_event()
            if isinstance(event, self._yaml.DocumentStartEvent):
                if found:
                    self._stop(event, "the file may hold one document only; remove this ---")
                found.append(self._node(self._loader.get_event(), 1))
        return found[0] if found else None

    def _place(self, event: Any) -> Origin:
        return self._place_of(event.start_mark.line + 1, event.start_mark.column + 1)

    def _stop(self, event: Any, message: str) -> None:
        self._faults.add(self._place(event), "", message)
        raise _Stop

    def _count(self, event: Any, more: int) -> None:
        self._nodes += more
        if self._nodes > MAX_NODES:
            self._stop(event, f"the file holds more than {MAX_NODES} values")

    def _node(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self._stop(event, f"nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, self._yaml.AliasEvent):
            return self._alias(event)
        self._count(event, 1)
        if event.tag and event.tag.removeprefix(_CORE_TAG) not in _TAGS:
            self._stop(event, "tags (! and a word) are not used here; put the value in quotes")
        if isinstance(event, self._yaml.ScalarEvent):
            node: Node = self._leaf(event)
        elif isinstance(event, self._yaml.SequenceStartEvent):
            node = self._items(event, depth)
        else:
            node = self._table(event, depth)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> Node:
        found = self._anchors.get(event.anchor)
        if found is None:
            message = "no anchor has this name; a text that begins with * needs quotes"
            self._faults.add(self._place(event), "", message)
            raise _Stop
        self._count(event, 1 if isinstance(found, Leaf) else found.size)
        return found

    def _leaf(self, event: Any) -> Leaf:
        start, end = event.start_mark.index, event.end_mark.index
        return Leaf(self._value(event), self._place(event), start, end)

    def _value(self, event: Any) -> ScalarValue:
        kind = self._yaml.ScalarNode
        tag = event.tag or self._loader.resolve(kind, event.value, event.implicit)
        if tag.removeprefix(_CORE_TAG) not in ("bool", "int", "float", "null"):
            return str(event.value)
        try:
            value: ScalarValue = self._loader.construct_object(kind(tag, event.value))
        except (ValueError, KeyError, IndexError):  # such as 0b, !!bool maybe, 5000 digits
            return str(event.value)
        return value if not isinstance(value, float) or math.isfinite(value) else str(event.value)

    def _items(self, event: Any, depth: int) -> Items:
        before = self._nodes
        items = []
        while not self._loader.check_event(self._yaml.SequenceEndEvent):
            items.append(self._node(self._loader.get_event(), depth + 1))
        end = self._loader.get_event().end_mark.index
        size = self._nodes - before + 1
        flow, start = bool(event.flow_style), event.start_mark.index
        return Items(tuple(items), self._place(event), start, end, flow, size)

    def _table(self, event: Any, depth: int) -> Table:
        before = self._nodes
        entries: dict[str, Entry] = {}
        merged: list[Node] = []
        while not self._loader.check_event(self._yaml.MappingEndEvent):
            key = self._loader.get_event()
            if not isinstance(key, self._yaml.ScalarEvent):
                self._stop(key, "a key must be a plain word")
            node = self._node(self._loader.get_event(), depth + 1)
            if key.value == "<<" and key.implicit[0]:
                merged += node.items if isinstance(node, Items) else [node]
            elif key.value in entries:
                first = entries[key.value].origin.line
                message = f"the key is given twice, first in line {first}; remove one of them"
                self._faults.add(self._place(key), shown(key.value), message)
            else:
                entries[key.value] = Entry(self._place(key), node, key.start_mark.index)
        end = self._loader.get_event().end_mark.index
        for other in merged:
            self._merge(event, entries, other)
        size = self._nodes - before + 1
        flow, start = bool(event.flow_style), event.start_mark.index
        return Table(entries, self._place(event), start, end, flow, size)

    def _merge(self, event: Any, entries: dict[str, Entry], other: Node) -> None:
        if not isinstance(other, Table):
            self._stop(event, "<< takes a section")
            return
        for key, entry in other.entries.items():
            entries.setdefault(key, entry)

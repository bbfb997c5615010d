"""Change one value in YAML text by cutting at its exact place: every other byte stays.

Pure. Cases that this cannot do raise CannotSplice; config/edit.py checks each result
and has ruamel.yaml for the rest.
"""

from dataclasses import dataclass
from typing import Any

from neocode.config.tree import Items, Leaf, Node, Table, child


class CannotSplice(Exception):
    """The text has a shape that is left to ruamel.yaml."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text with its tree. newline: the line end it uses."""

    text: str
    tree: Table | None

    @property
    def newline(self) -> str:
        """The file's line end."""
        return "\r\n" if "\r\n" in self.text else "\n"


def inline(value: object) -> str:
    """The value as YAML on one line."""
    import yaml

    dumped: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**9
    )
    return dumped.removesuffix("\n").removesuffix("\n...")


def set_scalar(source: Text, steps: tuple[str, ...], value: object) -> str:
    """The text in which the key has the value; missing sections are made."""
    parents, missing = _walk(source.tree, steps)
    if not missing:
        in_flow = any(not isinstance(node, Leaf) and node.flow for node in parents[:-1])
        return _replace(source, parents[-1], value, in_flow=in_flow)
    return _insert(source, parents[-1] if parents else None, missing, value)


def append_item(source: Text, steps: tuple[str, ...], value: object) -> str:
    """The text in which the list at the key has one more item at its end."""
    parents, missing = _walk(source.tree, steps)
    if missing:
        return set_scalar(source, steps, [value])
    node = parents[-1]
    if isinstance(node, Leaf) or (not node.flow and not _is_block_list(node)):
        return _replace(source, node, [value])
    if node.flow:
        return _into_flow(source, node, inline(value))
    first = node.items[0] if isinstance(node, Items) else node
    dash = source.text.rfind("-", 0, first.start)
    indent = _column(source.text, dash)
    return _new_lines(source, _last(node), [" " * indent + "- " + inline(value)])


def remove_key(source: Text, steps: tuple[str, ...]) -> str:
    """The text without the key, and without sections that would stay empty."""
    parents, missing = _walk(source.tree, steps)
    if missing:
        return source.text
    holder = parents[-2]
    if isinstance(holder, Items):
        return _cut_item(source, holder, parents[-1])
    if not isinstance(holder, Table):
        raise CannotSplice
    if len(holder.entries) == 1 and len(parents) > 2 and isinstance(parents[-3], Table):
        return remove_key(source, steps[:-1])
    entry = holder.entries[steps[-1]]
    if holder.flow:
        inner = [(other.start, other.node.end) for other in holder.entries.values()]
        return _cut_flow(source, inner, (entry.start, entry.node.end))
    return _cut(source, entry.start, entry.node)


def _is_block_list(node: Node) -> bool:
    return isinstance(node, Items) and bool(node.items)


def _walk(tree: Table | None, steps: tuple[str, ...]) -> tuple[list[Node], tuple[str, ...]]:
    """The nodes along the way that exist, root first, and the steps that do not."""
    if tree is None:
        return [], steps
    found: list[Node] = [tree]
    for index, step in enumerate(steps):
        below = child(found[-1], step)
        if below is None:
            return found, steps[index:]
        found.append(below)
    return found, ()


def _replace(source: Text, node: Node, value: object, *, in_flow: bool = False) -> str:
    text = source.text
    if not isinstance(node, Leaf) and not node.flow:
        raise CannotSplice
    # within brackets a text needs quotes that it does not need in a line of its own
    new = inline([value])[1:-1] if in_flow else _like(text[node.start : node.end], value)
    if "\n" in text[node.start : node.end]:
        raise CannotSplice
    before = text[: node.start]
    gap = " " if node.start == node.end and before.endswith(":") else ""
    after = text[node.end :]
    tail = " " if node.start == node.end and after[:1] == "#" else ""
    return before + gap + new + tail + after


def _like(old: str, value: object) -> str:
    """The value written with the quotes that the old one had."""
    new = inline(value)
    if not isinstance(value, str) or not value.isprintable() or old[:1] not in ("'", '"'):
        return new
    if old[0] == "'":
        return "'" + value.replace("'", "''") + "'"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _insert(source: Text, holder: Node | None, missing: tuple[str, ...], value: object) -> str:
    if isinstance(holder, Items):
        return _new_item(source, holder, missing, value)
    if isinstance(holder, Leaf):
        return _into_empty(source, holder, missing, value)
    if holder is None:
        lines = _lines(missing, value, 0)
        return _new_lines(source, len(source.text), lines)
    if holder.flow:
        return _into_flow(source, holder, inline(_nested(missing, value))[1:-1])
    first = next(iter(holder.entries.values()))
    indent = _column(source.text, first.start)
    return _new_lines(source, _last(holder), _lines(missing, value, indent))


def _nested(missing: tuple[str, ...], value: Any) -> dict[str, Any]:
    for step in reversed(missing):
        value = {step: value}
    made: dict[str, Any] = value
    return made


def _into_empty(source: Text, holder: Leaf, missing: tuple[str, ...], value: object) -> str:
    """Below `section:` with nothing in it; its line tells how far it is indented."""
    if holder.value is not None:
        raise CannotSplice
    line = source.text[source.text.rfind("\n", 0, holder.start) + 1 : holder.start]
    if holder.start != holder.end or line.lstrip().startswith("-"):
        return _replace(source, holder, _nested(missing, value))
    indent = len(line) - len(line.lstrip()) + 2
    return _new_lines(source, holder.start, _lines(missing, value, indent))


def _new_item(source: Text, holder: Items, missing: tuple[str, ...], value: object) -> str:
    """A new entry of models or agents; the first missing step is its name."""
    entry = _entry(missing, value)
    if holder.flow and holder.items:
        return _into_flow(source, holder, inline(entry))
    text = source.text
    if holder.items:
        indent = _column(text, text.rfind("-", 0, holder.items[0].start))
        return _new_lines(source, _last(holder), _item_lines(entry, indent))
    bare = text[: holder.start].rstrip(" ") + text[holder.end :]
    line = text[text.rfind("\n", 0, holder.start) + 1 : holder.start]
    indent = len(line) - len(line.lstrip()) + 2
    return _new_lines(Text(bare, None), holder.start - 1, _item_lines(entry, indent))


def _entry(missing: tuple[str, ...], value: object) -> dict[str, Any]:
    if len(missing) == 1 and isinstance(value, dict):
        return {"name": missing[0]} | value
    if len(missing) == 2:
        return {"name": missing[0], missing[1]: value}
    raise CannotSplice


def _item_lines(entry: dict[str, Any], indent: int) -> list[str]:
    lines = [" " * (indent + 2) + inline({key: value})[1:-1] for key, value in entry.items()]
    lines[0] = " " * indent + "- " + lines[0].lstrip()
    return lines


def _into_flow(source: Text, holder: Table | Items, piece: str) -> str:
    """Behind the last value between the brackets; a comma that follows it stays the last."""
    text = source.text
    if isinstance(holder, Table):
        ends = [entry.node.end for entry in holder.entries.values()]
    else:
        ends = [item.end for item in holder.items]
    at = ends[-1] if ends else holder.start + 1
    return text[:at] + (", " if ends else "") + piece + text[at:]


def _lines(missing: tuple[str, ...], value: object, indent: int) -> list[str]:
    if missing[0] in ("models", "agents") and len(missing) > 1:
        return [
            " " * indent + f"{missing[0]}:",
            *_item_lines(_entry(missing[1:], value), indent + 2),
        ]
    lines = [" " * (indent + 2 * n) + f"{step}:" for n, step in enumerate(missing)]
    lines[-1] += " " + inline(value)
    return lines


def _new_lines(source: Text, after: int, lines: list[str]) -> str:
    """The lines put below the line in which the character at `after` stands."""
    text, newline = source.text, source.newline
    at = after
    if not (at and text[at - 1] == "\n"):
        at = text.find("\n", after)
        at = len(text) if at < 0 else at + 1
    lead = newline if text and at == len(text) and not text.endswith("\n") else ""
    return text[:at] + lead + "".join(line + newline for line in lines) + text[at:]


def _cut_item(source: Text, holder: Items, item: Node) -> str:
    if holder.flow:
        inner = [(other.start, other.end) for other in holder.items]
        return _cut_flow(source, inner, (item.start, item.end))
    if len(holder.items) == 1:
        raise CannotSplice
    return _cut(source, source.text.rfind("-", 0, item.start), item)


def _cut_flow(source: Text, inner: list[tuple[int, int]], one: tuple[int, int]) -> str:
    """Without one of the values between brackets, and without the comma beside it."""
    index = inner.index(one)
    if index + 1 < len(inner):
        begin, end = one[0], inner[index + 1][0]
    else:
        begin, end = (inner[index - 1][1] if index else one[0]), one[1]
    return source.text[:begin] + source.text[end:]


def _cut(source: Text, start: int, node: Node) -> str:
    """Without the lines from the one that starts there to the last one of the node."""
    text = source.text
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip():
        raise CannotSplice
    end = _last(node)
    if not (end and text[end - 1] == "\n"):
        found = text.find("\n", end)
        end = len(text) if found < 0 else found + 1
    return text[:begin] + text[end:]


def _column(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _last(node: Node) -> int:
    """Where the last value below the node ends (the ends of block nodes lie further down)."""
    if isinstance(node, Leaf) or node.flow:
        return node.end
    below = (
        [entry.node for entry in node.entries.values()]
        if isinstance(node, Table)
        else list(node.items)
    )
    return max((_last(item) for item in below), default=node.start)

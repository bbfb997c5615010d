"""One layer's tree against the rules: every fault named, the sound part handed on."""

from collections.abc import Iterable

from neocode.config.problems import Faults, nearest, shown
from neocode.config.spec import Key, Many, Scalar, Section, all_keys, allowed
from neocode.config.tree import Entry, Items, Leaf, Node, Origin, Table, name_of

_GREATEST = 2**53  # where no bound is stated: what JSON and SQLite hold exactly


def check(root: Section, node: Node | None, faults: Faults) -> Table | None:
    """The tree without what is wrong in it; faults are added for each wrong part.

    None when the layer is empty or no section at all.
    """
    if node is None or _is_null(node):
        return None
    return _section(root, node, "", faults)


def _is_null(node: Node) -> bool:
    return isinstance(node, Leaf) and node.value is None


def _section(section: Section, node: Node, path: str, faults: Faults) -> Table | None:
    if _is_null(node):
        return Table({}, node.origin)
    if not isinstance(node, Table):
        must = (
            f"must be {allowed(section)}" if path else "the file must consist of key: value lines"
        )
        faults.add(node.origin, path, f"{must}, not {_found(node)}")
        return None
    kept: dict[str, Entry] = {}
    for name, entry in node.entries.items():
        full = f"{path}.{name}" if path else name
        key = section.keys.get(name)
        if key is None:
            _unknown(section, name, full, entry.origin, faults)
            continue
        value = _value(key, entry.node, full, faults)
        if value is not None:
            kept[name] = Entry(entry.origin, value, entry.start)
    return Table(kept, node.origin, node.start, node.end, node.flow)


def _unknown(section: Section, name: str, full: str, origin: Origin, faults: Faults) -> None:
    elsewhere = [path for path in all_keys() if path.rpartition(".")[2] == name]
    if elsewhere:
        message = f"this key does not belong here but in {' or '.join(elsewhere)}"
        faults.add(origin, full, message)
        return
    near = nearest(name, section.keys)
    message = "unknown key" if near else f"unknown key; known here: {', '.join(section.keys)}"
    faults.add(origin, full, message, wrong=near, known=[near] if near else ())


def _value(key: Key, node: Node, path: str, faults: Faults) -> Node | None:
    spec = key.spec
    if isinstance(spec, Section):
        null = spec.optional and _is_null(node)
        return node if null else _section(spec, node, path, faults)
    if isinstance(spec, Many):
        return _many(spec, node, path, faults)
    fault = scalar_fault(spec, node, secret=key.secret)
    if not fault and key.required and isinstance(node, Leaf) and not str(node.value).strip():
        fault = "must not be empty"
    if fault:
        wrong = node.value if isinstance(node, Leaf) and isinstance(node.value, str) else ""
        faults.add(node.origin, path, fault, wrong=wrong, known=spec.choices)
        return None
    return node


def scalar_fault(spec: Scalar, node: Node, *, secret: bool = False) -> str:
    """What is wrong with the value and what is allowed, or ""."""
    must = f"must be {allowed(spec)}"
    if not isinstance(node, Leaf):
        return f"{must}, not {_found(node)}"
    got = "" if secret else f", not {_found(node)}"
    value = node.value
    if value is None:
        return "" if spec.optional else must + got
    if not _has_kind(spec, value):
        quoted = isinstance(value, str) and spec.kind in ("whole", "number", "flag")
        bare = quoted and str(value).strip().lstrip("+-").replace(".", "", 1).isdigit()
        advice = " (remove the quotes)" if bare else ""
        return must + got + (" (put it in quotes)" if spec.kind == "text" else advice)
    if isinstance(value, str):
        if not value.isascii() and not _is_unicode(value):
            return "must be valid Unicode text"
        return must + got if spec.choices and value not in spec.choices else ""
    low = spec.least is not None and value < spec.least
    high = value > (_GREATEST if spec.most is None else spec.most)
    return must + got if low or high else ""


def _has_kind(spec: Scalar, value: str | int | float | bool) -> bool:
    if spec.kind == "flag" or isinstance(value, bool):
        return spec.kind == "flag" and isinstance(value, bool)
    if spec.kind == "text":
        return isinstance(value, str)
    return isinstance(value, int if spec.kind == "whole" else (int, float))


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _many(spec: Many, node: Node, path: str, faults: Faults) -> Node | None:
    if _is_null(node):
        return Items((), node.origin)
    if not isinstance(node, Items):
        faults.add(node.origin, path, f"must be {allowed(spec)}, not {_found(node)}")
        return None
    kept: list[Node] = []
    for index, item in enumerate(node.items):
        if isinstance(spec.item, Section):
            label = name_of(item) or str(index)
            sound: Node | None = _section(spec.item, item, f"{path}.{label}", faults)
        else:
            fault = scalar_fault(spec.item, item)
            if fault:
                faults.add(item.origin, f"{path}[{index}]", fault)
            sound = None if fault else item
        if sound is not None:
            kept.append(sound)
    if isinstance(spec.item, Section):
        _twice(kept, path, faults)
    return Items(tuple(kept), node.origin, node.start, node.end, node.flow)


def _twice(items: Iterable[Node], path: str, faults: Faults) -> None:
    seen: dict[str, Origin] = {}
    for item in items:
        name = name_of(item)
        if name in seen:
            line = seen[name].line
            first = f" in line {line}" if line else ""
            faults.add(item.origin, f"{path}.{name}", f"the name is taken{first}; choose another")
        elif name is not None:
            seen[name] = item.origin


def _found(node: Node) -> str:
    if isinstance(node, Table):
        return "a section"
    if isinstance(node, Items):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    return f'the text "{shown(node.value)}"' if isinstance(node.value, str) else _number(node.value)


def _number(value: int | float) -> str:
    try:
        return shown(str(value), 30)
    except ValueError:  # more digits than Python prints
        return "so large a number"

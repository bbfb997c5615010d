"""A checked tree becomes a Config, and a Config becomes plain values again."""

from dataclasses import fields, is_dataclass
from typing import Any

from neocode.config.schema import Config
from neocode.config.spec import Many, Section, Spec, root_spec
from neocode.config.tree import Items, Leaf, Node, Table, plain


def build(tree: Table) -> Config:
    """The Config of a tree without faults; what it leaves out has its default."""
    made = _make(root_spec(), tree)
    if not isinstance(made, Config):
        raise TypeError(f"the root section makes {type(made)}")
    return made


def _make(spec: Spec, node: Node) -> Any:
    if isinstance(spec, Section) and isinstance(node, Table):
        parts = {name: _make(spec.keys[name].spec, e.node) for name, e in node.entries.items()}
        return spec.make(**parts)
    if isinstance(spec, Many) and isinstance(node, Items):
        return tuple(_make(spec.item, item) for item in node.items)
    return node.value if isinstance(node, Leaf) else plain(node)


def to_plain(value: Any) -> Any:
    """A Config, or a part of one, as mappings, lists and scalars; keys in file order."""
    if is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value

"""Layers laid over each other, and what only their sum can show to be wrong."""

from collections.abc import Iterator

from neocode.config.problems import Faults, shown
from neocode.config.spec import Many, Section, Spec, root_spec
from neocode.config.tree import (
    BUILT_IN,
    Entry,
    Items,
    Leaf,
    Node,
    Origin,
    Table,
    child,
    descend,
    name_of,
)

EMBEDDED = "embedded"
"""Name of the embedded model: always there to be named (spec/interface)."""


def overlay(below: Node, above: Node, spec: Spec) -> Node:
    """Above wins key by key; entries with names are laid over the entry of that name.

    Lists of texts are replaced whole.
    """
    if isinstance(spec, Section) and isinstance(below, Table) and isinstance(above, Table):
        entries = dict(below.entries)
        for name, entry in above.entries.items():
            node = entry.node
            if name in entries:
                node = overlay(entries[name].node, node, spec.keys[name].spec)
            entries[name] = Entry(entry.origin, node)
        return Table(entries, above.origin)
    if isinstance(spec, Many) and isinstance(below, Items) and isinstance(above, Items):
        return _by_name(below, above, spec) if isinstance(spec.item, Section) else above
    return above


def _by_name(below: Items, above: Items, spec: Many) -> Items:
    items = {name_of(item) or f"\0{index}": item for index, item in enumerate(below.items)}
    for index, item in enumerate(above.items):
        name = name_of(item) or f"\0above{index}"
        items[name] = overlay(items[name], item, spec.item) if name in items else item
    return Items(tuple(items.values()), above.origin)


def check_whole(tree: Table, faults: Faults) -> None:
    """Faults that need all layers: names of models that do not exist, what is missing."""
    _missing(tree, faults)
    _model_names(tree, faults)
    _one_key_each(tree, faults)
    low = _leaf(tree, "context.compact.summary_min_tokens")
    high = _leaf(tree, "context.compact.summary_max_tokens")
    least = low.value if low else root_default("summary_min_tokens")
    most = high.value if high else root_default("summary_max_tokens")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        place, key = (low, "summary_min_tokens") if low else (high, "summary_max_tokens")
        message = f"summary_min_tokens ({least}) must not be over summary_max_tokens ({most})"
        faults.add(place.origin if place else BUILT_IN, f"context.compact.{key}", message)


def root_default(name: str) -> object:
    """The built-in value of a key of context.compact."""
    context = root_spec().keys["context"].spec
    compact = context.keys["compact"].spec if isinstance(context, Section) else None
    return compact.keys[name].default if isinstance(compact, Section) else None


def _entries(tree: Table, name: str) -> tuple[Node, ...]:
    node = child(tree, name)
    return node.items if isinstance(node, Items) else ()


def _leaf(tree: Node, dotted: str) -> Leaf | None:
    node = descend(tree, tuple(dotted.split(".")))
    return node if isinstance(node, Leaf) else None


def _missing(tree: Table, faults: Faults) -> None:
    for name in ("models", "agents"):
        spec = root_spec().keys[name].spec
        if not isinstance(spec, Many) or not isinstance(spec.item, Section):
            continue
        for index, entry in enumerate(_entries(tree, name)):
            for key in spec.item.keys.values():
                if key.required and child(entry, key.name) is None:
                    path = f"{name}.{name_of(entry) or index}.{key.name}"
                    faults.add(entry.origin, path, f"must be given: {key.doc}")


def _one_key_each(tree: Table, faults: Faults) -> None:
    for model in _entries(tree, "models"):
        env, key = _leaf(model, "api_key_env"), _leaf(model, "api_key")
        if env and key and env.value is not None and key.value is not None:
            path = f"models.{name_of(model)}.api_key"
            faults.add(key.origin, path, "give api_key or api_key_env, not both")


def _model_names(tree: Table, faults: Faults) -> None:
    entries = _entries(tree, "models")
    names = list(dict.fromkeys(name for name in map(name_of, entries) if name))
    if not entries:
        return
    for path, leaf in _references(tree):
        if leaf is None or not isinstance(leaf.value, str) or leaf.value in names:
            continue
        if leaf.value.partition(":")[0] == EMBEDDED:  # embedded:qwen-1.5b names the weights
            continue
        message = (
            f'no model is called "{shown(leaf.value)}"; configured: {", ".join(map(shown, names))}'
        )
        faults.add(leaf.origin, path, message, wrong=leaf.value, known=names)


def _references(tree: Table) -> Iterator[tuple[str, Leaf | None]]:
    for dotted in ("model", "context.compact.auxiliary_model"):
        yield dotted, _leaf(tree, dotted)
    for index, agent in enumerate(_entries(tree, "agents")):
        label = name_of(agent) or str(index)
        for name in ("model", "auxiliary_model"):
            yield f"agents.{label}.{name}", _leaf(agent, name)


def origins_of(tree: Table) -> dict[str, Origin]:
    """Every value's place by its dotted path (models.sonnet.id, permissions.allow[0]).

    Values that no layer names have the origin "built in".
    """
    return dict(_origins(root_spec(), tree, ""))


def _origins(spec: Section, node: Node | None, prefix: str) -> Iterator[tuple[str, Origin]]:
    for key in spec.keys.values():
        path, found = prefix + key.name, child(node, key.name)
        if isinstance(key.spec, Section):
            yield from _origins(key.spec, found, path + ".")
        elif isinstance(key.spec, Many):
            yield path, found.origin if found else BUILT_IN
            yield from _item_origins(key.spec, found, path)
        else:
            yield path, found.origin if found else BUILT_IN


def _item_origins(spec: Many, node: Node | None, path: str) -> Iterator[tuple[str, Origin]]:
    for index, item in enumerate(node.items if isinstance(node, Items) else ()):
        if isinstance(spec.item, Section):
            yield from _origins(spec.item, item, f"{path}.{name_of(item) or index}.")
        else:
            yield f"{path}[{index}]", item.origin

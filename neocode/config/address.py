"""Dotted keys, as overrides and `config set` use them: retry.max_attempts, models.lab.auxiliary."""

from dataclasses import dataclass
from typing import Literal

from neocode.config.parse import parse
from neocode.config.problems import Faults
from neocode.config.spec import Key, Many, Scalar, Section, Spec, all_keys, root_spec
from neocode.config.tree import Entry, Items, Leaf, Node, Origin, Table


@dataclass(frozen=True, slots=True)
class Address:
    """A key that exists. steps: keys from the root; after models or agents comes a name.

    key: what the schema says of it; None for a whole entry of a list (models.lab).
    """

    steps: tuple[str, ...]
    spec: Spec
    key: Key | None

    @property
    def kind(self) -> Literal["scalar", "texts", "section", "entries"]:
        """What stands there: one value, a list of texts, a section, or a list of sections."""
        if isinstance(self.spec, Many):
            return "entries" if isinstance(self.spec.item, Section) else "texts"
        return "section" if isinstance(self.spec, Section) else "scalar"

    @property
    def secret(self) -> bool:
        """True when the value is never shown."""
        return self.key is not None and self.key.secret


def find_address(dotted: str, origin: Origin, faults: Faults) -> Address | None:
    """The key that the text names; a fault with the nearest one when there is none."""
    found = _down(root_spec(), dotted)
    if found is None:
        known = [path.replace("[]", "") for path in all_keys()]
        named = [path for path in known if path.rpartition(".")[2] == dotted.rpartition(".")[2]]
        message = "there is no such key; `neocode config show` lists them"
        faults.add(origin, dotted, message, wrong=dotted, known=named[:1] or known)
        if named and not faults.found[-1].suggestion:
            faults.found.pop()
            faults.add(origin, dotted, message, wrong=named[0], known=named)
    return found


def _down(section: Section, dotted: str) -> Address | None:
    head, _, rest = dotted.partition(".")
    key = section.keys.get(head)
    if key is None:
        return None
    if not rest:
        return None if dotted.endswith(".") else Address((head,), key.spec, key)
    below: Address | None = None
    if isinstance(key.spec, Section):
        below = _down(key.spec, rest)
    elif isinstance(key.spec, Many) and isinstance(key.spec.item, Section):
        below = _entry(key.spec.item, rest)
    return below and Address((head, *below.steps), below.spec, below.key)


def _entry(section: Section, rest: str) -> Address | None:
    """Name and key of a list's entry; names may hold dots, so the longest key counts."""
    for at, character in enumerate(rest):
        if character == "." and at:
            below = _down(section, rest[at + 1 :])
            if below:
                return Address((rest[:at], *below.steps), below.spec, below.key)
    return None if rest.endswith(".") else Address((rest,), section, None)


def branch(address: Address, node: Node, origin: Origin) -> Table:
    """The tree in which that one key has that value."""
    return _branch(root_spec(), address.steps, node, origin)


def _branch(section: Section, steps: tuple[str, ...], node: Node, origin: Origin) -> Table:
    head, rest = steps[0], steps[1:]
    spec = section.keys[head].spec
    if rest and isinstance(spec, Section):
        node = _branch(spec, rest, node, origin)
    elif rest and isinstance(spec, Many) and isinstance(spec.item, Section):
        inner = _branch(spec.item, rest[1:], node, origin) if rest[1:] else node
        entries = dict(inner.entries) if isinstance(inner, Table) else {}
        named = {"name": Entry(origin, Leaf(rest[0], origin))} | entries
        node = Items((Table(named, origin),), origin)
    return Table({head: Entry(origin, node)}, origin)


def from_text(spec: Spec, text: str, origin: Origin, faults: Faults) -> Node | None:
    """The value that a text from the environment or the command line stands for.

    Where the schema wants text it is taken as it is, apart from null; everything else
    is read as YAML: true, 70, [a, b], {input: 0}.
    """
    if isinstance(spec, Scalar) and spec.kind == "text":
        empty = spec.optional and text.strip() in ("null", "~")
        return Leaf(None if empty else text, origin)
    before = len(faults.found)
    node = parse(text, lambda _line, _column: origin, faults)
    return node if node or len(faults.found) > before else Leaf(None, origin)

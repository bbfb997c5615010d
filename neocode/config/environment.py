"""The NEOCODE_* layer: every key that is not in a list's entry has a variable.

NEOCODE_ and the dotted path in capitals, dots as one or two underscores:
NEOCODE_CONTEXT_AUTO_COMPACT_ENABLED, NEOCODE__CONTEXT__AUTO_COMPACT__ENABLED.
NEOCODE_MODE is short for NEOCODE_PERMISSIONS_MODE. An empty variable counts as not set.
"""

from collections.abc import Mapping
from functools import cache

from neocode.config.address import branch, find_address, from_text
from neocode.config.layers import overlay
from neocode.config.problems import Faults
from neocode.config.spec import Section, all_keys, root_spec
from neocode.config.tree import Origin, Table

PREFIX = "NEOCODE_"


@cache
def variables() -> Mapping[str, str]:
    """Variable name -> dotted path, in the schema's order."""
    paths = [
        path
        for path, key in all_keys().items()
        if "[]" not in path and not isinstance(key.spec, Section) and path not in _LISTS
    ]
    names = {PREFIX + path.replace(".", "_").upper(): path for path in paths}
    return names | {"NEOCODE_MODE": "permissions.mode"}


_LISTS = ("models", "agents")


def environment_layer(environ: Mapping[str, str], faults: Faults) -> Table:
    """What the environment sets; faults for values and for names that nearly are keys."""
    tree = Table({}, Origin(kind="environment"))
    # the short name first, so that the full one wins when both are set
    for name in sorted(environ, key=lambda given: (given != "NEOCODE_MODE", given)):
        if not name.startswith(PREFIX) or not environ[name].strip():
            continue
        origin = Origin(kind="environment", where=name)
        path = variables().get(_single(name))
        if path is None:
            _unknown(name, origin, faults)
            continue
        address = find_address(path, origin, faults)
        node = address and from_text(address.spec, environ[name].strip(), origin, faults)
        if address and node:
            above = overlay(tree, branch(address, node, origin), root_spec())
            tree = above if isinstance(above, Table) else tree
    return tree


def _single(name: str) -> str:
    while "__" in name:
        name = name.replace("__", "_")
    return name


def _unknown(name: str, origin: Origin, faults: Faults) -> None:
    """Other programs may use NEOCODE_ names; one that begins like a section is a slip."""
    keys = root_spec().keys.values()
    sections = [f"{PREFIX}{key.name.upper()}_" for key in keys if isinstance(key.spec, Section)]
    if "__" in name or any(name.startswith(section) for section in sections):
        known = list(variables())
        faults.add(origin, "", "no key has this variable", wrong=_single(name), known=known)

"""What a project's file may not say (spec/interface, "Where things are").

It may not name keys, addresses or commands to run, nor permissions wider than the
user's own. Each is a fault that names the key; deny rules are added to the user's.
"""

from neocode.config.problems import Faults
from neocode.config.spec import Many, Section, root_spec
from neocode.config.tree import Entry, Items, Leaf, Node, Table, child, descend, name_of, plain

_WIDTH = ("plan", "ask", "accept-edits", "auto")


def project_layer(project: Table, user: Table, faults: Faults) -> Table:
    """The project's part that may stand over the user's layer (file, environment and
    command line are not looked at: they win over the project in any case)."""
    _user_only(root_spec(), project, "", faults)
    _user_models(project, user, faults)
    _modes(project, user, faults)
    _allow(project, user, faults)
    for name, safe in (("sandbox", True), ("sandbox_network", False)):
        node = descend(project, ("permissions", name))
        if isinstance(node, Leaf) and node.value != safe and _value(user, name, False) == safe:
            message = (
                f"a project may not set {str(not safe).lower()} here: yours is {str(safe).lower()}"
            )
            faults.add(node.origin, f"permissions.{name}", message)
    return _with_user_deny(project, user)


def _user_only(section: Section, node: Node, path: str, faults: Faults) -> None:
    if not isinstance(node, Table):
        return
    for name, entry in node.entries.items():
        key = section.keys[name]
        full = f"{path}.{name}" if path else name
        if key.user_only:
            message = "a project's file may not set this; put it into your own configuration"
            faults.add(entry.origin, full, message)
        elif isinstance(key.spec, Section):
            _user_only(key.spec, entry.node, full, faults)
        elif isinstance(key.spec, Many) and isinstance(key.spec.item, Section):
            for index, item in enumerate(_items(entry.node)):
                _user_only(key.spec.item, item, f"{full}.{name_of(item) or index}", faults)


def _user_models(project: Table, user: Table, faults: Faults) -> None:
    """A project that gave a user's model another id would send the user's key elsewhere."""
    mine = {name_of(item): item for item in _items(child(user, "models"))}
    for item in _items(child(project, "models")):
        name, other = name_of(item), child(item, "id")
        theirs = mine.get(name)
        if name and theirs and isinstance(other, Leaf):
            own = child(theirs, "id")
            if not isinstance(own, Leaf) or own.value != other.value:
                message = "a project's file may not point a model of yours elsewhere"
                faults.add(other.origin, f"models.{name}.id", message)


def _modes(project: Table, user: Table, faults: Faults) -> None:
    mode = str(_value(user, "mode", "ask"))
    wanted = [("permissions.mode", descend(project, ("permissions", "mode")))]
    for index, agent in enumerate(_items(child(project, "agents"))):
        wanted.append((f"agents.{name_of(agent) or index}.mode", child(agent, "mode")))
    for path, node in wanted:
        if not isinstance(node, Leaf) or node.value not in _WIDTH or mode not in _WIDTH:
            continue
        narrow = _WIDTH[: _WIDTH.index(mode) + 1]
        if node.value not in narrow:
            message = f"wider than your own mode; a project may set {' or '.join(narrow)}"
            faults.add(node.origin, path, message)


def _allow(project: Table, user: Table, faults: Faults) -> None:
    own = _value(user, "allow", [])
    mine = own if isinstance(own, list) else []
    for index, item in enumerate(_items(descend(project, ("permissions", "allow")))):
        if plain(item) not in mine:
            message = "a project may allow only what you allow; add the rule to your own file"
            faults.add(item.origin, f"permissions.allow[{index}]", message)


def _with_user_deny(project: Table, user: Table) -> Table:
    theirs = descend(project, ("permissions", "deny"))
    mine = _items(descend(user, ("permissions", "deny")))
    permissions = project.entries.get("permissions")
    if (
        not isinstance(theirs, Items)
        or permissions is None
        or not isinstance(permissions.node, Table)
    ):
        return project
    have = [plain(item) for item in mine]
    more = [item for item in theirs.items if plain(item) not in have]
    joined = Items((*mine, *more), theirs.origin)
    inner = permissions.node
    deny = Entry(inner.entries["deny"].origin, joined)
    table = Table({**inner.entries, "deny": deny}, inner.origin)
    return Table(
        {**project.entries, "permissions": Entry(permissions.origin, table)}, project.origin
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else ()


def _value(user: Table, name: str, default: object) -> object:
    node = descend(user, ("permissions", name))
    return default if node is None else plain(node)

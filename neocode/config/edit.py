"""Change one key in the user's YAML: comments, order and quotes stay (spec/interface).

The text is cut at the value's place; where that cannot be done, ruamel.yaml, imported
only then, writes the file anew with its comments. Either result is read again and must
hold exactly the old values and the change before it replaces the file.
"""

import copy
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neocode.config.address import Address, find_address
from neocode.config.atomic import write_atomically
from neocode.config.check import check
from neocode.config.files import BOM, read_text
from neocode.config.layers import check_whole
from neocode.config.load import text_layer
from neocode.config.parse import parse
from neocode.config.problems import Faults
from neocode.config.spec import root_spec
from neocode.config.splice import CannotSplice, Text, append_item, remove_key, set_scalar
from neocode.config.tree import Items, Origin, Table, descend, from_plain, plain
from neocode.domain.errors import ConfigError

COMMAND = Origin(kind="command line")


def set_value(path: Path, dotted_key: str, value: object) -> None:
    """Give one key of the file a value; None removes the key, so that it is inherited.

    dotted_key: retry.max_attempts, models.lab.auxiliary (the entry called lab, made when
    it is missing), models.lab (a whole entry, as a mapping). The file is made (0600)
    when it is missing. Raises InvalidConfig when key, value or the file so far is not
    valid, ConfigError when it cannot be written; the file is untouched then.
    """
    address = find_key(dotted_key)
    if value is None:
        _change(path, address, lambda text: remove_key(text, address.steps), _removed(address))
        return
    ready = _as_entry(address, value)

    def wanted(data: Any) -> None:
        _put(data, address.steps, ready)

    _change(path, address, lambda text: set_scalar(text, address.steps, ready), wanted)


def append_value(path: Path, dotted_key: str, value: str) -> None:
    """Add a text to a list such as permissions.allow; nothing changes if it is there.

    Raises as set_value does.
    """
    address = find_key(dotted_key)
    if address.kind != "texts":
        raise ConfigError(f"{dotted_key} is not a list of texts.", hint="Set the key instead.")
    tree = _raw(_read(path), path)
    found = descend(tree, address.steps) if tree else None
    items = plain(found) if isinstance(found, Items) else []
    have = items if isinstance(items, list) else []
    if value in have:
        return

    def wanted(data: Any) -> None:
        _put(data, address.steps, [*have, value])

    _change(path, address, lambda text: append_item(text, address.steps, value), wanted)


def find_key(dotted_key: str) -> Address:
    """The key's place and rules; raises InvalidConfig with the nearest key otherwise."""
    faults = Faults()
    address = find_address(dotted_key, COMMAND, faults)
    faults.raise_any()
    if address is None:
        raise ConfigError(f"There is no key {dotted_key}.")
    return address


def _as_entry(address: Address, value: object) -> object:
    """A whole entry of models or agents carries its own name first."""
    bare = plain(from_plain(value, COMMAND))
    if address.key is None and isinstance(bare, dict):
        return {"name": address.steps[-1]} | bare
    return bare


def _change(
    path: Path, address: Address, splice: Callable[[Text], str], wanted: Callable[[Any], None]
) -> None:
    text = _read(path)
    _validate(text, path)
    tree = _raw(text, path)
    old = plain(tree) if tree else {}
    new = copy.deepcopy(old)
    wanted(new)
    _check_value(new)
    if new == old:
        return
    for attempt in (splice, lambda source: _with_ruamel(source.text, wanted)):
        try:
            changed = attempt(Text(text, tree))
        except CannotSplice:
            continue
        result = _raw(changed, path)
        if _bare(plain(result) if result else {}) == _bare(new):
            _validate(changed, path)
            _write(path, changed)
            return
    raise ConfigError(
        f"{'.'.join(address.steps)} cannot be changed in {path} without touching other values.",
        hint="Change it by hand: neocode config edit",
    )


def _bare(data: Any) -> Any:
    """Sections without content count as absent: removing the last key may leave either."""
    if isinstance(data, dict):
        inner = {key: _bare(value) for key, value in data.items()}
        return {key: value for key, value in inner.items() if value not in (None, {})}
    return [_bare(item) for item in data] if isinstance(data, list) else data


def _check_value(new: object) -> None:
    """A wrong value is a fault of the command line, not of a line in the file."""
    faults = Faults()
    checked = check(root_spec(), from_plain(new, COMMAND), faults)
    check_whole(checked or Table({}, COMMAND), faults)
    faults.raise_any()


def _validate(text: str, path: Path) -> None:
    faults = Faults()
    check_whole(text_layer(text, path, "user", faults), faults)
    faults.raise_any()


def _read(path: Path) -> str:
    faults = Faults()
    text = read_text(path, "user", faults)
    faults.raise_any()
    return text or ""


def _raw(text: str, path: Path) -> Table | None:
    node = parse(
        text, lambda n, m: Origin(kind="user", where=str(path), line=n, column=m), Faults()
    )
    return node if isinstance(node, Table) else None


def _write(path: Path, text: str) -> None:
    try:
        mark = path.exists() and path.read_bytes().startswith(BOM.encode())
        write_atomically(path, ((BOM if mark else "") + text).encode())
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}.",
            hint="The file is unchanged. Check the folder's owner and mode, and the free space.",
        ) from error


def _put(data: Any, steps: tuple[str, ...], value: object) -> None:
    for step in steps[:-1]:
        data = _below(data, step)
    if isinstance(data, list):
        _put_entry(data, steps[-1], value)
    else:
        data[steps[-1]] = value


def _below(data: Any, step: str) -> Any:
    if isinstance(data, list):
        found = next((item for item in data if item.get("name") == step), None)
        if found is None:
            data.append({"name": step})
        return data[-1] if found is None else found
    if data.get(step) is None:
        data[step] = [] if step in ("models", "agents") else {}
    return data[step]


def _put_entry(data: list[Any], name: str, value: object) -> None:
    for index, item in enumerate(data):
        if item.get("name") == name:
            data[index] = value
            return
    data.append(value)


def _removed(address: Address) -> Callable[[Any], None]:
    def remove(data: Any) -> None:
        for step in address.steps[:-1]:
            if isinstance(data, list):
                data = next((item for item in data if item.get("name") == step), {})
            else:
                data = data.get(step) or {}
        if isinstance(data, list):
            data[:] = [item for item in data if item.get("name") != address.steps[-1]]
        else:
            data.pop(address.steps[-1], None)

    return remove


def _with_ruamel(text: str, wanted: Callable[[Any], None]) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    writer = YAML(typ="rt")
    writer.preserve_quotes = True
    writer.width = 10**6
    deep = "\n  - " in text
    writer.indent(mapping=2, sequence=4 if deep else 2, offset=2 if deep else 0)
    try:
        data = writer.load(text)
        if data is None:  # nothing but comments, which would be lost
            raise CannotSplice
        wanted(data)
        out = io.StringIO(newline="")
        writer.dump(data, out)
    except (YAMLError, AttributeError, TypeError, KeyError) as error:
        raise CannotSplice from error
    return out.getvalue()

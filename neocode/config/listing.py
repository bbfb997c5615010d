"""A configuration as it is shown: every key with value and origin, secrets covered."""

import re
from dataclasses import dataclass
from typing import Any

from neocode.config.build import to_plain
from neocode.config.load import Loaded
from neocode.config.schema import Config
from neocode.config.spec import Many, Section, root_spec
from neocode.config.tree import BUILT_IN, Origin

COVERED = "(set)"
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class Row:
    """One key: dotted path, value fit to be shown, where it comes from."""

    key: str
    value: Any
    origin: Origin


def covered(config: Config) -> dict[str, Any]:
    """The configuration as plain values; each key that is set reads "(set)"."""
    plain: dict[str, Any] = to_plain(config)
    _cover(root_spec(), plain)
    return plain


def _cover(section: Section, values: dict[str, Any]) -> None:
    for name, key in section.keys.items():
        value = values.get(name)
        if value is None:
            continue
        if key.secret:
            values[name] = COVERED
        elif isinstance(key.spec, Section):
            _cover(key.spec, value)
        elif isinstance(key.spec, Many) and isinstance(key.spec.item, Section):
            for item in value:
                _cover(key.spec.item, item)
        elif isinstance(value, str):
            values[name] = _USER_INFO.sub(COVERED, value)


def rows(loaded: Loaded) -> list[Row]:
    """Every value in the schema's order; items of text lists and empty lists are rows too."""
    found: list[Row] = []
    _section_rows(root_spec(), covered(loaded.config), "", loaded, found)
    return found


def _section_rows(
    section: Section, values: dict[str, Any] | None, prefix: str, loaded: Loaded, found: list[Row]
) -> None:
    for name, key in section.keys.items():
        path, value = prefix + name, (values or {}).get(name)
        if isinstance(key.spec, Section):
            _section_rows(key.spec, value, path + ".", loaded, found)
        elif isinstance(key.spec, Many) and value:
            for index, item in enumerate(value):
                if isinstance(key.spec.item, Section):
                    inner = f"{path}.{item['name']}."
                    _section_rows(key.spec.item, item, inner, loaded, found)
                else:
                    found.append(_row(f"{path}[{index}]", item, loaded))
        else:
            found.append(_row(path, value, loaded))


def _row(path: str, value: Any, loaded: Loaded) -> Row:
    return Row(path, value, loaded.origins.get(path, BUILT_IN))

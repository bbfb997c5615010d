"""Faults of a configuration: collected, worded, raised together."""

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from neocode.config.tree import Origin
from neocode.domain.errors import ConfigError

_LISTED = 50
_HINT = "Mend the places named; `neocode config check` tests the result."


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault. key: full dotted path, or "" for the file as a whole.

    message: what is wrong and what is allowed. suggestion: the nearest key or name, or "".
    """

    origin: Origin
    key: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        key = f"{shown(self.key, 200)}: " if self.key else ""
        near = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.origin.place}: {key}{self.message}{near}"


class InvalidConfig(ConfigError):
    """A configuration with faults. problems: all of them, in order of layers and lines."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        head = (
            "The configuration has a fault:"
            if count == 1
            else f"{count} faults in the configuration:"
        )
        lines = [str(problem) for problem in self.problems[:_LISTED]]
        if count > _LISTED:
            lines.append(f"... and {count - _LISTED} more")
        super().__init__("\n".join([head, *lines]), hint=_HINT)


@dataclass(slots=True)
class Faults:
    """Collects problems; the nearest name is looked for only as long as they are listed."""

    found: list[Problem] = field(default_factory=list)

    def add(
        self, origin: Origin, key: str, message: str, *, wrong: str = "", known: Iterable[str] = ()
    ) -> None:
        """Note one; wrong and known: the name given and those there are, for a suggestion."""
        near = nearest(wrong, known) if wrong and len(self.found) < _LISTED else ""
        self.found.append(Problem(origin=origin, key=key, message=message, suggestion=near))

    def raise_any(self) -> None:
        """Raises InvalidConfig when there are problems: layer by layer, by line in each."""
        if self.found:
            layers = list(dict.fromkeys((p.origin.kind, p.origin.where) for p in self.found))
            order = {layer: index for index, layer in enumerate(layers)}

            def place(problem: Problem) -> tuple[int, int, int]:
                origin = problem.origin
                return order[origin.kind, origin.where], origin.line, origin.column

            raise InvalidConfig(sorted(self.found, key=place))


def nearest(wrong: str, known: Iterable[str]) -> str:
    """The known name most like the wrong one, or ""; case does not matter."""
    names = {name.lower(): name for name in known}
    close = difflib.get_close_matches(wrong[:100].lower(), names, n=1, cutoff=0.6)
    return names[close[0]] if close else ""


def shown(text: str, most: int = 60) -> str:
    """The text on one line, control characters escaped, shortened to most characters."""
    line = json.dumps(text, ensure_ascii=not text.isprintable())[1:-1].replace('\\"', '"')
    return line if len(line) <= most else line[: most - 3] + "..."

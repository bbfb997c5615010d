"""Path globs of permission rules: ** for any folders, * and ? within a name."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

Base = Literal["root", "home", "absolute"]


@dataclass(frozen=True, slots=True)
class PathGlob:
    """A path pattern. base: where it is anchored; body: its regular expression below that."""

    base: Base
    body: str

    def matches(self, path: PurePath, *, root: str, home: str, fold_case: bool) -> bool:
        """True when the absolute path matches; one outside the base never does."""
        below = _below(str(path), {"root": root, "home": home, "absolute": "/"}[self.base])
        if below is None:
            return False
        flags = re.DOTALL | (re.IGNORECASE if fold_case else 0)
        return re.fullmatch(self.body, below, flags) is not None


def _below(path: str, base: str) -> str | None:
    """The path relative to base, with "/" between names, "" for base itself; None: outside."""
    if path == base:
        return ""
    prefix = base if base.endswith("/") else base + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def parse_path_glob(pattern: str) -> PathGlob:
    """Read a pattern: relative to the project, absolute, or below ~. Raises ValueError."""
    base: Base = "root"
    if pattern.startswith("/"):
        base, pattern = "absolute", pattern.lstrip("/")
    elif pattern == "~" or pattern.startswith("~/"):
        base, pattern = "home", pattern[1:].lstrip("/")
    while pattern.startswith("./"):
        pattern = pattern[2:]
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ValueError('".." cannot be used in a path, write it absolute or with ~')
    if pattern.endswith("/") or names == ["*"]:
        names = [*(name for name in names if name != "*"), "**"]
    return PathGlob(base, _body(names))


def _body(names: list[str]) -> str:
    """The regular expression; "a/**" matches a itself too, "**/b" matches b at the top."""
    body = ""
    for index, name in enumerate(names):
        last = index == len(names) - 1
        if name == "**" and last:
            body = body.removesuffix("/") + ("(?:/.*)?" if body else ".*")
        elif name == "**":
            body += "(?:.*/)?"
        else:
            body += _name(name) + ("" if last else "/")
    return body


def _name(name: str) -> str:
    """One name's expression; [...] as in the shell, an unclosed [ is itself."""
    out = ""
    index = 0
    while index < len(name):
        char = name[index]
        close = name.find("]", index + 2) if char == "[" else -1
        if char == "*":
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif close > 0:
            inner = name[index + 1 : close].replace("\\", r"\\").replace("[", r"\[")
            negated = inner[:1] in ("!", "^")
            out += "(?!/)[" + ("^" + inner[1:] if negated else inner) + "]"
            index = close
        else:
            out += re.escape(char)
        index += 1
    try:
        re.compile(out)
    except re.error:
        raise ValueError(f"the set in {name!r} cannot be read") from None
    return out

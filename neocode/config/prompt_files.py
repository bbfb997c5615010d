"""Commands from Markdown files: <folder>/NAME.md, sub-folders as a:b, front matter optional."""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import get_args

from neocode.config.schema import Mode
from neocode.domain.prompt_command import Origin, PromptCommand

MOST_FILES = 200
MOST_BYTES = 64 * 1024
MOST_DEPTH = 4
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_DESCRIPTION_CHARS = 80


class _Refused(Exception):
    """A file that cannot be a command; the text says why."""


def files_in(folder: Path) -> list[Path]:
    """The Markdown files below a folder, sorted; at most MOST_FILES, MOST_DEPTH folders deep."""
    return sorted(_walk(folder, MOST_DEPTH))[:MOST_FILES]


def read_commands(
    folder: Path, origin: Origin, taken: Collection[str], within: Path | None = None
) -> tuple[list[PromptCommand], list[str]]:
    """The commands of a folder, and a line of words for each file that is none.

    taken: names that are in use already. within: links that lead out of it are refused.
    """
    commands: list[PromptCommand] = []
    notes: list[str] = []
    names = set(taken)
    for path in files_in(folder):
        try:
            command = _command(path, folder, origin, within)
            if command.name in names:
                raise _Refused(f"/{command.name} is taken; give the file another name")
        except _Refused as why:
            notes.append(f"{path}: {why}.")
            continue
        names.add(command.name)
        commands.append(command)
    return commands, notes


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _walk(Path(entry.path), depth - 1)
        elif entry.name.endswith(".md") and entry.is_file():
            yield Path(entry.path)


def _command(path: Path, folder: Path, origin: Origin, within: Path | None) -> PromptCommand:
    words = [part.lower() for part in path.relative_to(folder).with_suffix("").parts]
    if not all(_WORD.fullmatch(word) for word in words):
        raise _Refused("a command's name has only letters, digits, - and _")
    if within is not None and not Path(os.path.realpath(path)).is_relative_to(within):
        raise _Refused("it is a link that leads out of the project")
    text = _text(path)
    front = _FRONT.match(text)
    facts = _facts(front[1]) if front else {}
    body = text[front.end() :] if front else text
    if not body.strip():
        raise _Refused("it is empty")
    mode = facts.get("mode", "")
    if mode and mode not in get_args(Mode):
        raise _Refused(f"there is no mode {mode!r}; modes: {', '.join(get_args(Mode))}")
    return PromptCommand(
        name=":".join(words),
        description=_one_line(facts.get("description") or _first_line(body)),
        body=body.strip("\n"),
        origin=origin,
        path=path,
        hint=_one_line(facts.get("argument-hint", "")),
        model=facts.get("model", ""),
        mode=mode,
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _Refused(f"it cannot be read ({error.strerror})") from error
    if len(data) > MOST_BYTES:
        raise _Refused(f"it is larger than {MOST_BYTES:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Refused("it is not UTF-8") from error


def _facts(front: str) -> dict[str, str]:
    """The front matter's keys; unknown ones (other programs' files) are not looked at."""
    import yaml

    try:
        found = yaml.safe_load(front)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _Refused("what stands between the --- lines is not YAML") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _Refused("what stands between the --- lines must be `key: value` lines")
    facts: dict[str, str] = {}
    for key in ("description", "argument-hint", "model", "mode"):
        value = found.get(key)
        if isinstance(value, list):  # argument-hint: [file] reads as a YAML list
            facts[key] = " ".join(f"[{item}]" for item in value)
        elif value is not None and not isinstance(value, dict):
            facts[key] = str(value)
    return facts


def _first_line(body: str) -> str:
    return next((line.lstrip("# ") for line in body.splitlines() if line.strip("# \t")), "")


def _one_line(text: str) -> str:
    words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return words if len(words) <= _DESCRIPTION_CHARS else words[: _DESCRIPTION_CHARS - 1] + "…"

"""Plain output of commands: aligned columns, JSON, text that cannot steer a terminal."""

import argparse
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from neocode.config.paths import Paths, resolve_paths
from neocode.config.secret_values import secret_values as known_values
from neocode.domain.errors import ConfigError

OUTPUTS = ("text", "json", "jsonl")


def add_output(parser: argparse.ArgumentParser) -> None:
    """The --output option."""
    parser.add_argument("--output", choices=OUTPUTS, default="text", help="how to print")


def print_objects(output: str, objects: Iterable[Any]) -> None:
    """json: one array; jsonl: one object a line, as they come."""
    if output == "json":
        print(json.dumps(list(objects), ensure_ascii=False, indent=2))
        return
    for each in objects:
        print(json.dumps(each, ensure_ascii=False))


def print_object(output: str, value: Any) -> None:
    """One object, indented for json, on one line for jsonl."""
    print(json.dumps(value, ensure_ascii=False, indent=2 if output == "json" else None))


def print_table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> None:
    """Columns aligned by what a terminal shows. rows: the first holds the names.

    right: numbers of the columns that are aligned to the right. The last column is cut to
    the terminal's width, where there is a terminal.
    """
    shown = [[printable(" ".join(cell.split())) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*shown, strict=True)]
    room = os.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in shown:
        cells = [
            _padded(cell, widths[at], to_right=at in right) for at, cell in enumerate(row[:-1])
        ]
        line = "  ".join([*cells, row[-1]])
        print(cut(line, room) if room else line.rstrip())


def width(text: str) -> int:
    """Columns that the text takes on a terminal: wide characters two, marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def cut(text: str, columns: int) -> str:
    """The text, with an ellipsis at its end if it is wider than so many columns."""
    if width(text) <= columns:
        return text.rstrip()
    kept, used = "", 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept += char
    return kept + "…"


def printable(text: str) -> str:
    """The text without control characters, escape sequences' ESC among them; lines stay."""
    if text.isprintable():
        return text
    return "".join(
        char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs")
    )


def size_words(count: int) -> str:
    """Bytes in words: 812 B, 3.4 kB, 1.2 MB."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def places() -> Paths:
    """The folders of this user."""
    return resolve_paths(os.environ)


def secret_values(paths: Paths) -> tuple[str, ...]:
    """Values of keys that we can know of: the environment's and the configuration's.

    A configuration that cannot be read is no reason to refuse: shapes are masked anyway.
    """
    return known_values(os.environ, _configured_keys(paths))


def _configured_keys(paths: Paths) -> list[str]:
    from neocode.config.load import load_config

    try:
        config = load_config(paths, None, os.environ, {}, trusted=False).config
    except (ConfigError, OSError):
        return []
    keys = [model.api_key for model in config.models]
    keys += [os.environ.get(model.api_key_env or "") for model in config.models]
    return [key for key in keys if key and key != "none"]


def _padded(text: str, columns: int, *, to_right: bool) -> str:
    blank = " " * (columns - width(text))
    return blank + text if to_right else text + blank


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def here() -> str:
    """The current folder as sessions store it: its real path."""
    return str(Path.cwd().resolve())


def add_command(
    inner: Any, name: str, handler: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    """A sub-command that prints data, with --output; handler does its work."""
    parser: argparse.ArgumentParser = inner.add_parser(
        name, help=text, description=text, allow_abbrev=False
    )
    parser.set_defaults(handler=handler)
    add_output(parser)
    return parser


def usage(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """The handler of a command that needs a sub-command: its help, exit status 2."""

    def handle(_args: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return 2

    return handle

"""`neocode config`: path, show, check, init, schema, set, edit."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from neocode.config.paths import Paths, resolve_paths
from neocode.domain.errors import ConfigError, NeoCodeError

_HELP = {
    "path": "where the configuration is",
    "show": "the values in force",
    "check": "test all layers, this project's file included",
    "init": "write a commented file to start from",
    "schema": "the JSON Schema, for editors",
    "set": "change one key; comments and order stay",
    "edit": "open the file in $VISUAL or $EDITOR, then test it",
}


def add_parser(commands: Any) -> None:
    """Register `config` and its sub-commands."""
    parser = commands.add_parser("config", help="the configuration")
    parser.set_defaults(handler=_usage(parser))
    handlers = (_path, _show, _check, _init, _schema, _set, _edit)
    inner = parser.add_subparsers(dest="config_command", metavar="COMMAND")
    for (name, text), handler in zip(_HELP.items(), handlers, strict=True):
        each = inner.add_parser(name, help=text, description=text)
        each.add_argument("--output", choices=("text", "json", "jsonl"), default="text")
        each.set_defaults(handler=handler)
        if name == "show":
            each.add_argument("--origin", action="store_true", help="say where each comes from")
        if name == "set":
            each.add_argument("key", metavar="KEY", help="such as context.auto_compact.enabled")
            each.add_argument("value", metavar="VALUE", help="as in YAML; null removes the key")


def _usage(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def handle(_args: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return 2

    return handle


def _paths() -> Paths:
    return resolve_paths(os.environ)


def _json(args: argparse.Namespace, value: object) -> None:
    """One object: indented for json, on one line for jsonl."""
    indent = 2 if args.output == "json" else None
    print(json.dumps(value, ensure_ascii=False, indent=indent))


def _lines(args: argparse.Namespace, records: Iterable[dict[str, Any]]) -> None:
    """A list: one array for json, one record a line for jsonl."""
    if args.output == "json":
        _json(args, list(records))
        return
    for record in records:
        print(json.dumps(record, ensure_ascii=False))


def _path(args: argparse.Namespace) -> int:
    paths = _paths()
    if args.output == "text":
        print(paths.config_file)
    else:
        _json(args, {name: str(value) for name, value in asdict(paths).items()})
    return 0


def _show(args: argparse.Namespace) -> int:
    from neocode.config.listing import covered, rows
    from neocode.config.load import load_config
    from neocode.config.trust import is_trusted

    paths, root = _paths(), Path.cwd()
    loaded = load_config(paths, root, os.environ, {}, is_trusted(paths, root))
    if loaded.untrusted:
        print(f"neocode: {loaded.untrusted} is not trusted and was not read.", file=sys.stderr)
    if args.output == "json" and not args.origin:
        _json(args, covered(loaded.config))
    elif args.output != "text":
        _lines(
            args, ({"key": r.key, "value": r.value, "origin": str(r.origin)} for r in rows(loaded))
        )
    elif args.origin:
        _print_rows([(row.key, row.value, str(row.origin)) for row in rows(loaded)])
    else:
        import yaml

        plain = covered(loaded.config)
        print(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=10**6), end="")
    return 0


def _print_rows(found: list[tuple[str, Any, str]]) -> None:
    from neocode.config.problems import shown
    from neocode.config.splice import inline

    texts = [f"{shown(key, 200)}: {inline(value)}" for key, value, _ in found]
    width = min(60, max(map(len, texts)))
    for text, (_, _, origin) in zip(texts, found, strict=True):
        print(f"{text:<{width}}  # {origin}")


def _check(args: argparse.Namespace) -> int:
    from neocode.config.load import load_config
    from neocode.config.problems import InvalidConfig
    from neocode.permissions.configured import check_rules

    try:
        # reading is harmless, so the project's file is tested before it is trusted
        loaded = load_config(_paths(), Path.cwd(), os.environ, {}, trusted=True)
        check_rules(loaded.config.permissions, loaded.origins)
    except InvalidConfig as error:
        if args.output == "text":
            raise
        _report(args, False, error.problems, [])
        return 2
    files = [str(stamp.path) for stamp in loaded.files if stamp.size is not None]
    notes = _unset_keys(loaded.config.models)
    if args.output != "text":
        _report(args, True, (), notes)
        return 0
    print(f"The configuration is valid: {', '.join(files) or 'no file, built-in values only'}")
    for note in notes:
        print(f"note: {note}")
    return 0


def _unset_keys(models: Iterable[Any]) -> list[str]:
    """Keys that would be missing if the model were used now: worth a note, no fault."""
    from neocode.config.expand import resolve_base, resolve_key

    notes = []
    for model in models:
        try:
            resolve_base(model, os.environ)
            resolve_key(model, os.environ)
        except ConfigError as error:
            notes.append(error.message)
    return notes


def _report(args: argparse.Namespace, ok: bool, problems: Iterable[Any], notes: list[str]) -> None:
    records = [
        {
            "file": problem.origin.where or problem.origin.kind,
            "line": problem.origin.line,
            "column": problem.origin.column,
            "key": problem.key,
            "message": problem.message,
            "suggestion": problem.suggestion,
        }
        for problem in problems
    ]
    _json(args, {"ok": ok, "problems": records, "notes": notes})


def _init(args: argparse.Namespace) -> int:
    path = _write_starter(_paths().config_file)
    if args.output == "text":
        print(f"Written: {path}\nNext: neocode config edit, or neocode config set KEY VALUE")
    else:
        _json(args, {"path": str(path)})
    return 0


def _write_starter(path: Path) -> Path:
    from neocode.config.atomic import write_atomically
    from neocode.config.example import STARTER

    if os.path.lexists(path):
        raise NeoCodeError(
            f"{path} is there already and was left as it is.", hint="Change it: neocode config edit"
        )
    try:
        write_atomically(path, STARTER.encode())
    except OSError as error:
        raise NeoCodeError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Check the folder's owner and mode, or choose another with NEOCODE_HOME=DIR.",
        ) from error
    return path


def _schema(args: argparse.Namespace) -> int:
    from neocode.config.jsonschema_out import json_schema

    print(json.dumps(json_schema(), indent=None if args.output == "jsonl" else 2))
    return 0


def _set(args: argparse.Namespace) -> int:
    from neocode.config.address import from_text
    from neocode.config.edit import COMMAND, find_key, set_value
    from neocode.config.problems import Faults
    from neocode.config.tree import plain

    path, address, faults = _paths().config_file, find_key(args.key), Faults()
    node = from_text(address.spec, args.value, COMMAND, faults)
    faults.raise_any()
    value = plain(node) if node else None
    set_value(path, args.key, value)
    # a whole entry of models may hold a key: only single values and text lists are shown
    open_value = address.kind in ("scalar", "texts") and not address.secret
    shown = value if open_value or value is None else "(set)"
    if args.output == "text":
        said = "removed" if value is None else json.dumps(shown, ensure_ascii=False)
        print(f"{args.key}: {said} in {path}")
    else:
        _json(args, {"key": args.key, "value": shown, "path": str(path)})
    return 0


def _edit(args: argparse.Namespace) -> int:
    path, editor = _paths().config_file, _editor()
    if not os.path.lexists(path):
        _write_starter(path)
    try:
        status = subprocess.run([*editor, str(path)], check=False).returncode
    except OSError as error:
        raise NeoCodeError(
            f"The editor {editor[0]} cannot be started: {error.strerror}.",
            hint="Set VISUAL or EDITOR to one that can.",
        ) from error
    if status:
        raise NeoCodeError(f"The editor {editor[0]} ended with status {status}.")
    return _check(args)


def _editor() -> list[str]:
    """The user's editor as words; a common one only where there is a terminal to use it."""
    for variable in ("VISUAL", "EDITOR"):
        text = os.environ.get(variable, "").strip()
        if text:
            try:
                return shlex.split(text)
            except ValueError as error:
                raise ConfigError(f"{variable} cannot be read: {error}.") from error
    found = next(filter(None, map(shutil.which, ("nano", "vim", "vi"))), None)
    if found is None or not sys.stdin.isatty():
        raise ConfigError("No editor is set.", hint="Set EDITOR, or change the file directly.")
    return [found]

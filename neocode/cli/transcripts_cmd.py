"""`neocode transcripts`: list, show, search, restore, path, prune (spec/interface)."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neocode.cli.printing import (
    add_command,
    here,
    places,
    print_object,
    print_objects,
    print_table,
    printable,
    secret_values,
    size_words,
    usage,
)
from neocode.cli.sessions_cmd import open_store, print_messages
from neocode.config.paths import project_key
from neocode.domain.errors import StoreError
from neocode.domain.messages import Message

_SNIPPET_CHARS = 160


def add_parser(subparsers: Any) -> None:
    """Register `transcripts` and its sub-commands."""
    parser = subparsers.add_parser(
        "transcripts", help="list, show, search, restore what was compacted", allow_abbrev=False
    )
    parser.set_defaults(handler=usage(parser))
    inner = parser.add_subparsers(dest="transcripts_command", metavar="COMMAND")
    add_command(inner, "list", _list, "transcripts of all projects, newest first")
    show = add_command(inner, "show", _show, "the messages of one")
    show.add_argument("id", metavar="ID|FILE", help="an id, a session's id, or a file")
    search = add_command(inner, "search", _search, "find a text in all of them")
    search.add_argument("text", metavar="TEXT")
    restore = add_command(inner, "restore", _restore, "make a session of one, or of any JSONL")
    restore.add_argument("id", metavar="ID|FILE")
    path = add_command(inner, "path", _path, "where they lie")
    path.add_argument("id", metavar="ID", nargs="?", help="of this one; else the folder")
    prune = add_command(inner, "prune", _prune, "delete old ones")
    which = prune.add_mutually_exclusive_group(required=True)
    which.add_argument("--older", type=_at_least_zero(float), metavar="DAYS")
    which.add_argument("--keep", type=_at_least_zero(int), metavar="N", help="the newest N stay")


def _at_least_zero(kind: type) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        value = kind(text)
        if not value >= 0:
            raise argparse.ArgumentTypeError("must not be below zero")
        return value

    parse.__name__ = kind.__name__
    return parse


def _list(args: argparse.Namespace) -> int:
    from neocode.store.transcripts import list_transcripts

    infos = list_transcripts(places().projects)
    if args.output != "text":
        print_objects(args.output, map(_plain, infos))
    elif not infos:
        print("No transcripts yet; a compaction writes one.")
    else:
        rows = [("ID", "SIZE", "PROJECT")]
        rows += [(info.id, size_words(info.size), info.project) for info in infos]
        print_table(rows, right=frozenset((1,)))
        print(f"{len(infos)} in all, {size_words(sum(info.size for info in infos))}")
    return 0


def _show(args: argparse.Namespace) -> int:
    from neocode.store.transcript import read_transcript

    contents = read_transcript(_file(args.id))
    _say(contents.notice)
    print_messages(args.output, contents.messages, secret_values(places()))
    return 0


def _search(args: argparse.Namespace) -> int:
    from neocode.store.masking import mask
    from neocode.store.transcripts import list_transcripts, search_transcripts

    paths = places()
    secrets = secret_values(paths)
    finds = (
        {
            "transcript_id": info.id,
            "session_id": info.session_id,
            "index": index,
            "message_id": message.id,
            "role": message.role,
            "snippet": mask(_snippet(message, args.text), secrets),
        }
        for info, index, message in search_transcripts(list_transcripts(paths.projects), args.text)
    )
    if args.output != "text":
        print_objects(args.output, finds)
        return 0
    count = 0
    for find in finds:
        count += 1
        print(f"{find['transcript_id']} {find['index']} ({find['role']})")
        print(f"    {printable(str(find['snippet']))}")
    if not count:
        print(f"Nothing found for {args.text!r}.")
    return 0


def _restore(args: argparse.Namespace) -> int:
    from neocode.store.transcript import read_transcript

    path = _file(args.id)
    contents = read_transcript(path)
    if not contents.messages:
        raise StoreError(
            f"{path} holds no message that can be read",
            hint="A transcript has one JSON object a line, with role and content.",
        )
    store = open_store(places())
    session_id = store.restore(contents.messages, here())
    store.close()
    _say(contents.notice)
    count = len(contents.messages)
    if args.output == "text":
        print(f"Restored {count} messages as session {session_id}.")
        print(f"Go on with `neocode --resume {session_id}`.")
    else:
        print_object(args.output, {"session_id": session_id, "messages": count})
    return 0


def _path(args: argparse.Namespace) -> int:
    from neocode.store.transcripts import find_transcript

    paths = places()
    if args.id:
        path = find_transcript(paths.projects, args.id).path
    else:
        path = paths.projects / project_key(Path.cwd()) / "transcripts"
    if args.output == "text":
        print(path)
    else:
        print_object(args.output, {"path": str(path)})
    return 0


def _prune(args: argparse.Namespace) -> int:
    from neocode.store.transcripts import prune_transcripts

    removed = prune_transcripts(places().projects, older_days=args.older, keep=args.keep)
    if args.output != "text":
        print_objects(args.output, map(_plain, removed))
    else:
        size = size_words(sum(info.size for info in removed))
        print(f"Deleted {len(removed)} transcripts, {size}. Sessions are not affected.")
    return 0


def _file(given: str) -> Path:
    """The file that was meant: a path that exists, else a transcript by id."""
    from neocode.store.transcripts import find_transcript

    path = Path(given)
    if path.is_file():
        return path
    if path.suffix or len(path.parts) > 1:
        raise StoreError(
            f"There is no file {given}",
            hint="Give a file, or an id as `neocode transcripts list` shows it.",
        )
    return find_transcript(places().projects, given).path


def _plain(info: Any) -> dict[str, object]:
    names = ("id", "session_id", "created_at", "size", "project")
    return {**{name: getattr(info, name) for name in names}, "path": str(info.path)}


def _snippet(message: Message, wanted: str) -> str:
    """Where the text stands: in what was said, else in the arguments of a call."""
    parts = (message.content, *(call.arguments for call in message.tool_calls))
    places = ((text, text.lower().find(wanted.lower())) for text in parts)
    text, found = next((place for place in places if place[1] >= 0), (message.content, 0))
    at = max(0, found - _SNIPPET_CHARS // 4)
    piece = " ".join(text[at : at + _SNIPPET_CHARS].split())
    return f"{'…' if at else ''}{piece}{'…' if at + _SNIPPET_CHARS < len(text) else ''}"


def _say(notice: str) -> None:
    if notice:
        print(f"neocode: {notice}.", file=sys.stderr)

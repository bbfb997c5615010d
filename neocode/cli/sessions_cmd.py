"""`neocode sessions`: list, show, export, rename, delete, search (spec/interface)."""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import asdict
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
    usage,
)
from neocode.config.paths import Paths
from neocode.domain.errors import StoreError
from neocode.domain.messages import Message

_FORMATS = ("jsonl", "md", "html")
_VIEWS = ("compacted", "full")


def add_parser(subparsers: Any) -> None:
    """Register `sessions` and its sub-commands."""
    parser = subparsers.add_parser(
        "sessions", help="list, show, export, rename, delete, search sessions", allow_abbrev=False
    )
    parser.set_defaults(handler=usage(parser))
    inner = parser.add_subparsers(dest="sessions_command", metavar="COMMAND")
    listing = add_command(inner, "list", _list, "sessions, newest first")
    listing.add_argument("--limit", type=int, default=-1, metavar="N", help="the newest N only")
    listing.add_argument("--here", action="store_true", help="of the current folder only")
    show = add_command(inner, "show", _show, "the messages of one")
    show.add_argument("id", metavar="ID", help="an id, or its beginning")
    show.add_argument("--view", choices=_VIEWS, default="compacted", help="what the model sees")
    export = add_command(inner, "export", _export, "one as a file, on standard output")
    export.add_argument("id", metavar="ID")
    export.add_argument("--format", choices=_FORMATS, default="jsonl")
    export.add_argument("--file", metavar="PATH", help="write there (mode 0600) instead")
    rename = add_command(inner, "rename", _rename, "give one a title")
    rename.add_argument("id", metavar="ID")
    rename.add_argument("title", metavar="TITLE", help='"" goes back to its first words')
    delete = add_command(inner, "delete", _delete, "remove one for good; its transcripts stay")
    delete.add_argument("id", metavar="ID")
    search = add_command(inner, "search", _search, "find messages in all sessions")
    search.add_argument("text", metavar="TEXT")
    search.add_argument("--session", metavar="ID", help="in this one only")
    search.add_argument("--limit", type=int, default=20, metavar="N", help="at most so many finds")


def open_store(paths: Paths) -> Any:
    """The store, after saying what there is to say about it. Raises StoreError."""
    from neocode.store.sessions import SessionStore

    store = SessionStore.open(paths.db)
    if store.notice:
        print(f"neocode: {store.notice}", file=sys.stderr)
    return store


def _list(args: argparse.Namespace) -> int:
    paths = places()
    infos = []
    if paths.db.exists():
        store = open_store(paths)
        infos = store.list(limit=args.limit, cwd=here() if args.here else None)
        store.close()
    if args.output != "text":
        print_objects(args.output, map(asdict, infos))
    elif not infos:
        print("No sessions yet; `neocode` or `neocode run PROMPT` begins one.")
    else:
        rows = [("ID", "UPDATED", "MESSAGES", "TOKENS", "MODEL", "TITLE")]
        rows += [
            (i.id, _minute(i.updated_at), str(i.messages), str(i.tokens), i.model or "-", i.title)
            for i in infos
        ]
        print_table(rows, right=frozenset((2, 3)))
    return 0


def _show(args: argparse.Namespace) -> int:
    paths, store = _opened(args.id)
    session = store.head(args.id)
    messages = store.messages(session.id, args.view)
    keyless = store.keyless(session.id)
    store.close()
    print_messages(args.output, messages, secret_values(paths), keyless)
    return 0


def print_messages(
    output: str,
    messages: Iterable[Message],
    secrets: tuple[str, ...],
    keyless: frozenset[str] = frozenset(),
) -> None:
    """Messages as transcript lines (json, jsonl) or as text to read; masked."""
    from neocode.store.lines import line_of

    lines = (line_of(m, index, secrets, keyless) for index, m in enumerate(messages))
    if output != "text":
        print_objects(output, lines)
        return
    for line in lines:
        print(printable(_as_text(line)), end="\n\n")


def _as_text(line: dict[str, Any]) -> str:
    metadata = line.get("metadata", {})
    name = "summary" if metadata.get("is_compaction_summary") else line["role"]
    marks = [f"of {line['tool_name']}"] if "tool_name" in line else []
    marks += ["error"] if line.get("is_error") else []
    marks += ["archived"] if "compacted_at" in metadata else []
    head = f"[{' '.join((name, *marks))}] {line['id']} {_minute(line['created_at'])}"
    calls = (
        f"-> {call['function']['name']} {call['function']['arguments']}"
        for call in line.get("tool_calls", ())
    )
    body = (line["content"].rstrip(), *calls)
    return "\n".join((head, *filter(None, body)))


def _export(args: argparse.Namespace) -> int:
    from neocode.runtime.past.exporting import pieces

    paths, store = _opened(args.id)
    session = store.head(args.id)
    written = pieces(store, session.id, args.format, secret_values(paths))
    if args.file is None:
        for piece in written:
            sys.stdout.write(piece)
    else:
        _write(Path(args.file), written)
        _done(args, f"Session {session.id} was exported to {args.file}.", file=args.file)
    store.close()
    return 0


def _write(path: Path, pieces: Iterable[str]) -> None:
    from neocode.config.atomic import replacing
    from neocode.store.failures import explained

    with explained(path), replacing(path.absolute()) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "replace"))


def _rename(args: argparse.Namespace) -> int:
    _, store = _opened(args.id)
    session_id = store.resolve(args.id)
    store.rename(session_id, args.title)
    store.close()
    _done(args, f"Session {session_id} is now called {args.title!r}.", id=session_id)
    return 0


def _delete(args: argparse.Namespace) -> int:
    from neocode.store.checkpoints.blobs import Blobs
    from neocode.store.lock import SessionLock

    paths, store = _opened(args.id)
    session_id = store.resolve(args.id)
    lock = SessionLock.acquire(paths.data / "locks", session_id)
    if lock is None:
        raise StoreError(
            f"Session {session_id} is open in another neocode",
            hint="Leave it there first, then delete it.",
        )
    try:
        names, cwd = store.checkpoint_names(session_id), store.head(session_id).cwd
        store.delete(session_id)
        store.prune_checkpoints(Blobs(paths.checkpoints(Path(cwd))), names)
    finally:
        lock.release()
    store.close()
    _done(args, f"Session {session_id} was deleted; its transcripts stay.", id=session_id)
    return 0


def _search(args: argparse.Namespace) -> int:
    from neocode.store.masking import mask

    paths = places()
    hits = []
    if paths.db.exists():
        store = open_store(paths)
        within = store.resolve(args.session) if args.session else None
        hits = store.search(args.text, session_id=within, limit=args.limit)
        store.close()
    secrets = secret_values(paths)
    found = [{**asdict(hit), "snippet": mask(hit.snippet, secrets)} for hit in hits]
    if args.output != "text":
        print_objects(args.output, found)
    elif not found:
        print(f"Nothing found for {args.text!r}.")
    for hit in found if args.output == "text" else ():
        archived = ", archived" if hit["archived"] else ""
        print(f"{hit['session_id']} {hit['message_id']} ({hit['role']}{archived})")
        print(f"    {printable(hit['snippet'])}")
    return 0


def _opened(session_id: str) -> tuple[Paths, Any]:
    """Paths and store. Raises StoreError when there is no database to look in."""
    paths = places()
    if not paths.db.exists():
        raise StoreError(
            f"There is no session {session_id}: none was ever begun here",
            hint=f"The database would be {paths.db}.",
        )
    return paths, open_store(paths)


def _done(args: argparse.Namespace, words: str, **facts: str) -> None:
    if args.output == "text":
        print(words, file=sys.stderr if args.sessions_command == "export" else sys.stdout)
    else:
        print_object(args.output, facts)


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")

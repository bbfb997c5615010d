"""A session as a file of the user's own: jsonl, md or html, masked."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from neocode.config.atomic import replacing
from neocode.domain.errors import NeoCodeError
from neocode.runtime.store_port import Store
from neocode.store.export import FORMATS, to_html, to_jsonl, to_markdown
from neocode.store.failures import explained


def export(store: Store, session_id: str, style: str, path: Path, secrets: Sequence[str]) -> Path:
    """Write a session to a file that is not there yet (mode 0600); where it is.

    style: one of store.export.FORMATS. A path that ends with a separator, or is a folder,
    gets a file named after the session. Raises NeoCodeError when it is there already.
    """
    if style not in FORMATS:
        raise NeoCodeError(f"There is no format {style!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
    if path.is_dir():
        path = _free(path / f"neocode-{session_id}.{style}")
    if path.exists() or path.is_symlink():
        raise NeoCodeError(f"{path} is there already.", hint="Give another path, or remove it.")
    with explained(path), replacing(path) as file:
        for piece in pieces(store, session_id, style, secrets):
            file.write(piece.encode("utf-8", "replace"))
    return path


def pieces(store: Store, session_id: str, style: str, secrets: Sequence[str]) -> Iterator[str]:
    """The text of an export, piece by piece."""
    session = store.head(session_id)
    full = store.stream(session_id)
    match style:
        case "jsonl":
            return to_jsonl(full, secrets, store.keyless(session_id))
        case "md":
            return to_markdown(session, full, secrets)
        case _:
            return to_html(session, full, store.messages(session_id), secrets)


def _free(path: Path) -> Path:
    """The path, or the first with a number that is not taken."""
    number = 1
    found = path
    while found.exists() or found.is_symlink():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found

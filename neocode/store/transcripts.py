"""The folders of transcripts: list, find, search, prune (spec/interface "transcripts")."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.store.failures import explained
from neocode.store.transcript import STAMP, read_transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptInfo:
    """A transcript in the list, told from its name alone. size: bytes."""

    id: str
    path: Path
    project: str
    session_id: str
    created_at: str
    size: int


def list_transcripts(projects: Path) -> list[TranscriptInfo]:
    """Every transcript below <data>/projects, newest first; no file is opened."""
    found = []
    for path in projects.glob("*/transcripts/*.jsonl"):
        stamp, _, rest = path.stem.partition("_")
        session_id = rest.rpartition("_")[0]
        found.append(
            TranscriptInfo(
                id=path.stem,
                path=path,
                project=path.parent.parent.name,
                session_id=session_id,
                created_at=_time_of(stamp, path),
                size=path.stat().st_size,
            )
        )
    return sorted(found, key=lambda info: (info.created_at, info.id), reverse=True)


def find_transcript(projects: Path, beginning: str) -> TranscriptInfo:
    """The one transcript whose id, or session's id, is or begins with the text.

    Of a session with several, the newest. Raises StoreError for none, or several sessions.
    """
    infos = list_transcripts(projects)
    by_id = [i for i in infos if i.id == beginning] or [
        i for i in infos if beginning and i.id.startswith(beginning)
    ]
    by_session = [i for i in infos if beginning and i.session_id.startswith(beginning)]
    if len(by_id) == 1:
        return by_id[0]
    if not by_id and len({i.session_id for i in by_session}) == 1:
        return by_session[0]
    if not by_id and not by_session:
        raise StoreError(
            f"There is no transcript {beginning}",
            hint="`neocode transcripts list` shows them all.",
        )
    names = ", ".join(info.id for info in (by_id or by_session)[:5])
    raise StoreError(
        f"{beginning} could mean several transcripts: {names}",
        hint="Give more characters of the id.",
    )


def search_transcripts(
    infos: Iterable[TranscriptInfo], text: str
) -> Iterator[tuple[TranscriptInfo, int, Message]]:
    """Messages that hold the text, whatever its case: (transcript, index, message)."""
    wanted = text.lower()
    for info in infos:
        for index, message in enumerate(read_transcript(info.path).messages):
            parts = (message.content, *(call.arguments for call in message.tool_calls))
            if any(wanted in part.lower() for part in parts):
                yield info, index, message


def prune_transcripts(
    projects: Path,
    *,
    older_days: float | None = None,
    keep: int | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[TranscriptInfo]:
    """Delete transcripts older than so many days, or all but the newest `keep`; returns them."""
    infos = list_transcripts(projects)
    doomed = infos[keep:] if keep is not None else infos
    if older_days is not None:
        limit = (now() - timedelta(days=older_days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        doomed = [info for info in doomed if info.created_at < limit]
    for info in doomed if keep is not None or older_days is not None else []:
        with explained(info.path):
            info.path.unlink(missing_ok=True)
    return doomed if keep is not None or older_days is not None else []


def _time_of(stamp: str, path: Path) -> str:
    try:
        moment = datetime.strptime(stamp, STAMP)
    except ValueError:
        moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

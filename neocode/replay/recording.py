"""Recordings: transcripts, or any JSONL of OpenAI-style messages."""

from dataclasses import dataclass, replace
from pathlib import Path

from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message
from neocode.store.transcript import read_transcript

SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A conversation as it was recorded. notice: what of the file could not be used, or ""."""

    name: str
    path: Path
    messages: tuple[Message, ...]
    notice: str = ""

    @property
    def calls(self) -> int:
        """Model calls: every assistant message is the answer to one."""
        return sum(message.role == "assistant" for message in self.messages)


def load_recordings(path: Path) -> list[Recording]:
    """The recording of a file, or those of all *.jsonl of a folder, by name.

    Archived messages of a transcript count as the others: it is the whole conversation
    that is played. Files of a folder that hold no messages are left out. Raises StoreError
    when a file cannot be read, NeoCodeError when there is nothing to play.
    """
    if not path.is_dir():
        made = _load(path)
        if not made.messages:
            raise NeoCodeError(f"{path} holds no messages.{_said(made.notice)}", hint=_HINT)
        return [made]
    files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIX))
    found = [made for file in files if (made := _load(file)).messages]
    if not found:
        raise NeoCodeError(f"{path} holds no *{SUFFIX} file with messages.", hint=_HINT)
    return found


_HINT = 'One JSON object a line is expected: {"role": "user", "content": "..."}.'


def _said(notice: str) -> str:
    return f" ({notice})" if notice else ""


def _load(path: Path) -> Recording:
    contents = read_transcript(path)
    messages = tuple(m for m in contents.messages if not m.is_compaction_summary)
    return Recording(
        name=path.name.removesuffix(SUFFIX),
        path=path,
        messages=tuple(map(_live, messages)),
        notice=contents.notice,
    )


def _live(message: Message) -> Message:
    """The message as it was before any compaction of the recorded session."""
    if message.compacted_at is None and message.compacted_into is None:
        return message
    return replace(message, compacted_at=None, compacted_into=None)

"""A rewind: the files first, then the conversation, then what to say about it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from neocode.domain.checkpoints import (
    Conflict,
    FileChange,
    FileDiff,
    OnConflict,
    RewindPoint,
    Rewound,
)
from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.runtime.past.diffing import diffs
from neocode.runtime.past.keeping import Checkpoints
from neocode.runtime.past.looking import look
from neocode.runtime.past.plan import Step, plan
from neocode.runtime.past.restoring import restore, wanted_bytes
from neocode.runtime.store_port import Store
from neocode.store.checkpoints.blobs import Blobs
from neocode.tools.files.paths import shown


@dataclass(slots=True)
class Past:
    """The past of the session in front. All methods block: call them in a thread.

    secrets: values to be masked in exports.
    """

    store: Store
    blobs: Blobs
    checkpoints: Checkpoints
    root: Path
    secrets: Callable[[], Sequence[str]]

    def export(self, session_id: str, style: str, path: Path) -> Path:
        """Write a session to a file; see exporting.export."""
        from neocode.runtime.past.exporting import export

        return export(self.store, session_id, style, path, self.secrets())

    def points(self, session_id: str) -> list[RewindPoint]:
        """The prompts that can be gone back to, oldest first, archived ones included."""
        changes = self.store.file_changes(session_id)
        return [
            RewindPoint(
                message_id=prompt.id,
                created_at=prompt.created_at,
                prompt=typed(prompt),
                files=self._names(change for change in changes if change.message_id == prompt.id),
            )
            for prompt in prompts(self.store.messages(session_id, "full"))
        ]

    def diffs(self, session_id: str) -> list[FileDiff]:
        """What became of the files that the session changed."""
        return diffs(self.store.file_changes(session_id), self.blobs, self.root)

    def rewind(
        self,
        session_id: str,
        message_id: str,
        *,
        conversation: bool,
        files: bool,
        on_conflict: OnConflict,
    ) -> tuple[Rewound, SessionState | None]:
        """Go back to before a prompt; the new state when the conversation was taken back.

        The files come first: when one of them fails, the conversation stays. Every change
        that this makes to a file is a checkpoint itself, so that no bytes are lost. Raises
        NeoCodeError when there is no such prompt, or a file cannot be brought back.
        """
        known = prompts(self.store.messages(session_id, "full"))
        prompt = _one_of(known, message_id)
        restored: list[Step] = []
        left: list[Step] = []
        if files:
            steps = self._plan(session_id, message_id)
            left = [step for step in steps if not _may(step, on_conflict)]
            if left and on_conflict == "stop":
                return self._told(prompt, done=False, left=left), None
            restored = [step for step in steps if _may(step, on_conflict)]
            self._restore(restored, known[-1].id)
        state = None
        if conversation:
            kept = [step.path for step in left] if files else None
            state = self.store.rewind_before(session_id, message_id, kept)
        return self._told(prompt, done=True, left=left, restored=restored), state

    def _plan(self, session_id: str, message_id: str) -> list[Step]:
        place = self.store.place(session_id, message_id)
        try:
            return plan(self.store.file_changes(session_id), place, look)
        except OSError as error:
            raise NeoCodeError(
                f"{error.filename} cannot be looked at: {error.strerror}; nothing was changed.",
                hint="Check its permissions, then try again.",
            ) from error

    def _restore(self, steps: Sequence[Step], newest: str) -> None:
        """All checkpoints are there before the first file is touched.

        newest: id of the session's last prompt, to which these changes belong.
        """
        for step in steps:
            wanted_bytes(step, self.blobs)
        done: list[str] = []
        for step in steps:
            try:
                self.checkpoints.record(step.path, step.now, step.target.sha256, newest)
                restore(step, self.blobs)
            except NeoCodeError as error:
                before = f" Restored before it: {', '.join(done)}." if done else ""
                raise NeoCodeError(
                    f"{error.message} The conversation is as it was.{before}", hint=error.hint
                ) from error
            done.append(shown(self.root, step.path))

    def _told(
        self, prompt: Message, *, done: bool, left: Sequence[Step], restored: Sequence[Step] = ()
    ) -> Rewound:
        return Rewound(
            done=done,
            prompt=typed(prompt),
            images=prompt.images,
            restored=tuple(shown(self.root, step.path) for step in restored),
            conflicts=tuple(
                Conflict(
                    path=step.path,
                    name=shown(self.root, step.path),
                    reason=step.trouble or "changed",
                )
                for step in left
            ),
        )

    def _names(self, changes: Iterable[FileChange]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(shown(self.root, change.path) for change in changes))


def prompts(messages: Sequence[Message]) -> list[Message]:
    """What the user said, in order of time."""
    return [m for m in messages if m.role == "user" and not m.is_compaction_summary]


def typed(prompt: Message) -> str:
    """A prompt as it was typed: without what its mentions brought, a shell line with its "!"."""
    shell = prompt.metadata.get("shell")
    return f"!{shell}" if shell else str(prompt.metadata.get("typed") or prompt.content)


def _one_of(known: Sequence[Message], message_id: str) -> Message:
    found = next((prompt for prompt in known if prompt.id == message_id), None)
    if found is None:
        raise NeoCodeError(
            f"There is no prompt {message_id} in this session.", hint="/rewind lists them."
        )
    return found


def _may(step: Step, on_conflict: OnConflict) -> bool:
    return not step.trouble or (step.trouble == "changed" and on_conflict == "overwrite")

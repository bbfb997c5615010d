"""Checkpoints: what a file is goes to disk before a tool of ours changes it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from neocode.domain.checkpoints import FileChange
from neocode.domain.errors import StoreError
from neocode.runtime.live import LiveSession
from neocode.runtime.past.looking import Blocked, Seen, look
from neocode.runtime.store_port import Store
from neocode.store.checkpoints.blobs import Blobs, sha256_of
from neocode.tools.base import ToolError


@dataclass(slots=True)
class Checkpoints:
    """Implements ToolContext.before_change for the session in front; asked in threads.

    say: shows the user a line of text; called from threads.
    """

    store: Store
    live: LiveSession
    blobs: Blobs
    say: Callable[[str], None]
    _said: set[Path] = field(default_factory=set)

    def before_change(self, path: Path, data: bytes) -> None:
        """Keep what stands at a path that is about to get these bytes.

        Raises ToolError when it cannot be kept because the disk refuses; a file that is too
        large is changed all the same, and the user is told that /rewind cannot restore it.
        """
        try:
            seen = look(path)
            self.record(path, seen, sha256_of(data), self.live.prompt_id)
        except Blocked as error:
            raise ToolError(f"Nothing was changed: {error}.") from error
        except OSError as error:
            raise ToolError(f"Nothing was changed: {path}: {error.strerror or error}.") from error
        except StoreError as error:
            raise ToolError(
                f"{path.name} was not changed, since what it is could not be kept for /rewind. "
                f"{error.message}. {error.hint}"
            ) from error

    def record(self, path: Path, seen: Seen, after: str, message_id: str) -> None:
        """Store that a file will be changed, and the bytes it has now. Raises StoreError.

        after: SHA-256 of what it will be, "" for a deletion. message_id: the prompt's.
        """
        if seen.state.sha256 == after:
            return
        kept = seen.data is not None and self._keep(path, seen.data)
        change = FileChange(
            message_id=message_id,
            path=path,
            before=replace(seen.state, kept=kept),
            after=after,
        )
        self.store.add_file_change(self.live.state.id, change)
        if kept and seen.data is not None:
            # between the two, the deletion of another session may have removed these bytes
            self.blobs.put(seen.data)

    def _keep(self, path: Path, data: bytes) -> bool:
        refusal = self.blobs.refusal(len(data))
        if refusal and self.blobs.get(sha256_of(data)) is None:
            if path not in self._said:
                self._said.add(path)
                self.say(f"/rewind will not be able to restore {path.name}: {refusal}.")
            return False
        self.blobs.put(data)
        return True

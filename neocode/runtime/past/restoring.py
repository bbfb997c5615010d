"""Bringing one file back, with the care that the tools take."""

import contextlib
from pathlib import Path

from neocode.domain.errors import NeoCodeError
from neocode.runtime.past.looking import Blocked, look
from neocode.runtime.past.plan import Step
from neocode.store.checkpoints.blobs import Blobs
from neocode.tools.files.text_file import create_bytes, replace_bytes


def restore(step: Step, blobs: Blobs) -> None:
    """Make the file what it was. Raises NeoCodeError with words, and it is as it is then.

    A file that is there keeps its mode, owner and links; one that is made again gets the
    mode it had. A file that was new goes, with the empty folders that were made for it.
    """
    data = wanted_bytes(step, blobs)
    try:
        if look(step.path).state.sha256 != step.now.state.sha256:
            raise NeoCodeError(f"{step.path} changed just now.", hint="Try again.")
        if data is None:
            step.path.unlink()
            _remove_folders(step.path, step.target.missing_folders)
        elif step.now.state.sha256:
            replace_bytes(step.path, data)
        else:
            create_bytes(step.path, data)
            step.path.chmod(step.target.mode)
    except Blocked as error:
        raise NeoCodeError(
            f"Not restored: {error}.", hint="Move it away, then try again."
        ) from error
    except OSError as error:
        raise NeoCodeError(
            f"{step.path} could not be restored: {error.strerror or error}.",
            hint="Check its permissions and the disk's free space, then try again.",
        ) from error


def wanted_bytes(step: Step, blobs: Blobs) -> bytes | None:
    """The bytes to go back to; None for no file. Raises NeoCodeError when they are lost."""
    if not step.target.sha256:
        return None
    data = blobs.get(step.target.sha256)
    if data is None:
        raise NeoCodeError(
            f"The checkpoint of {step.path} is missing or damaged.",
            hint="/rewind with `keep` leaves the file alone and does the rest.",
        )
    return data


def _remove_folders(path: Path, count: int) -> None:
    with contextlib.suppress(OSError):  # not empty: somebody put something there
        for folder in list(path.parents)[:count]:
            folder.rmdir()

"""The environment of a shell line: nothing in it may wait for a person (B51). Pure."""

import shlex
from collections.abc import Mapping
from pathlib import Path

MARK = "NEOCODE_CALL"
_NO_EDITOR = f"sh {shlex.quote(str(Path(__file__).with_name('no_editor.sh')))}"
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "force",
    "SUDO_ASKPASS": "/bin/false",
    "GIT_EDITOR": _NO_EDITOR,
    "GIT_SEQUENCE_EDITOR": _NO_EDITOR,
    "EDITOR": _NO_EDITOR,
    "VISUAL": _NO_EDITOR,
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "TERM": "dumb",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
}
_DROPPED = frozenset({"LINES", "COLUMNS", "BASH_ENV", "ENV", "FORCE_COLOR"})


def child_environment(base: Mapping[str, str], mark: str) -> dict[str, str]:
    """The variables of base, with every question answered by a quick, readable no.

    mark: found again in whatever the line starts, wherever it goes (process.members).
    """
    kept = {name: value for name, value in base.items() if name not in _DROPPED}
    return {**kept, **_QUIET, MARK: mark}

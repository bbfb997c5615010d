"""A small project with its surroundings, in a temporary folder."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neocode.config.schema import Mode, PermissionsConfig
from neocode.permissions.policy import Policy, make_policy

ALLOW = ("bash(git status)", "bash(pytest *)", "edit(src/**)")
DENY = ("read(**/.env)", "bash(git push *)")
MODES: tuple[Mode, ...] = ("ask", "accept-edits", "plan", "auto")

_FILES = (
    *("project/notes.txt", "project/src/app.py", "project/.env", "project/.env.example"),
    *("project/id_rsa", "project/config/credentials.json", "project/package.json"),
    *("project/.git/config", "project/sub/.env", "project/x.py", "project/first.txt"),
    *("other.txt", "out/x", "out/secret.txt", "home/docs/x", "home/.bashrc", "home/.gitconfig"),
)


@dataclass(frozen=True)
class World:
    """root: the project; out: a folder outside; home: the home folder."""

    root: Path
    out: Path
    home: Path

    def policy(
        self, mode: Mode = "ask", allow: Sequence[str] = ALLOW, deny: Sequence[str] = DENY
    ) -> Policy:
        """A policy of this world."""
        config = PermissionsConfig(mode=mode, allow=tuple(allow), deny=tuple(deny))
        return make_policy(config, self.root, home=self.home)


def make_world(base: Path) -> World:
    """Write the files and links under base."""
    for name in _FILES:
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text\n")
    root = base / "project"
    for folder in ("build", "empty", "src"):
        (root / folder).mkdir(exist_ok=True)
    (root / "link_out").symlink_to(base / "out")
    (root / "link_env").symlink_to(".env")
    os.link(root / "first.txt", root / "hard_link.txt")
    return World(root, base / "out", base / "home")

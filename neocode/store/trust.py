"""Which folders the user trusts to bring instructions and configuration (spec/safety)."""

import json
from dataclasses import dataclass
from pathlib import Path

from neocode.store.atomic import write_atomically


@dataclass(frozen=True, slots=True)
class TrustBook:
    """Answers by real path, in one small JSON file."""

    path: Path

    def answer(self, root: Path) -> bool | None:
        """True: trusted, False: refused, None: not asked yet."""
        found = self._read().get(str(root.resolve()))
        return found if isinstance(found, bool) else None

    def record(self, root: Path, trusted: bool) -> None:
        """Keep the user's answer; raises OSError."""
        answers = self._read() | {str(root.resolve()): trusted}
        write_atomically(self.path, json.dumps(answers, indent=1, sort_keys=True).encode())

    def _read(self) -> dict[str, object]:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

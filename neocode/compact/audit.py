"""What of the archive is still there after a compaction: kept, recallable, dropped. Pure.

kept: stands in the next request. recallable: stands in an archived record and has a word
that the recall search can find. dropped: neither (spec/context 10).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

from neocode.domain.messages import Message

Fate = Literal["kept", "recallable", "dropped"]
Kind = Literal["path", "test", "identifier", "number"]

MAX_ITEMS = 3000
"""Items that are judged; what the user and the model wrote comes before tool output."""
MAX_LISTED = 200
"""Items that the record lists, lost ones first; the counts are of all."""
MAX_RESULT_CHARS = 20_000
_PATH = r"(?<![\w/.@:-])(?:~?/|\./|\.\./)?(?:[\w.@-]{1,80}/){1,20}[\w.@-]{0,80}\.\w{1,8}(?![\w/])"
_SUFFIXES = (
    "py|js|jsx|ts|tsx|go|rs|c|h|cc|cpp|java|rb|sh|md|json|ya?ml|toml|sql|html|css|txt|cfg|ini|lock"
)
_FILE = rf"(?<![\w/.@-])[\w-]{{1,80}}\.(?:{_SUFFIXES})\b"
_HASH = r"\b(?=[0-9a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}\b"
_ID = rf"\b[A-Z][A-Z0-9]{{1,9}}-\d{{1,7}}\b|(?<!\w)#\d{{1,7}}\b|{_HASH}"
_ROLES = frozenset(("port", "ports", "line", "lines", "version", "timeout", "limit")) | frozenset(
    ("threshold", "pid", "budget", "issue", "pull", "pr", "http", "status", "code")
)
_NUMBER = rf"\b(?:{'|'.join(sorted(_ROLES))})[:=#]v?\d[\d.,_]{{0,20}}\b"
_ITEM = re.compile(
    f"(?P<path>{_PATH}|{_FILE})|(?P<identifier>{_ID})|(?P<number>{_NUMBER})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Item:
    """A fact of the archive and its fate."""

    text: str
    kind: Kind
    fate: Fate


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of one compaction."""

    items: tuple[Item, ...]

    @property
    def share(self) -> float:
        """Share of the items that stand in the next request, 0.0 to 1.0; 1.0 of none."""
        return self._count("kept") / len(self.items) if self.items else 1.0

    def _count(self, fate: Fate) -> int:
        return sum(item.fate == fate for item in self.items)

    def to_json(self) -> dict[str, Any]:
        """As compact_done carries it: counts, share, and the first items, lost ones first."""
        order: dict[Fate, int] = {"dropped": 0, "recallable": 1, "kept": 2}
        listed = sorted(self.items, key=lambda item: order[item.fate])[:MAX_LISTED]
        return {
            "kept": self._count("kept"),
            "recallable": self._count("recallable"),
            "dropped": self._count("dropped"),
            "share": round(self.share, 4),
            "items": [{"text": i.text, "kind": i.kind, "fate": i.fate} for i in listed],
        }


def audit(archived: Sequence[Message], failing: Iterable[str], next_request: str) -> Audit:
    """Judge every item of the archive against the text of the next request."""
    found: dict[str, Kind] = dict.fromkeys(failing, "test")
    seen: set[str] = set()
    for text in _texts(archived):
        if len(found) >= MAX_ITEMS:
            break
        _find(text.split(), seen, found)
    after = next_request.lower()
    return Audit(tuple(Item(text, kind, _fate(text, after)) for text, kind in found.items()))


def _texts(archived: Sequence[Message]) -> Iterable[str]:
    spoken = (m for m in archived if m.role != "tool")
    for message in spoken:
        yield message.content
        for call in message.tool_calls:
            yield call.arguments[:MAX_RESULT_CHARS].replace("\\n", " ").replace("\\t", " ")
    for message in archived:
        if message.role == "tool":
            yield message.content[:MAX_RESULT_CHARS]


def _find(words: list[str], seen: set[str], found: dict[str, Kind]) -> None:
    """Look at words that are new: most words of a session have been seen before."""
    fresh = [word for word in dict.fromkeys(words) if word not in seen]
    seen.update(fresh)
    for match in _ITEM.finditer("\n".join(fresh)):
        item = match.group().rstrip(".,")
        found.setdefault(item, match.lastgroup)  # type: ignore[arg-type]
    for index, word in enumerate(words):
        if word[0].isdigit() and index:
            role = words[index - 1].strip(":=#(").lower()
            if role in _ROLES:
                digits = "".join(takewhile(lambda char: char in "0123456789._", word))
                found.setdefault(f"{role} {digits.rstrip('.')}", "number")


def _fate(text: str, after: str) -> Fate:
    if text.lower() in after:
        return "kept"
    return "recallable" if re.search(r"\w{2,}", text) else "dropped"

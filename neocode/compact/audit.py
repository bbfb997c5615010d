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
_SUFFIXES = frozenset(
    ("py", "js", "jsx", "ts", "tsx", "go", "rs", "c", "h", "cc", "cpp", "java", "rb", "sh", "md")
) | frozenset(
    ("json", "yaml", "yml", "toml", "sql", "html", "css", "txt", "cfg", "ini", "lock", "pony")
)
_ROLES = frozenset(("port", "ports", "line", "lines", "version", "timeout", "limit")) | frozenset(
    ("threshold", "pid", "budget", "issue", "pull", "pr", "http", "status", "code")
)
_HINT = re.compile(r"[/.#\d]")
_TOKEN = re.compile(r"[\w./@~#:=+-]{2,200}")
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,7}|#\d{1,7}")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_NUMBER = re.compile(r"([A-Za-z]{2,9})[:=#]v?(\d[\d.]{0,20})")


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
    hints = " ".join(word for word in fresh if _HINT.search(word))
    for token in dict.fromkeys(_TOKEN.findall(hints)):
        item = _item(token.rstrip(".,:-=+#"))
        if item:
            found.setdefault(*item)
    for index, word in enumerate(words):
        if index and word[0].isdigit():
            role = words[index - 1].strip(":=#(").lower()
            if role in _ROLES:
                digits = "".join(takewhile(lambda char: char in "0123456789._", word))
                found.setdefault(f"{role} {digits.rstrip('.')}", "number")


def _item(token: str) -> tuple[str, Kind] | None:
    """The fact that a token without blanks is, if it is one."""
    path = token.partition(":")[0]
    last = path.rpartition("/")[2]
    stem, dot, suffix = last.rpartition(".")
    if dot and suffix.isalnum() and (suffix in _SUFFIXES or ("/" in path and len(suffix) < 9)):
        is_named = bool(stem) and not path.startswith("//")
        return (path, "path") if is_named and not suffix.isdigit() else None
    if _TICKET.fullmatch(token):
        return token, "identifier"
    if _HASH.fullmatch(token):
        is_mixed = not token.isdigit() and not token.isalpha()
        return (token, "identifier") if is_mixed else None
    number = _NUMBER.fullmatch(token)
    if number and number.group(1).lower() in _ROLES:
        return token, "number"
    return None


def _fate(text: str, after: str) -> Fate:
    if text.lower() in after:
        return "kept"
    return "recallable" if re.search(r"\w{2,}", text) else "dropped"

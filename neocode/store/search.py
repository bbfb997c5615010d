"""Finding what was said: words over all messages, best passage first (spec/context 11)."""

import json
import math
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from neocode.domain.messages import Message
from neocode.domain.session import Hit
from neocode.store.rows import MESSAGE_COLUMNS, message_from_row, searchable
from neocode.store.words import Term, query_terms, session_word

SNIPPET_CHARS = 240
_CANDIDATES = 200
_MOST_FINDS = 20_000
_MOST_PLACES = 200
_LEAST_SHARE = 0.35
_LEAST_WEIGHT = 0.1
"""Words worth less than this share of the rarest are no reason to show a passage."""
_SATURATION = 0.5
_WIDE_HITS, _WIDER = 3, 2
"""The first finds are shown with so many times the room of the others."""
_SPOKEN = 1.3
"""What was said weighs more than what a tool gave: it is about something, and short."""
_COLUMNS = ", ".join(f"m.{name.strip()}" for name in MESSAGE_COLUMNS.split(","))


def search(
    db: sqlite3.Connection,
    text: str,
    session_id: str | None = None,
    limit: int = 20,
    snippet_chars: int = SNIPPET_CHARS,
    *,
    without: Collection[str] = (),
) -> list[Hit]:
    """Messages that hold words of the text, best first; rare words count most.

    A message need not hold every word, so a question can be asked. Hidden messages
    (rewound, or summaries of undone compactions) are not found, nor those whose ids
    stand in without.
    """
    terms = query_terms(text)
    weights, scores = _scores(db, terms, session_id)
    most = _CANDIDATES + limit + len(without)
    best = sorted(scores, key=lambda number: (-scores[number], -number))[:most]
    found = [_judge(row, weights, text, snippet_chars) for row in _load(db, best, without)]
    found.sort(key=lambda each: (-each.score, -each.number))
    least = found[0].score * _LEAST_SHARE if found else 0.0
    chosen = [each for each in found[:limit] if each.score >= least]
    return [
        _hit(each, snippet_chars * (_WIDER if rank < _WIDE_HITS else 1))
        for rank, each in enumerate(chosen)
    ]


def _scores(
    db: sqlite3.Connection, terms: Sequence[Term], session_id: str | None
) -> tuple[dict[Term, float], dict[int, float]]:
    """What each term is worth, and each message's sum, by messages.number."""
    total = _messages(db, session_id)
    within = f' AND "{session_word(session_id)}"' if session_id else ""
    weights: dict[Term, float] = {}
    scores: dict[int, float] = {}
    for term in terms:
        match = f'"{term.text}"{"*" if term.is_prefix else ""}{within}'
        found = db.execute(
            "SELECT rowid FROM message_words WHERE message_words MATCH ? "
            "ORDER BY rowid DESC LIMIT ?",
            (match, _MOST_FINDS),
        ).fetchall()
        if not found:
            continue
        others = max(0, total - len(found))
        weights[term] = term.weight * math.log(1 + (others + 0.5) / (len(found) + 0.5))
        for (number,) in found:
            scores[number] = scores.get(number, 0.0) + weights[term]
    least = _LEAST_WEIGHT * max(weights.values(), default=0.0)
    return {term: worth for term, worth in weights.items() if worth >= least}, scores


def _messages(db: sqlite3.Connection, session_id: str | None) -> int:
    """How many messages are searched: a word is rare or common among these."""
    within, values = (" WHERE id = ?", (session_id,)) if session_id else ("", ())
    counted = db.execute(f"SELECT coalesce(sum(message_count), 0) FROM sessions{within}", values)
    return int(counted.fetchone()[0])


def _load(
    db: sqlite3.Connection, numbers: Sequence[int], without: Collection[str]
) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = db.execute(
        f"SELECT {_COLUMNS}, m.session_id, m.number FROM messages m "
        "WHERE m.number IN (SELECT value FROM json_each(?)) AND m.hidden_at IS NULL "
        "AND m.id NOT IN (SELECT value FROM json_each(?))",
        (json.dumps(numbers), json.dumps(list(without))),
    ).fetchall()
    return rows


@dataclass(frozen=True, slots=True)
class _Judged:
    """A message with the middle of its best passage. number: its place in the database."""

    row: tuple[Any, ...]
    message: Message
    text: str
    middle: int
    score: float

    @property
    def number(self) -> int:
        return int(self.row[-1])


def _judge(row: tuple[Any, ...], weights: dict[Term, float], text: str, width: int) -> _Judged:
    """Find the best passage, whose worth is the message's: length is no merit."""
    message = message_from_row(row[:-2])
    whole = "\n".join(part for part in searchable(message) if part)
    low = whole.lower()
    middle, worth = best_passage(low, weights, width)
    phrase = text.strip().lower()
    at = low.find(phrase) if len(phrase) > 1 else -1
    if at >= 0:
        middle, worth = at + len(phrase) // 2, worth + sum(weights.values())
    score = worth if message.role == "tool" else worth * _SPOKEN
    return _Judged(row, message, whole, middle, score)


def _hit(judged: _Judged, width: int) -> Hit:
    message = judged.message
    return Hit(
        session_id=judged.row[-2],
        message_id=message.id,
        role=message.role,
        snippet=snippet(judged.text, judged.middle, width),
        created_at=message.created_at,
        archived=message.compacted_at is not None,
        score=judged.score,
        tool_name=message.tool_name or "",
    )


def best_passage(low: str, weights: dict[Term, float], width: int) -> tuple[int, float]:
    """The middle of the worthiest words that stand within `width` characters, and their worth.

    A word that comes again adds little; a short text is worth a little more than a window of
    a long one with the same words.
    """
    places = sorted(
        ((at, term) for term in weights for at in _places(low, term)), key=lambda found: found[0]
    )
    best, span, first = 0.0, (0, 0), 0
    slack = _SATURATION * (0.5 + 0.5 * min(1.0, len(low) / width))
    held: dict[Term, int] = {}
    for at, term in places:
        held[term] = held.get(term, 0) + 1
        while places[first][0] < at - width + len(term.text):
            held[places[first][1]] -= 1
            first += 1
        worth = sum(weights[t] * _saturated(n, slack) for t, n in held.items() if n)
        if worth > best:
            best, span = worth, (places[first][0], at + len(term.text))
    return (span[0] + span[1]) // 2, best


def _saturated(count: int, slack: float) -> float:
    """About 1 for a word that stands there once, never above 1 + _SATURATION."""
    return count * (1 + _SATURATION) / (count + slack)


def _places(low: str, term: Term) -> Iterator[int]:
    """Where the term stands in the text as a word, or as the beginning of one."""
    end = "" if term.is_prefix or not term.text.isascii() else r"(?![^\W_])"
    begin = r"(?<![^\W_])" if term.text.isascii() else ""
    pattern = re.compile(begin + re.escape(term.text) + end)
    return (match.start() for match in islice(pattern.finditer(low), _MOST_PLACES))


def snippet(text: str, middle: int, width: int) -> str:
    """The passage around a place, on one line, with an ellipsis where it was cut."""
    start = max(0, min(middle - width // 2, len(text) - width))
    piece = " ".join(text[start : start + width].split())
    return ("…" if start else "") + piece + ("…" if start + width < len(text) else "")

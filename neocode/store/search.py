"""Finding what was said: words over all messages, best passage first (spec/context 11)."""

import json
import math
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from neocode.domain.session import Hit
from neocode.store.rows import MESSAGE_COLUMNS, message_from_row, searchable
from neocode.store.words import Term, query_terms, session_word

SNIPPET_CHARS = 240
_CANDIDATES = 80
_MOST_FINDS = 20_000
_MOST_PLACES = 200
_LEAST_SHARE = 0.35
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
    hits = []
    for row in _load(db, best, without):
        hit = _judge(row, scores[row[-1]], weights, text, snippet_chars)
        hits.append((hit.score, row[-1], hit))
    hits.sort(key=lambda item: (-item[0], -item[1]))
    least = hits[0][0] * _LEAST_SHARE if hits else 0.0
    return [hit for score, _, hit in hits[:limit] if score >= least]


def _scores(
    db: sqlite3.Connection, terms: Sequence[Term], session_id: str | None
) -> tuple[dict[Term, float], dict[int, float]]:
    """What each term is worth, and each message's sum, by messages.number."""
    total = db.execute("SELECT coalesce(sum(message_count), 0) + 1 FROM sessions").fetchone()[0]
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
        weights[term] = term.weight * math.log(1 + total / len(found))
        for (number,) in found:
            scores[number] = scores.get(number, 0.0) + weights[term]
    return weights, scores


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


def _judge(
    row: tuple[Any, ...], base: float, weights: dict[Term, float], text: str, width: int
) -> Hit:
    """The message with its best passage; words that stand together count double."""
    message = message_from_row(row[:-2])
    whole = "\n".join(part for part in searchable(message) if part)
    low = whole.lower()
    start, worth = best_passage(low, weights, width)
    phrase = text.strip().lower()
    at = low.find(phrase) if len(phrase) > 1 else -1
    if at >= 0:
        start, worth = max(0, at - width // 4), worth + sum(weights.values())
    return Hit(
        session_id=row[-2],
        message_id=message.id,
        role=message.role,
        snippet=snippet(whole, start, width),
        created_at=message.created_at,
        archived=message.compacted_at is not None,
        score=base + worth,
        tool_name=message.tool_name or "",
    )


def best_passage(low: str, weights: dict[Term, float], width: int) -> tuple[int, float]:
    """Where the window of `width` characters with the worthiest words starts, and its worth."""
    places = sorted(
        ((at, term) for term in weights for at in _places(low, term)), key=lambda found: found[0]
    )
    best, best_start, first = 0.0, 0, 0
    held: dict[Term, int] = {}
    for at, term in places:
        held[term] = held.get(term, 0) + 1
        while places[first][0] < at - width + len(term.text):
            gone = places[first][1]
            held[gone] -= 1
            first += 1
        worth = sum(weights[t] for t, count in held.items() if count)
        if worth > best:
            best, best_start = worth, places[first][0]
    return max(0, best_start - width // 8), best


def _places(low: str, term: Term) -> Iterator[int]:
    """Where the term stands in the text as a word, or as the beginning of one."""
    end = "" if term.is_prefix or not term.text.isascii() else r"(?![^\W_])"
    begin = r"(?<![^\W_])" if term.text.isascii() else ""
    pattern = re.compile(begin + re.escape(term.text) + end)
    return (match.start() for match in islice(pattern.finditer(low), _MOST_PLACES))


def snippet(text: str, start: int, width: int) -> str:
    """A passage on one line, with an ellipsis where it was cut."""
    piece = " ".join(text[start : start + width].split())
    return ("…" if start else "") + piece + ("…" if start + width < len(text) else "")

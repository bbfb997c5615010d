"""Probes: facts of a conversation, looked for where compactions left them (spec/context 11)."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A fact to look for. accept: texts that count as it, whatever their case; never empty."""

    question: str
    accept: tuple[str, ...]
    kind: str = ""

    def stands_in(self, text: str) -> bool:
        """True when the text holds one of the accepted ones."""
        low = text.lower()
        return any(wanted.lower() in low for wanted in self.accept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Where a probe was found after the compactions.

    counts: its last place was archived; else the kept messages hold it anyway. in_prompt: in
    the next request. by_search: in what one search with the question's words gives back.
    by_id: in a record that its id still gives back.
    """

    question: str
    kind: str
    counts: bool
    in_prompt: bool
    by_search: bool
    by_id: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where to look. sent: text of the next request. archived, kept: messages in order.

    search: what a search gives back, as one text. record: a message by its id.
    """

    sent: str
    archived: Sequence[Message]
    kept: Sequence[Message]
    search: Callable[[str], str]
    record: Callable[[str], Message]


def read_probes(path: Path) -> tuple[Probe, ...]:
    """Probes of a JSON file; those that only a reader can judge (check "judge") are left out.

    Raises NeoCodeError that says what is wrong with the file.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise NeoCodeError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise NeoCodeError(f"{path} is no JSON: {error}.", hint=_HINT) from error
    if not isinstance(data, list):
        raise NeoCodeError(f"{path} holds no list of probes.", hint=_HINT)
    return tuple(
        _probe(item, f"{path}, probe {number}")
        for number, item in enumerate(data, 1)
        if not (isinstance(item, dict) and item.get("check") == "judge")
    )


_HINT = 'A probe is {"question": "...", "check": "literal", "accept": ["...", ...]}.'


def _probe(item: Any, where: str) -> Probe:
    question = item.get("question") if isinstance(item, dict) else None
    accept = item.get("accept") if isinstance(item, dict) else None
    is_list = isinstance(accept, list) and bool(accept)
    if not isinstance(question, str) or not question.strip():
        raise NeoCodeError(f"{where}: it has no question.", hint=_HINT)
    if not is_list or not all(isinstance(text, str) and text for text in accept or ()):
        raise NeoCodeError(f"{where}: accept must be a list of texts.", hint=_HINT)
    return Probe(question=question, accept=tuple(accept or ()), kind=str(item.get("kind", "")))


def judge(probes: Iterable[Probe], places: Places) -> tuple[Verdict, ...]:
    """Every probe that stands in the conversation at all, in order."""
    judged = (_judge(probe, places) for probe in probes)
    return tuple(verdict for verdict in judged if verdict is not None)


def _judge(probe: Probe, places: Places) -> Verdict | None:
    holding = [m for m in places.archived if probe.stands_in(text_of(m))]
    is_kept = any(probe.stands_in(text_of(m)) for m in places.kept)
    if not holding and not is_kept:
        return None
    return Verdict(
        question=probe.question,
        kind=probe.kind,
        counts=not is_kept,
        in_prompt=probe.stands_in(places.sent),
        by_search=probe.stands_in(places.search(probe.question)),
        by_id=any(probe.stands_in(text_of(places.record(m.id))) for m in holding),
    )


def text_of(message: Message) -> str:
    """What a message says, its calls' arguments included."""
    return "\n".join((message.content, *(call.arguments for call in message.tool_calls)))


def kept_shares(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many of the probes that count stand where; "either": in the prompt or by search."""
    counted = [verdict for verdict in verdicts if verdict.counts]
    return {
        "probes": len(counted),
        "in_prompt": sum(v.in_prompt for v in counted),
        "by_search": sum(v.by_search for v in counted),
        "either": sum(v.in_prompt or v.by_search for v in counted),
        "by_id": sum(v.by_id for v in counted),
    }

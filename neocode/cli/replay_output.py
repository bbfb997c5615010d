"""What `neocode replay` prints: tables, one JSON object, or a line for every step."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from neocode.cli.printing import print_object, print_table, printable
from neocode.replay.billing import PRICE_MODELS, Bill, ratios
from neocode.replay.outcome import Compacted, Event, Next, Step, added_up
from neocode.replay.probes import Verdict, kept_shares
from neocode.replay.recording import Recording
from neocode.replay.run import Played

_STEP_NAMES = ("STEP", "SENT", "TOKENS", "CACHED", "FRESH", "CLEARED", "FREED", "ARCHIVED")
_TOTAL_NAMES = ("RECORDING", "CALLS", "LARGEST", "COMPACTED", "NEXT", "NOTES")
_SHARES = ("in_prompt", "by_search", "either", "by_id")


class Printer:
    """Takes recordings, their events and results in order; prints as it can."""

    def __init__(self, output: str, *, is_folder: bool, window: int) -> None:
        self._output, self._is_folder, self._window = output, is_folder, window
        self._name = ""
        self._events: list[Event] = []
        self._played: list[Played] = []
        self._whole: list[dict[str, Any]] = []

    def begin(self, recording: Recording) -> None:
        """The recording that the next events are of."""
        self._name, self._events = recording.name, []

    def event(self, event: Event) -> None:
        """A step or a compaction, as it happens."""
        self._events.append(event)
        if self._output == "jsonl":
            self._line({"name": self._name, **event.to_json()})

    def end(self, played: Played) -> None:
        """The recording is over."""
        self._played.append(played)
        outcome, total = played.outcome, played.outcome.to_json(played.plain)
        verdicts = [asdict(verdict) for verdict in outcome.verdicts]
        if self._output == "jsonl":
            for verdict in verdicts:
                self._line({"name": self._name, "type": "probe", **verdict})
            self._line(total)
        elif self._output == "json":
            steps = [e.to_json() for e in self._events if isinstance(e, Step)]
            done = [c.to_json() for c in outcome.compactions]
            parts = {"steps": steps, "compactions": done, "found": verdicts}
            self._whole.append({"name": self._name, "total": total, **parts})
        elif not self._is_folder:
            self._print_one(played)

    def finish(self) -> None:
        """All recordings are over."""
        summed = added_up([(played.outcome, played.plain) for played in self._played])
        if self._output == "json":
            alone = self._whole[0] if not self._is_folder else None
            print_object("json", alone or {"recordings": self._whole, "sum": summed})
        elif self._output == "jsonl":
            if self._is_folder:
                self._line(summed)
        elif self._is_folder:
            self._print_all(summed)

    def _line(self, value: dict[str, Any]) -> None:
        print(json.dumps(value, ensure_ascii=False), flush=True)

    def _print_one(self, played: Played) -> None:
        outcome = played.outcome
        if played.recording.notice:
            print(f"Of the file: {played.recording.notice}.")
        print(
            f"{outcome.name}: {outcome.messages:,} messages, {outcome.steps:,} model calls, "
            f"window {self._window:,} tokens. Prices in tokens of plain input."
        )
        has_cost = bool(outcome.bill.cost_usd)
        names = (*_STEP_NAMES, *PRICE_MODELS, *(("USD",) if has_cost else ()), "")
        steps = [e for e in self._events if isinstance(e, Step)]
        rows = [names, *(_step_row(step, has_cost) for step in steps)]
        total = (
            "all",
            "",
            *_bill_cells(outcome.bill),
            "",
            "",
            "",
            *_prices(outcome.bill, has_cost),
        )
        print_table([*rows, (*total, "")], right=frozenset(range(len(names) - 1)))
        for event in self._events:
            if not isinstance(event, Step):
                print(_said(event))
        print(f"Price over sending everything each time: {_ratio_words(played)}.")
        _print_verdicts(outcome.verdicts)

    def _print_all(self, summed: dict[str, Any]) -> None:
        names = (*_TOTAL_NAMES, *(f"OVER PLAIN {name}" for name in PRICE_MODELS), "PROBES", "")
        rows = [names, *(_total_row(played) for played in self._played)]
        over = [f"{summed['over_plain'][name]:.4f}" for name in PRICE_MODELS]
        calls = f"{sum(played.outcome.steps for played in self._played):,}"
        found = _share_words(summed["probes"]) if "probes" in summed else ""
        rows.append(("all", calls, "", "", "", "", *over, found, ""))
        print_table(rows, right=frozenset(range(1, 8)))
        worst = ", ".join(f"{summed['worst'][name]:.4f} ({name})" for name in PRICE_MODELS)
        print(f"Worst of them: {worst}.")
        if found:
            print("Probes: in the prompt, by search, either of them, by id, of those that count.")


def _step_row(step: Step, has_cost: bool) -> tuple[str, ...]:
    mark = "over the window" if step.over_window else "edge moved" if step.edge_moved else ""
    return (
        f"{step.number:,}",
        f"{step.messages:,}",
        *_bill_cells(step.bill),
        f"{step.cleared:,}",
        f"{step.freed:,}",
        f"{step.archived:,}",
        *_prices(step.bill, has_cost),
        mark,
    )


def _bill_cells(bill: Bill) -> tuple[str, ...]:
    return (f"{bill.tokens:,}", f"{bill.cached:,}", f"{bill.fresh:,}")


def _prices(bill: Bill, has_cost: bool) -> tuple[str, ...]:
    cost = "?" if bill.cost_usd is None else f"{bill.cost_usd:.4f}"
    priced = (f"{bill.priced(prices):,.0f}" for prices in PRICE_MODELS.values())
    return (*priced, cost) if has_cost else tuple(priced)


def _said(event: Compacted | Next) -> str:
    if isinstance(event, Next):
        return (
            f"Next request: {event.messages:,} messages, {event.tokens:,} tokens, "
            f"{event.preamble:,} of them context notes."
        )
    where = f"Compaction before step {event.before_step:,} ({event.mode})"
    if not event.applied:
        return printable(f"{where}: nothing changed; {event.error}")
    cost = "" if not event.cost_usd else f", {event.cost_usd:.4f} USD"
    return (
        f"{where}, {event.strategy}, {event.method}: {event.archived:,} messages archived, "
        f"~{event.tokens_before:,} -> ~{event.tokens_after:,} tokens, {event.share:.0%} of the "
        f"archive's facts kept; {event.usage.api_calls} calls, "
        f"{event.usage.input_tokens:,} tokens for the summary{cost}."
    )


def _total_row(played: Played) -> tuple[str, ...]:
    outcome = played.outcome
    over = ratios(outcome.bill, played.plain)
    found = _share_words(kept_shares(outcome.verdicts)) if outcome.verdicts else ""
    return (
        outcome.name,
        f"{outcome.steps:,}",
        f"{outcome.most_tokens:,}",
        f"{sum(done.applied for done in outcome.compactions)}",
        f"{outcome.last.tokens:,}",
        f"{outcome.last.preamble:,}",
        *(f"{over[name]:.4f}" for name in PRICE_MODELS),
        found,
        "",
    )


def _ratio_words(played: Played) -> str:
    over = ratios(played.outcome.bill, played.plain)
    return ", ".join(f"{over[name]:.4f} ({name})" for name in PRICE_MODELS)


def _share_words(shares: dict[str, int]) -> str:
    return " ".join(str(shares[name]) for name in _SHARES) + f" of {shares['probes']}"


def _print_verdicts(verdicts: Sequence[Verdict]) -> None:
    if not verdicts:
        return
    rows: list[tuple[str, ...]] = [("COUNTS", "IN PROMPT", "BY SEARCH", "BY ID", "PROBE")]
    for v in verdicts:
        marks = (v.counts, v.in_prompt, v.by_search, v.by_id)
        shown = ["yes" if mark else "no" for mark in marks]
        rows.append((*(shown if v.counts else (*shown[:2], "-", "-")), v.question))
    print_table(rows)
    print(
        f"Probes that count: {_share_words(kept_shares(verdicts))} (in the prompt, by search, "
        "either of them, by id)."
    )

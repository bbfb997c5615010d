"""/compact, /context, /cost."""

from neocode.commands.result import CommandResult
from neocode.runtime.api import EngineApi


async def compact(engine: EngineApi, argument: str) -> CommandResult:
    """Start a compaction, with a focus; or take one back."""
    match argument:
        case "undo":
            await engine.undo_compaction()
            return CommandResult(
                text="The newest compaction is taken back. /compact redo repeats it."
            )
        case "redo":
            await engine.redo_compaction()
            return CommandResult(text="The compaction is in force again.")
        case focus:
            engine.compact(focus=focus)
            return CommandResult()


async def context(engine: EngineApi, _: str) -> CommandResult:
    """The next request by part, in tokens."""
    parts = engine.breakdown()
    total = sum(parts.values())
    window = engine.model.window if engine.model else 0
    lines = [f"{name.replace('_', ' '):14} {tokens:>9,}" for name, tokens in parts.items()]
    share = f" of {window:,} ({total / window:.0%})" if window else ""
    return CommandResult(show="context", text="\n".join([*lines, f"{'sum':14} {total:>9,}{share}"]))


async def cost(engine: EngineApi, _: str) -> CommandResult:
    """Tokens and cost of the session by kind; an unknown price is "?", never zero."""
    lines = []
    for kind, (usage, price) in engine.costs().items():
        money = "?" if price is None else f"${price:.4f}"
        lines.append(
            f"{kind:12} {usage.input_tokens:>10,} in ({usage.cached_tokens:,} cached) "
            f"{usage.output_tokens:>8,} out  {money}"
        )
    return CommandResult(text="\n".join(lines))

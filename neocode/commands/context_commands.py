"""/context, /cost."""

from neocode.commands.money import usd
from neocode.commands.result import CommandResult
from neocode.runtime.api import EngineApi
from neocode.runtime.figures import ContextFigures


async def context(engine: EngineApi, _: str) -> CommandResult:
    """The next request by part, both sums by name, and what comes next."""
    return CommandResult(show="context", text=context_text(engine.figures()))


async def cost(engine: EngineApi, _: str) -> CommandResult:
    """Tokens and cost of the session by kind; an unknown price is "?", never zero."""
    lines = []
    for kind, (usage, price) in engine.costs().items():
        lines.append(
            f"{kind:12} {usage.input_tokens:>10,} in ({usage.cached_tokens:,} cached) "
            f"{usage.output_tokens:>8,} out  {usage.api_calls:>4} calls  {usd(price)}"
        )
    return CommandResult(text="\n".join(lines))


def context_text(figures: ContextFigures) -> str:
    """The figures in lines; each number says what it is and whether it was measured."""
    how = "estimated" if figures.estimated else "measured by the provider"
    share = f" of {figures.window:,} ({figures.percent:.1f} %)" if figures.window else ""
    guessed = "; the window is a guess, set context_window" if figures.window_is_guessed else ""
    lines = [
        f"next request   {figures.next_request:>9,} tokens{share}, {how}{guessed}",
        *(
            f"  {name.replace('_', ' '):13}{tokens:>9,}"
            for name, tokens in figures.parts.items()
            if tokens
        ),
        f"session input  {figures.session_input:>9,} tokens sent since the last compaction, "
        "all calls added up",
    ]
    if figures.cleared:
        lines.append(
            f"cleared        {figures.cleared:>9,} old results, which saves "
            f"~{figures.cleared_tokens:,} tokens a request; recall brings them back"
        )
    return "\n".join([*lines, automatic_words(figures), forecast_words(figures)])


def automatic_words(figures: ContextFigures) -> str:
    """When a compaction starts by itself."""
    auto = figures.auto
    if not auto.enabled:
        return "automatic compaction is off (context.auto_compact.enabled)"
    if figures.auto_paused:
        return "automatic compaction pauses: the last two freed under 10 %; /compact wakes it"
    summed = f"session input reaches {auto.input_token_threshold:,}"
    size = f"the next request reaches {figures.threshold:,}"
    when = {"session_input": summed, "context_window": size, "either": f"{summed} or {size}"}
    return f"automatic compaction when {when[auto.trigger]}"


def forecast_words(figures: ContextFigures) -> str:
    """How many turns there are left, by the growth of the last ones."""
    if figures.turns_left is None:
        return "forecast: too little was said yet to tell"
    if figures.turns_left == 0:
        return f"forecast: {figures.forecast_of} at the next turn"
    turns = "turn" if figures.turns_left == 1 else "turns"
    return (
        f"forecast: about {figures.turns_left:,} {turns} to {figures.forecast_of}, "
        "by the growth of the last turns"
    )

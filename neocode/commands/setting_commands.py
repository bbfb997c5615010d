"""/model, /agent, /mode, /permissions, /config."""

from typing import get_args

from neocode.commands.result import CommandResult
from neocode.config.schema import Mode
from neocode.runtime.api import EngineApi

MODE_HELP = {
    "ask": "asks before edits and shell lines",
    "accept-edits": "edits in the project pass, shell lines are asked",
    "plan": "read only",
    "auto": "everything passes but the hard questions",
}


async def model(engine: EngineApi, argument: str) -> CommandResult:
    """Show the choice of models, or change to one."""
    if not argument:
        return CommandResult(show="model", text=_models(engine))
    engine.set_model(argument)
    return CommandResult(text=f"Model: {argument}")


def _models(engine: EngineApi) -> str:
    if not engine.models:
        return "No model is set up. `neocode config init` writes a first configuration."
    now = engine.model.name if engine.model else ""
    return "\n".join(
        f"{'*' if m.name == now else ' '} {m.name}  {m.id}  window {m.window:,}"
        for m in engine.models
    )


async def agent(engine: EngineApi, argument: str) -> CommandResult:
    """Show the agent profiles, or change to one; "none" leaves them."""
    if not argument:
        names = ", ".join(profile.name for profile in engine.config.agents) or "none configured"
        return CommandResult(text=f"Agent: {engine.agent or 'none'}. Profiles: {names}.")
    engine.set_agent("" if argument == "none" else argument)
    return CommandResult(text=f"Agent: {engine.agent or 'none'}")


async def mode(engine: EngineApi, argument: str) -> CommandResult:
    """Show or change the permission mode."""
    if argument and argument not in get_args(Mode):
        allowed = ", ".join(get_args(Mode))
        return CommandResult(text=f"No mode {argument!r}. Modes: {allowed}.", level="error")
    if argument:
        engine.set_mode(argument)  # type: ignore[arg-type]
    return CommandResult(text=f"Mode {engine.mode}: {MODE_HELP[engine.mode]}.")


async def permissions(engine: EngineApi, _: str) -> CommandResult:
    """Mode and rules in force."""
    rules = engine.config.permissions
    lines = [f"Mode {engine.mode}: {MODE_HELP[engine.mode]}."]
    lines += [f"allow {rule}" for rule in rules.allow] + [f"deny  {rule}" for rule in rules.deny]
    return CommandResult(text="\n".join(lines))


async def config(engine: EngineApi, _: str) -> CommandResult:
    """Where the configuration is and how to change it."""
    return CommandResult(
        text=f"Configuration: {engine.config_file}\n"
        "`neocode config edit` opens it; `config show --origin` says where values come from."
    )

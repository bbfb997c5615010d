"""Agent profiles (spec/context 2): what a profile leaves out it inherits."""

from dataclasses import replace
from typing import TypeVar

from neocode.config.problems import nearest
from neocode.config.schema import AgentConfig, Config
from neocode.domain.errors import ConfigError

_T = TypeVar("_T")


def find_agent(config: Config, name: str) -> AgentConfig | None:
    """The profile of that name; None for "". Raises ConfigError when there is none."""
    if not name:
        return None
    for agent in config.agents:
        if agent.name == name:
            return agent
    names = [agent.name for agent in config.agents]
    near = nearest(name, names)
    hint = f"Configured: {', '.join(names)}." if names else "Add it under agents: in config.yaml."
    raise ConfigError(
        f'No agent is called "{name}".' + (f" Did you mean {near}?" if near else ""), hint=hint
    )


def for_agent(config: Config, agent_name: str) -> Config:
    """The configuration as the profile wants it: model, mode and its four overrides.

    "" gives the configuration unchanged; raises ConfigError for an unknown name. A model
    or mode of the command line is to be laid over the result.
    """
    agent = find_agent(config, agent_name)
    if agent is None:
        return config
    compact, auto = config.context.compact, config.context.auto_compact
    compact = replace(
        compact,
        auxiliary_model=_or(agent.auxiliary_model, compact.auxiliary_model),
        manual_strategy=_or(agent.manual_strategy, compact.manual_strategy),
        protect_first_messages=_or(agent.protect_first_messages, compact.protect_first_messages),
    )
    auto = replace(auto, threshold_percent=_or(agent.threshold_percent, auto.threshold_percent))
    return replace(
        config,
        model=_or(agent.model, config.model),
        permissions=replace(config.permissions, mode=_or(agent.mode, config.permissions.mode)),
        context=replace(config.context, compact=compact, auto_compact=auto),
    )


def _or(own: _T | None, inherited: _T) -> _T:
    return inherited if own is None else own

"""Agent profiles: overrides and inheritance (spec/context 2)."""

import pytest

from neocode.config.profiles import find_agent, for_agent
from neocode.config.schema import AgentConfig, Config, ModelConfig
from neocode.domain.errors import ConfigError

CONFIG = Config(
    model="big",
    models=(ModelConfig(name="big", id="a/b"),),
    agents=(
        AgentConfig(
            name="reviewer",
            model="small",
            mode="plan",
            auxiliary_model="cheap",
            manual_strategy="full_replace",
            threshold_percent=55,
            protect_first_messages=1,
        ),
        AgentConfig(name="plain"),
    ),
)


def test_a_profile_overrides_its_six_values() -> None:
    config = for_agent(CONFIG, "reviewer")
    compact, auto = config.context.compact, config.context.auto_compact
    assert (config.model, config.permissions.mode) == ("small", "plan")
    assert (compact.auxiliary_model, compact.manual_strategy) == ("cheap", "full_replace")
    assert (compact.protect_first_messages, auto.threshold_percent) == (1, 55)
    assert compact.max_summary_chars == CONFIG.context.compact.max_summary_chars


def test_what_it_leaves_out_it_inherits() -> None:
    assert for_agent(CONFIG, "plain") == CONFIG
    assert for_agent(CONFIG, "") == CONFIG
    assert find_agent(CONFIG, "") is None


def test_an_unknown_profile_is_named_with_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r'No agent is called "reviwer"\. Did you mean reviewer\?'
    ):
        for_agent(CONFIG, "reviwer")

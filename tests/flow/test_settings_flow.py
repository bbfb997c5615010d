"""Settings changed on the screen reach the engine; a compaction says that it tries again."""

import pytest

from neocode.config.edit import set_value
from neocode.domain.errors import ConfigError, TransientError
from neocode.domain.events import CompactDone, Retry, TokenUpdate
from neocode.domain.task_state import TaskState
from neocode.provider.fake import Scripted
from neocode.runtime import tasks
from neocode.tui.saving import save, turn_automatic_on
from tests.flow.flow import Bench
from tests.flow.talks import SUMMARY, answering, talk

THRESHOLD = "context.auto_compact.threshold_percent"


async def test_a_saved_setting_is_in_force_at_once_while_nothing_runs(bench: Bench) -> None:
    """The next figures carry the new threshold; a fault keeps the old settings."""
    async with bench.open() as flow:
        set_value(flow.engine.config_file, THRESHOLD, 45)
        flow.engine.reload_config()
        await flow.settle()
        assert flow.engine.config.context.auto_compact.threshold_percent == 45
        assert flow.of(TokenUpdate)[-1].threshold_percent == 45
        flow.engine.config_file.write_text("modl: x\n")
        with pytest.raises(ConfigError):
            flow.engine.reload_config()
        assert flow.engine.config.context.auto_compact.threshold_percent == 45


async def test_a_profile_does_not_hide_what_it_overrides(bench: Bench) -> None:
    bench.configure(agents=[{"name": "quick", "threshold_percent": 50}])
    async with bench.open() as flow:
        flow.engine.set_agent("quick")
        assert flow.engine.config.context.auto_compact.threshold_percent == 50
        assert flow.engine.base_config.context.auto_compact.threshold_percent == 70
        assert save(flow.engine, "agents.quick.threshold_percent", None).words == "Saved."
        assert flow.engine.config.context.auto_compact.threshold_percent == 70


async def test_the_switch_turns_automatic_on(bench: Bench) -> None:
    async with bench.open() as flow:
        done = turn_automatic_on(flow.engine)
        assert not done.failed
        auto = flow.engine.config.context.auto_compact
        assert (auto.enabled, auto.trigger) == (True, "context_window")
        flow.engine.config_file.unlink()
        flow.engine.config_file.mkdir()
        assert turn_automatic_on(flow.engine).failed


async def test_a_compaction_says_that_it_tries_again(bench: Bench) -> None:
    """The wait is announced before it, with the provider's words."""
    bench.configure(
        context={"compact": {"manual_keep_recent_messages": 2}}, retry={"max_wait_s": 0.01}
    )
    answers: list[Scripted] = [[TransientError("overloaded", kind="overloaded", status=529)]]

    def summary(_: object) -> Scripted:
        return answers.pop() if answers else SUMMARY

    async with bench.open(provider=answering(summary)) as flow:
        await talk(flow, 3)
        flow.engine.compact()
        await flow.settle()
        (retry,) = flow.of(Retry)
        assert (retry.attempt, retry.reason) == (1, "overloaded")
        assert flow.of(CompactDone)[-1].applied


def test_a_reworded_item_keeps_its_place_and_its_pin() -> None:
    state = TaskState(user_constraints=("a", "b", "c"), pinned=("b",))
    changed = tasks.replace_item(state, "user_constraints", 2, " B ")
    assert changed.user_constraints == ("a", "B", "c")
    assert changed.pinned == ("B",)
    with pytest.raises(Exception, match="holds this already"):
        tasks.replace_item(state, "user_constraints", 1, "c")
    with pytest.raises(Exception, match="pinned"):
        tasks.replace_item(state, "user_constraints", 2, "")
    assert tasks.replace_item(state, "user_constraints", 1, "").user_constraints == ("b", "c")
    with pytest.raises(Exception, match="no item 4"):
        tasks.replace_item(state, "user_constraints", 4, "x")

"""/settings: every field is written back, in words, with the user's comments kept (W 8.5, 8.6)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.config.schema import AgentConfig, AutoCompactConfig, Config, ContextConfig, ModelConfig
from neocode.tui.settings_fields import Field, overlay, scopes, value_at
from tests.tui.files_engine import YAML, files_engine
from tests.tui.story import StartStory, Story


async def opened(story: Story, *keys: str) -> str:
    story.chat.send("/settings")
    await story.until(lambda: story.app.screen is not story.chat)
    for key in keys:
        await story.press(key)
    return story.screen_text()


async def test_the_threshold_moves_in_steps_of_five_and_is_written(
    start: StartStory, tmp_path: Path
) -> None:
    """72, set by hand, goes to 75; comments and their order stay."""
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        text = await opened(story, "down", "down", "right")
        assert "75 %" in text
        assert "✓ Saved." in text
        assert engine.text == YAML.replace("72  # my own", "75  # my own")
        assert engine.config.context.auto_compact.threshold_percent == 75
        for _ in range(6):
            await story.press("right")
        assert "95 %" in story.screen_text()
        assert "threshold_percent: 95  # my own" in engine.text


async def test_a_profile_inherits_until_it_says_otherwise(
    start: StartStory, tmp_path: Path
) -> None:
    """Empty means inherit; what is inherited is shown; Del goes back to it."""
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        text = await opened(story, "tab")
        assert "@reviewer" in text
        assert "inherit (keep_recent)" in text
        assert "60 %" in text
        await story.press("down", "down", "delete")
        assert "inherit (72 %)" in story.screen_text()
        assert "threshold_percent: 60" not in engine.text
        await story.press("down", "right")
        assert "protect_first_messages: 4" in engine.text
        assert engine.config.agents[0].protect_first_messages == 4
        await story.press("up", "up", "up", "right")
        assert engine.config.agents[0].auxiliary_model == "haiku"


async def test_models_are_marked_auxiliary_and_then_can_be_chosen(
    start: StartStory, tmp_path: Path
) -> None:
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        text = await opened(story, "tab", "tab")
        assert "[ ] may write summaries" in text
        assert "[x] may write summaries" in text
        await story.press("enter")
        assert [model.auxiliary for model in engine.config.models] == [True, True]
        assert "# cheap" in engine.text
        await story.press("tab", "tab", "down", "down", "down", "down", "right")
        assert engine.config.context.compact.auxiliary_model == "sonnet"


async def test_a_number_that_is_not_allowed_is_said_beside_its_field(
    start: StartStory, tmp_path: Path
) -> None:
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        await opened(story, *["down"] * 7)
        await story.press("4", "4", "enter")
        line = next(row for row in story.screen_text().split("\n") if "protected head" in row)
        assert "✗" in line
        assert "from 1 to 10" in " ".join(story.screen_text().split())
        assert engine.text == YAML
        await story.press("enter")
        await story.type("x")
        await story.press("enter")
        assert "is not a whole number" in " ".join(story.screen_text().split())


async def test_while_a_run_goes_on_the_change_waits_for_the_next(
    start: StartStory, tmp_path: Path
) -> None:
    engine = files_engine(tmp_path)
    async with start(engine) as story:
        engine.user("go")
        await story.settle()
        text = await opened(story, "right")
        assert "✓ Saved for the next run." in text
        assert "◂ on ▸" in text.replace("  ", " ")
        assert "enabled: true" in engine.text


async def test_the_theme_changes_at_once_and_is_saved(start: StartStory, tmp_path: Path) -> None:
    """By /theme and in the settings."""
    engine = files_engine(tmp_path, YAML + "ui:\n  theme: dark\n")
    async with start(engine) as story:
        story.chat.send("/theme light")
        await story.until(lambda: story.app.theme == "neocode-light")
        assert "theme: light" in engine.text
        await opened(story, "tab", "tab", "tab", "right")
        assert story.app.theme == "neocode-ansi"
        assert "theme: ansi" in engine.text


async def test_a_file_with_a_fault_is_left_alone(start: StartStory, tmp_path: Path) -> None:
    engine = files_engine(tmp_path)
    engine.config_file.write_text("modl: x\n")
    async with start(engine) as story:
        text = " ".join((await opened(story, "right")).split())
        assert "✗" in text
        assert "modl" in text
        assert engine.text == "modl: x\n"


@given(st.integers(30, 95), st.integers(-30, 30))
def test_the_slider_stays_in_its_bounds_and_on_its_steps(value: int, steps: int) -> None:
    field = Field(key="k", label="k", value=value, least=30, most=95, step=5, is_slider=True)
    moved = field.moved(steps)
    assert 30 <= moved <= 95
    assert steps == 0 or moved % 5 == 0
    if steps:
        assert (moved > value) == (steps > 0) or moved in (30, 95)


def test_every_field_of_the_seed_is_there() -> None:
    """W 8.5 and 8.6, and what spec/tui adds."""
    config = Config(models=(ModelConfig(name="m.1", id="x/y"),), agents=(AgentConfig(name="a.b"),))
    made = {scope.title: [f.key for f in scope.fields] for scope in scopes(config)}
    assert made["@a.b"] == [
        f"agents.a.b.{name}"
        for name in (
            "auxiliary_model", "manual_strategy", "threshold_percent", "protect_first_messages",
        )
    ]  # fmt: skip
    assert made["Models"] == ["models.m.1.auxiliary"]
    for key in ("ui.theme", "ui.mouse", "ui.bell", "ui.show_reasoning", "permissions.mode"):
        assert key in made["Screen"]
    assert "context.compact.manual_keep_recent_messages" in made["Configuration"]
    sliders = [f for scope in scopes(config) for f in scope.fields if f.is_slider]
    assert {(f.least, f.most, f.step) for f in sliders} == {(30, 95, 5)}
    heads = [f for s in scopes(config) for f in s.fields if f.label == "protected head"]
    assert {(f.least, f.most) for f in heads} == {(1, 10)}


@pytest.mark.parametrize(("value", "now"), [(80, 80), (None, 70)])
def test_a_change_that_waits_is_laid_over(value: int | None, now: int) -> None:
    auto = AutoCompactConfig(threshold_percent=72)
    config = Config(context=ContextConfig(auto_compact=auto), agents=(AgentConfig(name="a.b"),))
    key = "context.auto_compact.threshold_percent"
    assert value_at(overlay(config, [(key, value)]), key) == now
    other = overlay(config, [("agents.a.b.threshold_percent", value)])
    assert value_at(other, "agents.a.b.threshold_percent") == value

"""Start-up: what may be imported before the first paint, and what happens when it fails."""

import subprocess
import sys
from pathlib import Path

import pytest

from neocode.domain.errors import ConfigError
from neocode.tui import themes
from neocode.tui.app import NeoCodeApp, run_app
from neocode.tui.crash import farewell, report_text, save_report
from neocode.tui.ports import Surroundings
from tests.tui.story import StartStory

HEAVY = ("litellm", "openai", "pydantic", "tiktoken", "mcp", "markdown_it", "pygments", "yaml",
         "neocode.domain", "neocode.config", "neocode.runtime", "neocode.commands",
         "textual.widgets._markdown")  # fmt: skip


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    code = "import sys, neocode.tui.app; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=50
    )
    loaded = done.stdout.split()
    assert [name for name in loaded if name.startswith(HEAVY)] == []


async def test_a_broken_configuration_ends_with_words() -> None:
    async def make() -> None:
        raise ConfigError("config.yaml, line 3: model must be text", hint="See config check.")

    app = NeoCodeApp(make, Surroundings(theme="dark"))  # type: ignore[arg-type]
    async with app.run_test() as pilot:
        for _ in range(100):
            if app.failure is not None:
                break
            await pilot.pause(0.01)
    assert isinstance(app.failure, ConfigError)
    assert app.return_code == 2


def boom() -> Exception:
    """An error with a trace and a secret in it."""
    try:
        key = "sk-abcdefghijklmnop1234"
        raise RuntimeError(f"rows[0] [/b] failed with api_key={key}")
    except RuntimeError as error:
        return error


def test_a_crash_report_is_readable_saved_and_masked(tmp_path: Path) -> None:
    """B42, B43: a cause in words, brackets literal, no key."""
    error = boom()
    path = save_report(error, tmp_path / "logs")
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text(encoding="utf-8")
    assert "RuntimeError" in text
    assert "test_tui_start.py" in text
    assert "sk-abc" not in text + farewell(error, path)
    assert "rows[0] [/b] failed" in farewell(error, path)
    assert str(path) in farewell(error, path)
    assert "neocode --continue" in farewell(error, None)
    assert report_text(error).startswith("NeoCode ")


def test_a_report_that_cannot_be_saved_is_no_second_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert save_report(boom(), tmp_path / "file" / "logs") is None
    assert save_report(boom(), None) is None


def test_a_fault_in_the_screen_gives_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(NeoCodeApp):
        def run(self, *_: object, **__: object) -> None:
            raise boom()

    app = Broken(pytest.fail, Surroundings(logs_dir=tmp_path))
    assert run_app(app) == 1
    assert "fault of its own" in capsys.readouterr().err
    assert len(list(tmp_path.glob("crash-*.txt"))) == 1


async def test_attention_rings_only_when_nobody_looks(start: StartStory) -> None:
    async with start() as story:
        rung: list[int] = []
        story.app.notify_outside = lambda words: rung.append(1)  # type: ignore[method-assign]
        story.engine.user("go")
        story.engine.finish()
        await story.settle()
        assert rung == []
        story.app.app_focus = False
        story.engine.user("go")
        story.engine.finish()
        await story.settle()
        assert rung == [1]


def luminance(color: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    """Contrast of two colours, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [themes.DARK, themes.LIGHT, themes.HIGH_CONTRAST])
def test_contrast_is_high_enough(palette: themes.Palette) -> None:
    """B41: 4.5:1 for text on every ground it stands on, 3:1 for the meter against its track."""
    grounds = (palette.background, palette.surface, palette.code_bg, palette.user_bg)
    for ground in grounds:
        for ink in (palette.text, palette.muted, palette.accent):
            assert contrast(ink, ground) >= 4.5, (ink, ground)
    for ink in (palette.ok, palette.warn, palette.error, palette.blue, palette.dim):
        assert contrast(ink, palette.background) >= (4.5 if ink != palette.dim else 3)
    for ink in (palette.keyword, palette.string, palette.number, palette.function):
        assert contrast(ink, palette.code_bg) >= 4.5
    for ground in (palette.add_bg, palette.del_bg, palette.select_bg):
        assert contrast(palette.text, ground) >= 4.5


@pytest.mark.parametrize(
    ("setting", "colorfgbg", "name"),
    [("auto", "", "dark"), ("auto", "0;15", "light"), ("auto", "15;0", "dark"),
     ("light", "15;0", "light"), ("ansi", "", "ansi"), ("nonsense", "", "dark")],
)  # fmt: skip
def test_theme_choice(setting: str, colorfgbg: str, name: str) -> None:
    assert themes.chosen(setting, colorfgbg).name == name


@pytest.mark.parametrize("theme", ["dark", "light", "ansi", "high-contrast"])
async def test_every_theme_draws_every_row(start: StartStory, theme: str) -> None:
    async with start() as story:
        story.app.use_theme(theme)
        story.engine.user("go")
        story.engine.say("# h\n\n`c` **b** [l](x)\n\n```python\nx = 1  # c\n```")
        story.engine.compact()
        story.engine.compacted()
        story.engine.permission("p", "edit", "x", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n")
        await story.settle()
        assert "+ b" in story.screen_text()

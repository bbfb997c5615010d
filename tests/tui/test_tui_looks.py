"""What the screen looks like; few, for what words cannot say."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from neocode.config.schema import Theme
from neocode.tui.app import NeoCodeApp
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import FakeEngine
from tests.tui.story import Story

DIFF = (
    "--- a/src/parse.py\n+++ b/src/parse.py\n@@ -10,3 +10,4 @@\n def main(argv):\n"
    "-    run(args)\n+    status = run(args)\n+    return status\n \n"
)
ANSWER = """The parser drops the **last row**, see `rows[0]`.

1. it splits on newlines
2. the rest is thrown away

| case | before | after |
|---|---:|---:|
| 中文 | 3 | 4 |

```python
def parse(text: str) -> list[str]:
    return text.splitlines()  # keeps it
```"""


def chat(engine: FakeEngine) -> None:
    """A turn with a tool row, a failure, a diff and an answer."""
    engine.user("Why does the parser lose the last row?")
    engine.call("c1", "read", "read src/parse.py")
    engine.result("c1", "read", "1\n2\n3")
    engine.call("c2", "edit", "edit src/parse.py")
    engine.result("c2", "edit", "ok", diff=DIFF, added=2, removed=1)
    engine.say(ANSWER)
    engine.tokens(84_000)


Scene = Callable[[Story], Awaitable[None]]


def app_with(
    scene: Scene, theme: Theme = "dark"
) -> tuple[NeoCodeApp, Callable[..., Awaitable[None]]]:
    """An app, and what a snapshot runs in it first."""
    engine = FakeEngine()
    engine.config = replace(engine.config, ui=replace(engine.config.ui, theme=theme))

    async def make() -> FakeEngine:
        return engine

    app = NeoCodeApp(make, Surroundings(theme=theme, approval_guard_s=0.0))

    async def before(pilot: Pilot[None]) -> None:
        story = Story(app, engine, pilot)
        await story.until(lambda: app.chat.stage is not None)
        await scene(story)
        app.chat.activity.end()
        app.chat.prompt.show_cursor = False
        await story.settle()

    return app, before


async def a_turn(story: Story) -> None:
    """Tool rows, a diff, an answer."""
    chat(story.engine)
    story.engine.finish()
    await story.settle()


async def an_approval(story: Story) -> None:
    """A question with a diff."""
    story.engine.permission(
        "p1", "edit", "src/parse.py", DIFF, rule="edit(src/**)", reason="edits are asked"
    )
    await story.settle()


async def a_compaction(story: Story) -> None:
    """A row with figures."""
    story.engine.user("go")
    story.engine.say("done")
    story.engine.finish()
    story.engine.compact()
    story.engine.compacted()
    story.engine.tokens(12_400, compactions=1)
    await story.settle()


@pytest.mark.parametrize(
    ("scene", "theme"),
    [(a_turn, "dark"), (a_turn, "light"), (an_approval, "dark"), (a_compaction, "dark")],
)
def test_looks(snap_compare: Callable[..., bool], scene: Scene, theme: Theme) -> None:
    app, before = app_with(scene, theme)
    assert snap_compare(app, run_before=before, terminal_size=(80, 24))

"""Pictures of the screen, made from a story that needs no model.

    python -m scripts.screenshots                 those of the docs, into docs/images
    python -m scripts.screenshots OUT [SCENE ...] every scene at three sizes, dark and light

Run it in the repository's root: the engine is the fake one of tests/tui.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from neocode.config.schema import Theme
from neocode.domain import events as ev
from neocode.domain.session import CompactionRecord
from neocode.domain.task_state import TaskState
from neocode.tui.app import NeoCodeApp
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import AT, FakeEngine
from tests.tui.fake_shelf import FakeShelf
from tests.tui.story import Story

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZES = ((80, 24), (120, 40), (200, 60))
THEMES: tuple[Theme, ...] = ("dark", "light")
DIFF = """--- a/src/parse.py
+++ b/src/parse.py
@@ -10,7 +10,8 @@
 def rows(text: str) -> list[str]:
     \"\"\"The rows of a table, without their line ends.\"\"\"
-    parts = text.split("\\n")
-    return parts[:-1]
+    if not text:
+        return []
+    return text.splitlines()


 def width(row: str) -> int:
"""
ANSWER = """The last row is lost because `split("\\n")[:-1]` takes for granted that the text ends
with a line end. Files that were written by hand often do not:

| input | rows before | rows after |
|:---|---:|---:|
| `"a\\nb\\n"` | 2 | 2 |
| `"a\\nb"` | **1** | 2 |
| `"名前\\n値"` | **1** | 2 |

I will change `rows()` in src/parse.py and add the second case as a test.
"""
DONE = """Done. `rows()` now uses `splitlines()`, and the new test fails without the change:

```python
def test_the_last_row_needs_no_line_end() -> None:
    assert rows("a\\nb") == ["a", "b"]
```

All 42 tests pass."""

Scene = Callable[[Story], Awaitable[None]]


def a_turn(engine: FakeEngine) -> None:
    """Reading, an explanation with a table."""
    engine.user("Why does the parser lose the last row? Please mend it.")
    engine.emit(ev.ReasoningDelta, text="The split leaves an empty part only when the text ends…")
    engine.call("c1", "grep", "grep 'def rows' src")
    engine.result("c1", "grep", "src/parse.py:10:def rows(text: str)", matches=1)
    engine.call("c2", "read", "read src/parse.py")
    engine.result("c2", "read", "\n".join(map(str, range(64))), seconds=0.02)
    engine.say(ANSWER)
    engine.tokens(61_000)


async def first_start(story: Story) -> None:
    """Nothing was said yet."""
    await story.settle()


async def no_model(story: Story) -> None:
    """Nothing is set up."""
    story.engine.model, story.engine.models = None, ()
    assert story.chat.stage is not None
    story.chat.stage.reload()
    story.chat.stage.refresh_facts()
    await story.settle()


async def chat(story: Story) -> None:
    """A table, tool rows and a diff to approve."""
    a_turn(story.engine)
    await approval_of_the_edit(story)


async def approval_of_the_edit(story: Story) -> None:
    """The question that goes with the edit."""
    story.engine.call("c3", "edit", "edit src/parse.py")
    story.engine.permission(
        "p1", "edit", "src/parse.py", DIFF, call_id="c3", rule="edit(src/**)",
    )  # fmt: skip
    await story.settle()


async def done(story: Story) -> None:
    """The edit is made, the tests ran."""
    a_turn(story.engine)
    story.engine.call("c3", "edit", "edit src/parse.py")
    story.engine.result("c3", "edit", "ok", diff=DIFF, added=3, removed=2)
    story.engine.call("c4", "bash", "bash pytest -q")
    story.engine.result("c4", "bash", "42 passed in 1.31s", exit_status=0, seconds=1.9)
    story.engine.say(DONE)
    story.engine.finish()
    story.engine.tokens(64_300)
    await story.settle()


async def approval(story: Story) -> None:
    """A command that is asked about in every mode."""
    story.engine.user("Clean up the old builds.")
    story.engine.call("c1", "bash", "bash rm -rf build/ dist/ ~/.cache/builds")
    story.engine.permission(
        "p1", "run", "rm -rf build/ dist/ ~/.cache/builds",
        "rm -rf build/ dist/ ~/.cache/builds", hard=True,
        reason="It deletes ~/.cache/builds, which is outside the project.",
    )  # fmt: skip
    story.engine.tokens(12_000)
    await story.settle()


async def compaction(story: Story) -> None:
    """A compaction is done; the conversation stays on the screen."""
    a_turn(story.engine)
    story.engine.say(DONE)
    story.engine.finish()
    await story.settle()
    story.engine.records.append(
        CompactionRecord(
            id="k_1", session_id="s_1", created_at=AT, trigger_mode="manual",
            strategy="keep_recent", method="summary", model="sonnet", transcript_id="t_1",
            transcript_path="~/.local/share/neocode/transcripts/t_1.jsonl",
            summary_message_id="m_sum",
            archived_ids=tuple(m.id for m in story.engine.history[:-2]),
            task_state_before=TaskState(), task_state_after=TaskState(goal="Mend the parser"),
            counters_before={}, metrics={},
        )
    )  # fmt: skip
    story.engine.compact()
    story.engine.compacted(transcript_path="~/.local/share/neocode/transcripts/t_1.jsonl")
    story.engine.tokens(12_400, compactions=1)
    await story.settle()


async def sessions(story: Story) -> None:
    """The session list."""
    await done(story)
    story.chat.send("/sessions")
    await story.until(lambda: "you    " in story.screen_text() or story.app.size.height < 20)


async def error(story: Story) -> None:
    """A key is missing; a command failed."""
    story.engine.user("Run the tests")
    story.engine.call("c1", "bash", "bash pytest -q")
    trace = "\n".join(f"tests/test_parse.py:{n}: AssertionError" for n in (10, 24))
    story.engine.result("c1", "bash", f"{trace}\n2 failed, 40 passed", exit_status=1, seconds=2.2)
    story.engine.emit(ev.Retry, attempt=1, max_attempts=5, wait_s=8.0, reason="429 from the server")
    story.engine.emit(
        ev.RunError, kind="auth", message="The server does not accept the key of sonnet.",
        hint="Check ANTHROPIC_API_KEY, then send the prompt again.",
    )  # fmt: skip
    story.engine.finish("error")
    await story.settle()


async def help_page(story: Story) -> None:
    """Keys and commands."""
    await story.press("f1")


async def find(story: Story) -> None:
    """Words in the conversation."""
    await done(story)
    story.chat.find_in("rows")
    await story.settle()


async def wide_text(story: Story) -> None:
    """Chinese, emoji, right-to-left text, in prose, table and input."""
    story.engine.user("表を見せて 👨‍👩‍👧 🇩🇪 ❤️ שלום مرحبا")
    story.engine.say(
        "| 名前 | flag | text |\n|---|---|---:|\n| 中文字 | 🇩🇪 | 12 |\n"
        "| family 👨‍👩‍👧 | ❤️ | 3 |\n\n"
        "שלום עולם and مرحبا بالعالم in one line, then 混合文本 without blanks."
    )
    story.engine.finish()
    story.chat.prompt.fill("中文 👨‍👩‍👧 text")
    await story.settle()


SCENES: dict[str, Scene] = {
    "first": first_start, "no-model": no_model, "chat": chat, "done": done, "approval": approval,
    "compaction": compaction, "sessions": sessions, "error": error, "help": help_page,
    "find": find, "wide": wide_text,
}  # fmt: skip
DOCS = {"chat": (100, 44), "approval": (100, 22), "compaction": (100, 34)}


async def picture(scene: Scene, size: tuple[int, int], theme: Theme) -> str:
    """One picture as SVG."""
    engine = FakeEngine(root=Path("/home/me/tables"))
    engine.config = replace(engine.config, ui=replace(engine.config.ui, theme=theme))

    async def make() -> FakeEngine:
        return engine

    around = Surroundings(theme=theme, approval_guard_s=0.0, shelf=FakeShelf())
    app = NeoCodeApp(make, around)
    async with app.run_test(size=size) as pilot:
        story = Story(app, engine, pilot)
        await story.until(lambda: app.chat.stage is not None)
        await scene(story)
        app.chat.activity.end() if not engine.busy else None
        app.chat.prompt.show_cursor = False
        await story.settle()
        svg = app.export_screenshot(title="neocode")
    # the same picture gets the same bytes: rich names its styles after a random number
    return re.sub(r"terminal-\d+", "neocode-screen", svg)


def main() -> None:
    out, *names = sys.argv[1:] or ["", ""]
    if not out:
        IMAGES.mkdir(parents=True, exist_ok=True)
        for name, size in DOCS.items():
            svg = asyncio.run(picture(SCENES[name], size, "dark"))
            (IMAGES / f"{name}.svg").write_text(svg, encoding="utf-8")
        return
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or SCENES:
        for size in SIZES:
            for theme in THEMES:
                svg = asyncio.run(picture(SCENES[name], size, theme))
                path = folder / f"{name}-{size[0]}x{size[1]}-{theme}.svg"
                path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()

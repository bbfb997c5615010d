"""Questions: permissions and ask_user."""

from pathlib import Path

import pytest

from neocode.domain import events as ev
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import FakeEngine
from tests.tui.story import StartStory

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"


ANSWERS = [
    (["1"], "once", ""),
    (["y"], "once", ""),
    (["enter"], "once", ""),
    (["2"], "session", ""),
    (["3"], "always", ""),
    (["a"], "always", ""),
    (["4"], "no", ""),
    (["n"], "no", ""),
    (["escape"], "no", ""),
    (["down", "down", "enter"], "always", ""),
    (["5", "w", "h", "y", "enter"], "no", "why"),
    (["5", "escape", "n"], "no", ""),
]


async def test_every_key_of_an_approval(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        for number, (keys, answer, note) in enumerate(ANSWERS):
            asked = f"p{number}"
            story.engine.permission(asked, "edit", "x.py", DIFF, rule="edit(*.py)", reason="ask")
            await story.settle()
            text = story.screen_text()
            assert "Change x.py?" in text
            assert "+ new" in text
            assert "Always: writes the rule edit(*.py)" in text
            await story.press(*keys)
            assert story.engine.asked[-1] == ("permission", asked, answer, note)
            assert "Change x.py?" not in story.screen_text()
            assert story.chat.prompt.has_focus


async def test_a_hard_question_defaults_to_no_and_never_offers_always(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        line = "rm -rf / --no-preserve-root && echo " + "x" * 200
        story.engine.permission("p1", "run", line, hard=True, reason="force-delete", rule="")
        await story.settle()
        text = story.screen_text()
        assert "DANGER: Run this command?" in text
        assert "ways" not in text
        assert "session" not in text
        assert text.replace("\n", "").replace(" ", "").count("x" * 20) >= 1
        await story.press("a")
        assert story.engine.asked == []
        await story.press("enter")
        assert story.engine.asked == [("permission", "p1", "no", "")]


async def test_the_real_path_is_shown(start: StartStory, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "project"
    root.mkdir()
    (root / "link").symlink_to(outside)
    async with start(FakeEngine(root=root), size=(160, 30)) as story:
        story.engine.permission("p1", "edit", "link/x.py", DIFF, reason="outside")
        await story.settle()
        assert f"real path {outside}/x.py" in story.screen_text()


async def test_questions_wait_in_line_and_the_draft_stays(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        await story.type("my draft")
        story.engine.permission("p1", "run", "make one", rule="bash(make *)")
        story.engine.permission("p2", "run", "make two", rule="bash(make *)")
        await story.settle()
        assert "make one" in story.screen_text()
        assert "make two" not in story.screen_text()
        await story.press("y")
        assert "make two" in story.screen_text()
        await story.press("n")
        assert [a[1:3] for a in story.engine.asked] == [("p1", "once"), ("p2", "no")]
        assert story.chat.prompt.text == "my draft"
        assert story.chat.prompt.has_focus


async def test_a_question_takes_no_key_of_typing_fingers(start: StartStory) -> None:
    around = Surroundings(theme="dark", approval_guard_s=3600)
    async with start(around=around) as story:
        story.engine.permission("p1", "run", "make", rule="bash(make)")
        await story.settle()
        await story.press("y", "enter", "1")
        assert story.engine.asked == []


async def test_a_long_diff_can_be_scrolled(start: StartStory) -> None:
    rows = "".join(f"+row {i}\n" for i in range(100))
    async with start() as story:
        story.engine.permission("p1", "edit", "x", f"--- a\n+++ b\n@@ -0,0 +1,100 @@\n{rows}")
        await story.settle()
        assert "row 99" not in story.screen_text()
        await story.press(*["pagedown"] * 20)
        assert "row 99" in story.screen_text()
        assert "1 Yes, this once" in story.screen_text()


@pytest.mark.parametrize(
    ("keys", "answer"), [(["2"], "Postgres[1]"), (["enter"], "SQLite"), (["o", "x", "enter"], "x")]
)
async def test_the_models_question(start: StartStory, keys: list[str], answer: str) -> None:
    async with start() as story:
        story.engine.user("go")
        options = ("SQLite", "Postgres[1]")
        story.engine.emit(ev.Question, request_id="q1", question="Which [db]?", options=options)
        await story.settle()
        assert "? Which [db]?" in story.screen_text()
        await story.press(*keys)
        assert story.engine.asked == [("question", "q1", answer)]
        assert story.chat.prompt.has_focus


async def test_a_question_without_options_wants_words(start: StartStory) -> None:
    async with start() as story:
        story.engine.emit(ev.Question, request_id="q1", question="Name?", options=())
        await story.settle()
        await story.press("m", "e", "enter")
        assert story.engine.asked == [("question", "q1", "me")]


async def test_a_run_that_ends_takes_its_question_along(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.permission("p1", "run", "make")
        await story.settle()
        story.engine.finish("cancelled")
        await story.settle()
        assert "make" not in story.screen_text()
        assert story.chat.prompt.has_focus

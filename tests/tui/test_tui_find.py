"""Finding words in the conversation, jumping between prompts, folding, pages of output."""

from hypothesis import given
from hypothesis import strategies as st

from neocode.domain import events as ev
from neocode.tui.rows.base import Item
from neocode.tui.rows.find import Finder, line_of
from neocode.tui.rows.talk import AnswerItem, UserItem
from neocode.tui.text.side_by_side import Diff, pairs_of
from neocode.tui.widgets.row_strip import Mark, found_marks, is_safe, pieces
from tests.tui.fake_engine import FakeEngine, message
from tests.tui.story import StartStory

DIFF = (
    "--- a/x.py\n+++ b/x.py\n@@ -10,4 +10,4 @@\n def main(argv):\n-    run(args)\n"
    "-    done()\n+    status = run(args)\n     return 0\n@@ -40,1 +40,2 @@\n last\n+more\n"
)


def long_session(turns: int) -> FakeEngine:
    engine = FakeEngine()
    for turn in range(turns):
        engine.history.append(message(2 * turn, "user", f"question {turn}"))
        engine.history.append(message(2 * turn + 1, "assistant", f"**answer** {turn}\n\nend"))
    engine.session = engine.session.with_messages(tuple(engine.history))
    return engine


async def test_words_far_above_are_found_marked_and_stepped_through(start: StartStory) -> None:
    async with start(long_session(300)) as story:
        await story.press("ctrl+f")
        await story.type("question 2")
        assert "111 of 111 · Enter older" in story.screen_text()
        assert "question 299" in story.screen_text()
        await story.press(*["down"] * 2)
        assert "2 of 111" in story.screen_text()
        assert "question 20" in story.screen_text()
        await story.press(*["backspace"] * 10)
        await story.type("ANSWER 7\n")
        assert "answer 7" in story.screen_text()
        await story.press("escape")
        assert story.chat.prompt.has_focus
        assert "answer 7" in story.screen_text()
        story.chat.send("/find nowhere")
        await story.settle()
        assert "not found" in story.screen_text()


async def test_folded_output_is_unfolded_where_the_words_stand(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.call("c1", "bash", "bash make")
        rows = "\n".join(f"row {n}" for n in range(500))
        story.engine.result("c1", "bash", rows, exit_status=0)
        story.engine.say("done")
        story.engine.finish()
        await story.settle()
        story.chat.find_in("row 321")
        await story.until(lambda: "1 of 1" in story.screen_text())
        assert "│ row 321" in story.screen_text()


async def test_jumps_between_prompts(start: StartStory) -> None:
    async with start(long_session(100)) as story:
        await story.press("ctrl+up")
        first = story.screen_text()
        for _ in range(60):
            story.chat.action_jump(-1)
        await story.settle()
        top = story.screen_text().split("\n")[0]
        assert top.startswith(" ▌ question")
        number = int(top.split()[-1])
        assert number < 40
        await story.press("ctrl+down")
        assert story.screen_text().split("\n")[0].endswith(f"question {number + 1}")
        for _ in range(100):
            story.chat.action_jump(1)
        await story.settle()
        assert story.chat.transcript.following
        assert "question 99" in first


async def test_rows_unfold_one_by_one_then_all(start: StartStory) -> None:
    async with start() as story:
        story.engine.user("go")
        story.engine.emit(ev.ReasoningDelta, text="deep thought")
        for call in ("c1", "c2"):
            story.engine.call(call, "bash", f"bash {call}")
            story.engine.result(call, "bash", f"out-{call}\nend", exit_status=0)
        await story.settle()
        await story.press("ctrl+o")
        assert "out-c2" in story.screen_text()
        assert "out-c1" not in story.screen_text()
        await story.press("ctrl+o")
        assert "out-c1" in story.screen_text()
        assert "deep thought" in story.screen_text()
        await story.press("ctrl+o")
        assert "out-c" not in story.screen_text()
        await story.press("alt+t")
        assert "deep thought" in story.screen_text()
        assert "out-c" not in story.screen_text()
        await story.press("alt+o")
        assert "out-c2" in story.screen_text()
        assert story.app.screen is not story.chat
        await story.press("escape")


def test_a_wide_screen_shows_a_diff_in_two_columns() -> None:
    rows = Diff(DIFF).layout(130).rows
    shown = ["".join(s.text for s in (*r.prefix, *r.spans)) for r in rows]
    assert "run(args)" in shown[1]
    assert "status = run(args)" in shown[1]
    assert shown[1].index("│") == shown[3].index("│")
    assert "⋯" in shown[4]
    assert Diff(DIFF).layout(130).texts[1] == "    status = run(args)"
    narrow = ["".join(s.text for s in (*r.prefix, *r.spans)) for r in Diff(DIFF).layout(100).rows]
    assert len(narrow) == 8
    assert "… 4 more lines" in Diff(DIFF, most=3).layout(130).texts


@given(st.lists(st.tuples(st.sampled_from("+- "), st.text("ab中 ", max_size=90)), min_size=1))
def test_two_columns_lose_no_line_and_keep_their_width(rows: list[tuple[str, str]]) -> None:
    diff = "--- a\n+++ b\n@@ -1,9 +1,9 @@\n" + "\n".join(sign + text for sign, text in rows)
    pairs = pairs_of(diff)
    stripped = [(s, t) for s, t in rows]
    # an empty last line is the diff's own end
    news = [t for s, t in stripped if s != "-"]
    assert [p.new[1] for p in pairs if p.new] == news[: len([p for p in pairs if p.new])]
    layout = Diff(diff).layout(140)
    from neocode.tui.text.lines import cells

    assert all(cells((*r.prefix, *r.spans)) <= 140 for r in layout.rows)
    assert all(0 <= r.line < len(layout.texts) for r in layout.rows)


@given(st.text("ab*", max_size=30), st.text("ab*", min_size=1, max_size=3))
def test_every_place_is_a_line(text: str, words: str) -> None:
    items: list[Item] = [UserItem("m_1", text), AnswerItem("m_2", text)]
    places = Finder().places(items, words)
    for place in places:
        assert place.item in items
    if words.replace("*", "") and words.replace("*", "") in text.replace("*", ""):
        assert len(places) == 2
        assert line_of([text], words, 5) == 0


@given(
    st.text("abc", min_size=1, max_size=20),
    st.integers(0, 10),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))),
)
def test_pieces_are_the_whole_text(text: str, at: int, spans: list[tuple[int, int]]) -> None:
    marks = [Mark(min(s), max(s), "selected") for s in spans if s[0] != s[1]]
    cut = pieces(text, at, marks)
    assert "".join(piece for piece, _ in cut) == text
    place = at
    for piece, style in cut:
        inside = [any(m.start <= place + i < m.end for m in marks) for i in range(len(piece))]
        assert all(i == bool(style) for i in inside)
        place += len(piece)


def test_found_words_and_safe_addresses() -> None:
    assert [m[:2] for m in found_marks("Aa ba", "A", "x")] == [(0, 1), (1, 2), (4, 5)]
    assert found_marks("x", "", "x") == []
    assert is_safe("https://example.org/a?b=[1]")
    assert not any(map(is_safe, ("javascript:x", "file:///etc", "https://a\x1b]0;x", "http:// x")))

"""The preamble and the user's archived words (spec/context 4 and 10)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from neocode.context.estimate import estimate_chars
from neocode.context.preamble import render_preamble, render_state
from neocode.context.user_words import CUT_AT, cut_middle, select_words
from neocode.domain.task_state import TaskState
from tests.histories import summary

RULE = "never   touch vendor/ — «word for word»"
STATE = TaskState(
    goal="ship it",
    progress=("parser done",),
    open_items=("docs",),
    next_step="write docs",
    user_constraints=("short answers", RULE),
    pinned=(RULE,),
    last_updated_at="2026-11-30T15:04:22.123456Z",
)


def test_nothing_known_gives_no_preamble() -> None:
    assert render_preamble(TaskState(), None, 2000).text == ""


def test_fields_carry_the_specs_names_and_no_time() -> None:
    text = render_state(STATE)
    assert "goal: ship it\nprogress:\n- parser done\nopen_items:\n- docs" in text
    assert text.endswith("next_step: write docs")
    assert "2026" not in text
    assert render_state(replace(STATE, last_updated_at="")) == text


def test_pinned_rules_stand_word_for_word_once_and_first() -> None:
    text = render_state(STATE)
    assert text.count(RULE) == 1
    assert text.index(RULE) < text.index("goal:")
    assert "- short answers" in text


def test_notes_are_marked_as_notes_and_words_as_the_users() -> None:
    text = render_preamble(STATE, summary("s", "[compact_summary] x", "do A", "do B"), 2000).text
    assert "not orders" in text
    assert "written by a model" in text
    assert (
        text.index("[compact_summary] x") < text.index("user's own archived") < text.index("do A")
    )
    assert "<user_message>\ndo A\n</user_message>" in text


def test_words_that_are_no_list_of_text_are_ignored() -> None:
    odd = replace(summary("s", "[compact_summary]"), metadata={"user_words": ["a", 3, None]})
    assert "<user_message>\na\n</user_message>" in render_preamble(STATE, odd, 2000).text


def test_the_first_and_then_the_newest_words_within_the_room() -> None:
    words = [f"message {n} " + "word " * 40 for n in range(20)]
    chosen = select_words(words, 300)
    assert chosen[0] == words[0]
    assert chosen[1:] == words[-len(chosen) + 1 :]
    assert sum(map(estimate_chars, chosen)) <= 300
    assert select_words(words, 0) == []
    assert select_words([], 100) == []


@given(st.lists(st.text(max_size=2500), max_size=8), st.integers(0, 3000))
def test_choosing_again_chooses_the_same(words: list[str], room: int) -> None:
    chosen = select_words(words, room)
    assert select_words(chosen, room) == chosen
    assert sum(map(estimate_chars, chosen)) <= room


@given(st.text(max_size=5000))
def test_a_cut_keeps_head_and_tail(text: str) -> None:
    cut = cut_middle(text)
    assert len(cut) <= CUT_AT
    assert cut == text or (text.startswith(cut[:900]) and text.endswith(cut[-400:]))
    assert cut_middle(cut) == cut

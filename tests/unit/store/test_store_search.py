"""Search: words, questions, two Chinese characters; small on disk."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.store.search import best_passage, snippet
from neocode.store.sessions import SessionStore
from neocode.store.words import Term, index_text, query_terms, session_word, words
from tests.unit.store.store_builders import call, compact, message, result, talk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    opened = SessionStore.open(tmp_path / "sessions.db")
    yield opened
    opened.close()


def test_words_are_lower_case_and_cjk_is_cut_into_pairs() -> None:
    assert list(words("Fix apply_compaction(x)!")) == ["fix", "apply", "compaction", "x"]
    assert list(words("数据库 DB")) == ["数据", "据库", "库", "db"]
    assert list(words("パス")) == ["パス", "ス"]
    assert index_text("a b a", "b c") == "a b c"


@given(st.text(max_size=60))
def test_every_word_of_a_text_is_looked_for(text: str) -> None:
    indexed = set(index_text(text).split())
    for term in query_terms(text):
        assert any(w.startswith(term.text) if term.is_prefix else w == term.text for w in indexed)


@given(st.text(), st.uuids())
def test_no_text_yields_a_session_word(text: str, key: object) -> None:
    assert session_word(f"s_{key}") not in set(words(text))


@pytest.mark.parametrize("query", ["端口", "口", "使用端口", "Port 8443", "8443"])
def test_chinese_words_of_two_characters_are_found(store: SessionStore, query: str) -> None:
    session = talk(store, "你好", "服务器使用端口 Port 8443。", "其他", "内容")
    hits = store.search(query, session_id=session.id)
    assert [hit.message_id for hit in hits][:1] == [session.messages[1].id]


def test_a_question_finds_the_message_that_answers_it(store: SessionStore) -> None:
    session = talk(
        store,
        "the server is slow and the port of the code to Go is done",
        "we decided that the staging server listens on port 9443",
        "which server should we look at, and what of the staging data",
    )
    hits = store.search("Which port does the staging server listen on?", session.id)
    assert hits[0].message_id == session.messages[1].id
    assert "9443" in hits[0].snippet


def test_arguments_and_results_of_calls_are_searched(store: SessionStore) -> None:
    session = store.create(cwd="/p")
    said = [call("c1", arguments='{"command": "cargo nextest"}'), result("c1", "E0277 unsized")]
    store.append(session.with_messages(said), *said)
    assert [h.message_id for h in store.search("nextest")] == [said[0].id]
    assert [h.message_id for h in store.search("e0277")] == [said[1].id]


def test_archived_text_is_found_and_marked(store: SessionStore) -> None:
    session = talk(store, "alpha", "beta", "gamma")
    compact(store, session, 0, 2)
    (hit,) = store.search("alpha")
    assert (hit.archived, hit.role, hit.session_id) == (True, "user", session.id)
    assert len(store.search("compact_summary")) == 1
    store.undo_compaction(session.id)
    assert store.search("compact_summary") == []
    assert not store.search("alpha")[0].archived


def test_a_search_stays_in_its_session_and_in_its_limit(store: SessionStore) -> None:
    one = talk(store, *["common word"] * 6)
    talk(store, "common word")
    assert {hit.session_id for hit in store.search("common", one.id)} == {one.id}
    assert len(store.search("common")) == 7
    assert len(store.search("common", limit=3)) == 3


@pytest.mark.parametrize("query", ["", "  ", "!?", '"', "NEAR(", "a OR", "*", "\x00"])
def test_any_query_is_answered(store: SessionStore, query: str) -> None:
    talk(store, "nothing of that kind")
    store.search(query)


def test_the_passage_is_where_the_words_stand_together() -> None:
    filler = "port " + "x " * 300
    text = filler + "the staging port is 9443 " + filler
    middle, worth = best_passage(text, {Term("staging", False): 2.0, Term("port", False): 1.0}, 80)
    assert 3.0 < worth < 3.3, "a word that comes again adds little"
    assert "9443" in snippet(text, middle, 80)
    assert best_passage("nothing", {Term("staging", False): 1.0}, 80) == (0, 0.0)


def test_what_was_said_of_it_stands_before_a_long_dump_with_every_word(
    store: SessionStore,
) -> None:
    spread = ("which commit", "of the parent", "was", "merged")
    dump = ("lorem ipsum " * 60).join(spread)
    talk(store, dump, "The parent's commit is eafc9512; I merge it.", "something else")
    hits = store.search("Which commit of the parent was merged?")
    assert "eafc9512" in hits[0].snippet


def test_question_words_do_not_choose_the_passage() -> None:
    little = [term for term in query_terms("which of these was the port") if term.weight < 0.5]
    assert {term.text for term in little} == {"which", "of", "these", "was", "the"}


def test_stored_bytes_stay_under_three_a_byte(store: SessionStore) -> None:
    """spec/performance: linear in new text, search index included."""
    drawn = random.Random(3)
    vocabulary = ["".join(drawn.choices("abcdefghij", k=drawn.randint(2, 9))) for _ in range(3000)]
    sizes = []
    session = store.create(cwd="/p")
    for _ in range(2):
        said = [
            message(" ".join(drawn.choices(vocabulary, k=drawn.choice([20, 100, 400]))))
            for _ in range(300)
        ]
        store.append(session, *said)
        store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sizes.append(store.path.stat().st_size)
    text = sum(len(m.content.encode()) for m in store.messages(session.id))
    assert sizes[1] <= 3 * text
    assert sizes[1] <= 2.2 * sizes[0]

"""SessionStore: what is written is read back, in both views."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.domain.errors import StoreError
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.session import Notice
from neocode.domain.task_state import TaskState
from neocode.domain.usage import Usage
from neocode.store.sessions import SessionStore
from tests.unit.store.store_builders import call, compact, compaction, message, result, talk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    opened = SessionStore.open(tmp_path / "sessions.db")
    yield opened
    opened.close()


CLEAN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MESSAGES = st.builds(
    Message,
    id=st.uuids().map(str),
    created_at=CLEAN,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=CLEAN,
    tool_calls=st.lists(st.builds(ToolCall, id=CLEAN, name=CLEAN, arguments=CLEAN), max_size=2).map(
        tuple
    ),
    tool_call_id=st.none() | CLEAN,
    tool_name=st.none() | CLEAN,
    is_error=st.booleans(),
    images=st.lists(st.builds(Image, media_type=CLEAN, data=CLEAN), max_size=1).map(tuple),
    metadata=st.dictionaries(
        CLEAN, CLEAN | st.integers() | st.lists(CLEAN, max_size=2), max_size=2
    ),
)


@given(messages=st.lists(MESSAGES, max_size=6, unique_by=lambda m: m.id))
@settings(max_examples=20, deadline=None)
def test_messages_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Message]
) -> None:
    opened = SessionStore.open(tmp_path_factory.mktemp("db") / "sessions.db")
    session = opened.create(cwd="/p")
    opened.append(session.with_messages(messages), *messages)
    assert opened.messages(session.id, "full") == messages
    assert list(opened.load(session.id).messages) == messages
    opened.close()


def test_half_a_surrogate_is_replaced_instead_of_refused(store: SessionStore) -> None:
    session = store.create(cwd="/p")
    store.append(session, message("a\ud800b \ud83d\ude00", metadata={"k": "\udc00"}))
    assert store.messages(session.id)[0].content == "a\ufffdb 😀"


def test_counters_and_task_state_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    first = SessionStore.open(path)
    said = message("hello")
    session = replace(
        first.create(cwd="/p", model="m", agent="a", title="t").append(said),
        task_state=TaskState(goal="g", pinned=("never push",), user_constraints=("never push",)),
        input_tokens_since_compaction=5,
        micro_edge="m_1",
        micro_rent=1.25,
        weak_compactions=1,
        auto_paused=True,
        usage=Usage(input_tokens=3, output_tokens=4),
        cost_usd=None,
    )
    first.append(session, said)
    first.close()
    again = SessionStore.open(path)
    assert again.load(session.id) == session
    again.close()


def test_an_empty_session_is_in_no_list_but_keeps_its_task_state(store: SessionStore) -> None:
    session = replace(store.create(cwd="/p"), task_state=TaskState(goal="g"))
    assert store.list() == []
    store.save(session)
    assert store.list() == []
    assert store.latest("/p") is None
    assert store.load(session.id) == session


def test_the_list_is_newest_first_and_knows_the_folder(store: SessionStore) -> None:
    old = talk(store, "fix the parser\nplease", "done", cwd="/a")
    new = talk(store, "hi", cwd="/b")
    assert [info.id for info in store.list()] == [new.id, old.id]
    assert [info.id for info in store.list(cwd="/a")] == [old.id]
    assert (store.list()[1].title, store.list()[1].messages) == ("fix the parser", 2)
    assert store.latest("/a") == old.id


def test_the_beginning_of_an_id_is_enough_while_it_is_unambiguous(store: SessionStore) -> None:
    one, other = talk(store, "x"), talk(store, "y")
    assert store.load(one.id[:-1]).id in (one.id, other.id)
    with pytest.raises(StoreError, match=f"several sessions.*{min(one.id, other.id)}"):
        store.load("s_")
    with pytest.raises(StoreError, match="no session nope"):
        store.load("nope")


def test_rename_and_delete(store: SessionStore) -> None:
    session = talk(store, "a needle in the hay")
    other = talk(store, "another needle")
    store.rename(session.id, "Sewing")
    assert store.load(session.id).title == "Sewing"
    store.delete(session.id)
    assert [info.id for info in store.list()] == [other.id]
    assert [hit.session_id for hit in store.search("needle")] == [other.id]
    with pytest.raises(StoreError, match="no session"):
        store.delete(session.id)


def test_a_message_id_is_taken_once_in_a_session_and_may_stand_in_another(
    store: SessionStore,
) -> None:
    session = talk(store, "x")
    with pytest.raises(StoreError, match="already stored"):
        store.append(session, session.messages[0])
    assert len(store.messages(session.id)) == 1
    other = store.create(cwd="/p")
    store.append(other, session.messages[0])
    assert store.messages(other.id) == list(session.messages)


def test_a_repair_mark_is_stored_in_place(store: SessionStore) -> None:
    session = talk(store, "one", "two", "three")
    marked = replace(session.messages[1].with_metadata(interrupted=True), content="zwei")
    store.replace_message(session.id, marked)
    assert store.messages(session.id)[1] == marked
    assert store.search("two") == []
    assert [hit.message_id for hit in store.search("zwei")] == [marked.id]
    with pytest.raises(StoreError, match="no message"):
        store.replace_message(session.id, message("never stored"))


def test_a_compaction_that_does_not_fit_leaves_everything(store: SessionStore) -> None:
    session = talk(store, *"abcdef")
    after, record, summary = compaction(session, 0, 4)
    before = (store.load(session.id), store.messages(session.id, "full"))
    wrong = after.with_messages(after.messages[1:])
    with pytest.raises(StoreError, match="changed while it was compacted"):
        store.apply_compaction(wrong, record, summary)
    with pytest.raises(StoreError, match="changed while it was compacted"):
        store.apply_compaction(after, replace(record, archived_ids=("nope",)), summary)
    assert (store.load(session.id), store.messages(session.id, "full")) == before
    assert store.compactions(session.id) == []


def test_a_compaction_marks_its_archive_and_keeps_its_record(store: SessionStore) -> None:
    session = talk(store, *"abcdef")
    after, record, summary = compaction(session, 0, 4)
    store.apply_compaction(replace(after, input_tokens_since_compaction=99), record, summary)
    full = store.messages(session.id, "full")
    assert [m.compacted_into for m in full] == [summary.id] * 4 + [None] * 3
    assert {m.compacted_at for m in full[:4]} == {record.created_at}
    assert store.load(session.id) == after
    assert store.load(session.id).input_tokens_since_compaction == 0
    (stored,) = store.compactions(session.id)
    assert replace(stored, counters_before={}) == record
    assert stored.counters_before["input_tokens_since_compaction"] == 0


def test_a_pruning_shortens_messages_in_the_compacted_view_only(store: SessionStore) -> None:
    session = talk(store, "go", "long " * 100, "x")
    after, record, _ = compaction(session, 0, 0)
    short = replace(session.messages[1], content="[cleared]")
    after = after.with_messages((session.messages[0], short, session.messages[2]))
    record = replace(record, summary_message_id="", method="prune")
    store.apply_compaction(after, record, None)
    assert store.load(session.id).messages[1] == short
    assert store.tail(session.id, "compacted", 2)[0] == short
    assert store.messages(session.id, "full") == list(session.messages)
    assert store.undo_compaction(session.id).messages == session.messages
    assert store.redo_compaction(session.id).messages[1] == short


def test_a_summary_before_a_message_carried_over_from_further_back(store: SessionStore) -> None:
    """A long run: its prompt stays, whichever side of it the summary stands on."""
    session = talk(store, "prompt", *"abcdef")
    for carried_first in (True, False):
        after, record, summary = compaction(session, 1, 5)
        rest = session.messages[5:]
        head = (session.messages[0], summary) if carried_first else (summary, session.messages[0])
        store.apply_compaction(after.with_messages((*head, *rest)), record, summary)
        assert store.load(session.id).messages == (*head, *rest)
        store.undo_compaction(session.id)


def test_undo_and_redo_say_when_there_is_nothing(store: SessionStore) -> None:
    session = talk(store, *"abcd")
    with pytest.raises(StoreError, match="no compaction to undo"):
        store.undo_compaction(session.id)
    with pytest.raises(StoreError, match="no undone compaction"):
        store.redo_compaction(session.id)


def test_counters_come_back_and_calls_since_then_are_added(store: SessionStore) -> None:
    session = replace(talk(store, *"abcd"), input_tokens_since_compaction=100, micro_edge="e")
    store.save(session)
    after = replace(compact(store, session, 0, 2), input_tokens_since_compaction=30)
    store.save(replace(after, weak_compactions=1))
    undone = store.undo_compaction(session.id)
    assert (undone.input_tokens_since_compaction, undone.micro_edge) == (130, "e")
    assert undone.weak_compactions == 0
    redone = store.redo_compaction(session.id)
    assert (redone.input_tokens_since_compaction, redone.micro_edge) == (30, "")
    assert redone.weak_compactions == 1


def test_a_rule_pinned_after_a_compaction_survives_its_undo(store: SessionStore) -> None:
    session = talk(store, *"abcd")
    state = TaskState(user_constraints=("old",), pinned=("old",))
    session = replace(session, task_state=state)
    store.save(session)
    after = compact(store, session, 0, 2)
    rules = TaskState(goal="g", user_constraints=("new",), pinned=("new",))
    store.save(replace(after, task_state=rules))
    undone = store.undo_compaction(session.id).task_state
    assert undone == TaskState(user_constraints=("new",), pinned=("new",))
    assert store.redo_compaction(session.id).task_state == rules


def test_a_new_compaction_ends_redo(store: SessionStore) -> None:
    session = talk(store, *"abcdef")
    compact(store, session, 0, 2)
    undone = store.undo_compaction(session.id)
    compact(store, undone, 1, 4)
    with pytest.raises(StoreError, match="no undone compaction"):
        store.redo_compaction(session.id)


def test_rewind_hides_later_messages_and_takes_back_what_reaches_over_it(
    store: SessionStore,
) -> None:
    session = talk(store, *"abcdef")
    after = compact(store, session, 0, 4)
    later = message("later")
    store.append(after.append(later), later)
    kept = store.rewind(session.id, session.messages[4].id)
    assert kept.messages == after.messages[:2]
    assert kept.compactions == 1
    back = store.rewind(session.id, session.messages[1].id)
    assert back.messages == session.messages[:2]
    assert back.compactions == 0
    assert store.list()[0].messages == 2
    assert store.messages(session.id, "full") == list(session.messages[:2])
    assert store.record(session.id, later.id) == later
    assert store.search("later") == []
    with pytest.raises(StoreError, match="no undone compaction"):
        store.redo_compaction(session.id)


def test_rewind_forgets_an_edge_that_is_hidden(store: SessionStore) -> None:
    session = talk(store, *"abc")
    store.save(replace(session, micro_edge=session.messages[2].id))
    assert store.rewind(session.id, session.messages[0].id).micro_edge == ""


def test_fork_is_a_session_of_its_own_that_can_be_undone_too(store: SessionStore) -> None:
    session = talk(store, *"abcdef")
    after = compact(store, session, 0, 4)
    copy = store.fork(session.id)
    assert copy.id != session.id
    assert copy.messages == after.messages
    assert store.undo_compaction(copy.id).messages == session.messages
    assert store.load(session.id) == after
    part = store.fork(session.id, session.messages[2].id)
    assert part.messages == session.messages[:3]
    assert {info.id: info.messages for info in store.list()}[part.id] == 3
    assert {hit.session_id for hit in store.search("c")} == {session.id, copy.id, part.id}


def test_every_handle_finds_its_record(store: SessionStore) -> None:
    session = store.create(cwd="/p")
    said = [message("go"), call("call_1"), result("call_1", "out"), call("call_2")]
    store.append(session.with_messages(said), *said)
    assert store.find_by_handle(session.id, said[0].id) == said[0]
    assert store.find_by_handle(session.id, "call_1") == said[2]
    assert store.find_by_handle(session.id, "call_2") == said[3]
    assert store.find_by_handle(session.id, "call_3") is None


def test_notices_learned_values_and_inputs(store: SessionStore) -> None:
    session = talk(store, "x")
    notice = Notice(
        id="n_1",
        session_id=session.id,
        created_at="2026",
        after_message_id=session.messages[0].id,
        kind="compact_done",
        payload={"saved_ratio": 0.5},
    )
    store.add_notice(notice)
    assert store.notices(session.id) == [notice]
    assert store.recalled("window", "m") is None
    store.remember("window", "m", 1000)
    store.remember("window", "m", 2000)
    assert store.recalled("window", "m") == 2000
    for text in ("a", "b", "b", " ", "c"):
        store.add_input(text)
    assert store.inputs() == ["a", "b", "c"]
    assert store.inputs(2) == ["b", "c"]


def test_many_threads_may_write_at_once(store: SessionStore) -> None:
    session = talk(store, "x")
    said = [message(f"n{index}") for index in range(40)]
    threads = [threading.Thread(target=store.append, args=(session, m)) for m in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = store.messages(session.id, "full")
    assert sorted(m.id for m in stored[1:]) == sorted(m.id for m in said)


def test_a_stream_is_the_full_view(store: SessionStore) -> None:
    said = [message(str(index)) for index in range(450)]
    session = store.create(cwd="/p").with_messages(said)
    store.append(session, *said)
    compact(store, session, 0, 400)
    assert list(store.stream(session.id)) == store.messages(session.id, "full")


def test_a_carried_prompt_stands_before_the_summary(store: SessionStore) -> None:
    """token_budget carries the newest prompt over; it came after what the summary archived.

    Found with a recording whose prompt was not its first message: storage_failed each time.
    """
    session = talk(store, *"abcdef")
    after, record, summary = compaction(session, 0, 5)
    archived = tuple(m.id for m in session.messages if m.content in "abde")
    kept = {m.content: m for m in session.messages}
    after = after.with_messages([kept["c"], summary, kept["f"]])
    store.apply_compaction(after, replace(record, archived_ids=archived), summary)
    assert [m.content[:1] for m in store.load(session.id).messages] == ["c", "[", "f"]
    assert [m.content for m in store.undo_compaction(session.id).messages] == list("abcdef")

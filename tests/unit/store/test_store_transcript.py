"""Transcripts: lossless for ours, tolerant of damage, open to what others wrote."""

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.domain.errors import StoreError
from neocode.domain.messages import Image, Message, ToolCall
from neocode.store.lines import FIELDS, OWN, RECORD_FIELDS, encode, line_of
from neocode.store.sessions import SessionStore
from neocode.store.transcript import TranscriptRef, read_transcript, write_transcript
from neocode.store.transcripts import (
    find_transcript,
    list_transcripts,
    prune_transcripts,
    search_transcripts,
)
from tests.unit.store.store_builders import call, compact, message, result, talk

DOCUMENT = Path(__file__).parents[3] / "docs" / "transcript-format.md"
TEXT = st.text('abc 中\n\t"\\{}', min_size=1, max_size=12)
NAMES = st.sampled_from([*RECORD_FIELDS, OWN, "path", "usage"])
VALUES = TEXT | st.integers() | st.lists(TEXT, max_size=2) | st.dictionaries(TEXT, TEXT, max_size=1)
COMMON = {
    "id": st.uuids().map(str),
    "created_at": TEXT,
    "content": TEXT,
    "images": st.lists(
        st.builds(Image, media_type=TEXT, data=TEXT, width=st.integers(0, 9)), max_size=2
    ).map(tuple),
    "metadata": st.dictionaries(NAMES, VALUES, max_size=3),
    "compacted_at": st.none() | TEXT,
    "compacted_into": st.none() | TEXT,
}
CALLS = st.lists(st.builds(ToolCall, id=TEXT, name=TEXT, arguments=st.just("") | TEXT), max_size=2)
MESSAGES = st.one_of(
    st.builds(Message, role=st.just("user"), is_compaction_summary=st.booleans(), **COMMON),
    st.builds(Message, role=st.just("assistant"), tool_calls=CALLS.map(tuple), **COMMON),
    st.builds(
        Message,
        role=st.just("tool"),
        tool_call_id=TEXT,
        tool_name=TEXT,
        is_error=st.booleans(),
        **COMMON,
    ),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    opened = SessionStore.open(tmp_path / "sessions.db")
    yield opened
    opened.close()


@given(messages=st.lists(MESSAGES, max_size=5, unique_by=lambda m: m.id))
@settings(max_examples=30, deadline=None)
def test_a_transcript_is_lossless(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Message]
) -> None:
    ref = write_transcript(tmp_path_factory.mktemp("t"), "s_1", messages)
    contents = read_transcript(ref.path)
    assert list(contents.messages) == messages
    assert (ref.count, contents.notice) == (len(messages), "")


@given(messages=st.lists(MESSAGES, max_size=5, unique_by=lambda m: m.id), secret=TEXT)
@settings(max_examples=30, deadline=None)
def test_lines_from_rows_are_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Message], secret: str
) -> None:
    store = SessionStore.open(tmp_path_factory.mktemp("db") / "sessions.db")
    session = store.create(cwd="/p")
    store.append(session.with_messages(messages), *messages)
    for secrets in ((), (secret,), (secret * 6,)):
        wanted = [encode(line_of(m, i, secrets)) for i, m in enumerate(messages)]
        assert list(store.lines(session.id, secrets)) == wanted
    store.close()


def test_name_place_and_modes(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "p" / "transcripts"
    now = datetime(2026, 11, 30, 15, 4, 22, tzinfo=UTC)
    ref = write_transcript(folder, "s_12", [message("x")], now=lambda: now)
    assert ref.path.parent == folder
    assert ref.path.name.startswith("20261130T150422Z_s_12_")
    assert len(ref.id.rpartition("_")[2]) == 6
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(ref.path.stat().st_mode) == 0o600
    (info,) = list_transcripts(tmp_path / "projects")
    assert (info.id, info.session_id, info.project) == (ref.id, "s_12", "p")
    assert info.created_at == "2026-11-30T15:04:22Z"
    assert info.size == ref.path.stat().st_size


def test_fields_stand_in_order_and_only_where_they_say_something() -> None:
    assert list(line_of(message("x"), 0)) == ["index", "id", "created_at", "role", "content"]
    line = line_of(result("c1", "out", is_error=True, metadata={"exit_status": 1}), 3)
    assert list(line) == [name for name in FIELDS if name != "tool_calls"]
    assert line_of(call("c1"), 0)["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "bash", "arguments": '{"command": "ls"}'},
        }
    ]


def test_the_document_names_every_field() -> None:
    text = DOCUMENT.read_text()
    for name in (*FIELDS, *RECORD_FIELDS, OWN, "imported_role"):
        assert f"`{name}`" in text


def test_keys_are_masked_on_the_way_to_disk(tmp_path: Path, store: SessionStore) -> None:
    """B47: in contents, arguments and metadata; pictures are left as they are."""
    key, own = "ghp_" + "aB3d" * 9, "my-own-configured-value"
    session = store.create(cwd="/p")
    said = [
        message(f"{key} and {own}"),
        call("c1", arguments=json.dumps({"command": f"echo {key}"})),
        result("c1", "clean", metadata={"diff": key, "note": own}),
        message("nothing here", images=(Image(media_type="image/png", data=key),)),
        message(f"just {own}"),
    ]
    store.append(session.with_messages(said), *said)
    assert len(store.keyless(session.id)) == 2
    for keyless in (frozenset[str](), store.keyless(session.id)):
        ref = write_transcript(
            tmp_path / "t", session.id, store.stream(session.id), secrets=[own], keyless=keyless
        )
        text = ref.path.read_text()
        assert text == b"".join(store.lines(session.id, [own])).decode()
        assert text.count(key) == 1
        assert own not in text
        assert read_transcript(ref.path).messages[3] == said[3]
    assert store.messages(session.id) == said


def test_restore_makes_the_same_session(store: SessionStore, tmp_path: Path) -> None:
    session = talk(store, *"abcdefgh")
    first = compact(store, session, 1, 4)
    second = compact(store, first, 1, 4)
    ref = write_transcript(tmp_path / "t", session.id, store.stream(session.id))
    restored = store.restore(read_transcript(ref.path).messages, "/elsewhere")
    assert store.messages(restored, "full") == store.messages(session.id, "full")
    assert store.messages(restored, "compacted") == list(second.messages)
    info = next(i for i in store.list() if i.id == restored)
    assert (info.messages, info.title, info.cwd) == (8, "a", "/elsewhere")


def test_an_archive_whose_summary_is_lost_is_live_again(
    store: SessionStore, tmp_path: Path
) -> None:
    session = talk(store, *"abcd")
    after = compact(store, session, 0, 2)
    messages = [m for m in store.stream(session.id) if m != after.messages[0]]
    assert store.messages(store.restore(messages, "/p")) == list(session.messages)


def test_damaged_lines_hide_nothing_else(tmp_path: Path) -> None:
    """B32: null bytes, half a record, bad UTF-8, a bare list, a cut last line."""
    said = [message(f"text {index} ü") for index in range(300)]
    path = write_transcript(tmp_path, "s_1", said).path
    lines = path.read_bytes().splitlines(keepends=True)
    lines[120] = b"\x00" * 80 + b"\n"
    lines[150] = lines[150].replace(b"\xc3\xbc", b"\xff")
    lines[170] = b"[1, 2, 3]\n"
    lines[180] = b'{"role": 7, "content": "x"}\n'
    lines[200] = lines[200][:40] + b"\n"
    lines[299] = lines[299][:50]
    path.write_bytes(b"".join(lines))
    before = path.read_bytes()
    contents = read_transcript(path)
    kept = [m for i, m in enumerate(said) if i not in (120, 150, 170, 180, 200, 299)]
    assert list(contents.messages) == kept
    assert contents.skipped == 6
    assert "6 damaged or foreign lines passed over" in contents.notice
    assert path.read_bytes() == before


def test_going_on_after_a_torn_last_line(tmp_path: Path, store: SessionStore) -> None:
    """B33: nothing is glued to half a line, since a session never grows in the file."""
    path = write_transcript(tmp_path / "t", "s_1", [message("a"), message("b")]).path
    path.write_bytes(path.read_bytes()[:-30])
    restored = store.restore(read_transcript(path).messages, "/p")
    for text in ("c", "d"):
        session, said = store.load(restored), message(text)
        store.append(session.append(said), said)
    assert [m.content for m in store.messages(restored)] == ["a", "c", "d"]


def read_lines(tmp_path: Path, *lines: object) -> list[Message]:
    path = tmp_path / "foreign.jsonl"
    path.write_text("\ufeff" + "\n".join(json.dumps(line) for line in lines) + "\n\n")
    return list(read_transcript(path).messages)


def test_openai_messages_get_ids_times_and_names(tmp_path: Path) -> None:
    made = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": {"path": "."}}}
    messages = read_lines(
        tmp_path,
        {"role": "system", "content": "be nice"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "content": "out", "tool_call_id": "c1"},
        {"role": "assistant", "content": ""},
        {"role": "system", "content": "a note"},
    )
    assert [m.role for m in messages] == ["user", "assistant", "tool", "user"]
    assert messages[1].tool_calls == (ToolCall(id="c1", name="ls", arguments='{"path": "."}'),)
    assert messages[2].tool_name == "ls"
    assert messages[3].metadata == {"imported_role": "system"}
    assert len({m.id for m in messages}) == 4
    assert sorted(m.created_at for m in messages) == [m.created_at for m in messages]


def test_odd_shapes_of_other_programs(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = read_lines(
        tmp_path,
        {"role": "user", "content": [{"type": "text", "text": "see"}, picture, {"type": "audio"}]},
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": {"a": 1}},
        {"role": "assistant", "content": "x", "tool_calls": [{"name": "g"}, 7]},
        {"role": "tool", "content": "y"},
        {"role": "user", "content": "same", "id": "one"},
        {"role": "user", "content": "same", "id": "one"},
        {"role": "weird", "content": "?"},
    )
    assert messages[0].content == "see\n[audio left out]"
    assert messages[0].images == (Image(media_type="image/png", data="AAAA"),)
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id
    assert (messages[2].tool_name, messages[2].content) == ("f", '{"a": 1}')
    assert messages[4].tool_call_id == messages[3].tool_calls[0].id
    assert messages[5].id == "one" != messages[6].id
    assert len(messages) == 7


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not there"):
        read_transcript(tmp_path / "none.jsonl")


def test_find_search_and_prune(tmp_path: Path) -> None:
    def write(day: int) -> TranscriptRef:
        said = [message("hay"), message(f"Needle {day}")]
        folder = tmp_path / "p" / "transcripts"
        return write_transcript(
            folder, f"s_{day}", said, now=lambda: datetime(2026, 11, day, tzinfo=UTC)
        )

    refs = [write(day) for day in (1, 2, 3)]
    infos = list_transcripts(tmp_path)
    assert [info.id for info in infos] == [ref.id for ref in reversed(refs)]
    assert find_transcript(tmp_path, "s_2").id == refs[1].id
    assert find_transcript(tmp_path, refs[0].id[:9]).id == refs[0].id
    for wrong, words in (("nope", "no transcript"), ("s_", "several")):
        with pytest.raises(StoreError, match=words):
            find_transcript(tmp_path, wrong)
    found = list(search_transcripts(infos, "needle 2"))
    assert [(info.id, index) for info, index, _ in found] == [(refs[1].id, 1)]
    late = datetime(2026, 11, 4, tzinfo=UTC)
    assert prune_transcripts(tmp_path, now=lambda: late) == []
    gone = prune_transcripts(tmp_path, older_days=2.5, now=lambda: late)
    assert [info.id for info in gone] == [refs[0].id]
    gone = prune_transcripts(tmp_path, keep=1)
    assert [info.id for info in gone] == [refs[1].id]
    assert [info.id for info in list_transcripts(tmp_path)] == [refs[2].id]

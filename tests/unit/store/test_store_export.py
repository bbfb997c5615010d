"""Exports: whole, escaped, masked."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from neocode.domain.messages import Image
from neocode.store.export import fenced, to_html, to_jsonl, to_markdown
from neocode.store.sessions import SessionStore
from neocode.store.transcript import read_transcript
from tests.unit.store.store_builders import call, compact, compaction, message, result, talk

KEY = "ghp_" + "aB3d" * 9


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    opened = SessionStore.open(tmp_path / "sessions.db")
    yield opened
    opened.close()


def test_jsonl_is_a_transcript(store: SessionStore, tmp_path: Path) -> None:
    session = talk(store, "a", f"key {KEY}", "c")
    compact(store, session, 0, 2)
    path = tmp_path / "x.jsonl"
    path.write_text("".join(to_jsonl(store.stream(session.id))))
    restored = store.restore(read_transcript(path).messages, "/p")
    assert [m.id for m in store.messages(restored)] == [m.id for m in store.messages(session.id)]
    assert KEY not in path.read_text()
    assert [json.loads(line)["index"] for line in path.read_text().splitlines()] == [0, 1, 2, 3]


def test_markdown_reads_as_a_document(store: SessionStore) -> None:
    session = store.create(cwd="/p", title="A title")
    said = [
        message(f"hello {KEY}"),
        call("c1"),
        result("c1", "```\ncode\n```", is_error=True),
        message("done", "assistant", metadata={"interrupted": True}),
        message("", images=(Image(media_type="image/png", data="AA"),)),
    ]
    text = "".join(to_markdown(session, said))
    assert text.startswith("# A title\n")
    assert KEY not in text
    assert '\nCalls `bash`:\n\n```json\n{"command": "ls"}\n```' in text
    assert "## Result of bash (error)\n\n````\n```\ncode\n```\n````" in text
    assert "## Assistant (interrupted)" in text
    assert "*[picture, image/png]*" in text


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced("a ````` b") == "``````\na ````` b\n``````\n"


def test_html_is_escaped_and_needs_nothing_else(store: SessionStore) -> None:
    evil = "<script>alert('x')</script> & </pre>"
    session = replace(store.create(cwd="/p"), title=evil)
    picture = Image(media_type="image/png' onerror='x", data="AA'><script>")
    said = [message(evil, images=(picture,)), call("c1", name="<b>", arguments=evil)]
    page = "".join(to_html(session, said, said))
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 3
    assert not re.search(r"(?:src|href)='?https?:", page)


def test_html_holds_both_views(store: SessionStore) -> None:
    session = talk(store, "first", "long result " * 40, "last")
    after, record, summary = compaction(session, 0, 1)
    short = replace(session.messages[1], content="[shortened]")
    after = after.with_messages((summary, short, session.messages[2]))
    store.apply_compaction(after, record, summary)
    page = "".join(to_html(after, store.stream(session.id), store.messages(session.id)))
    assert "class='user archived'" in page
    assert "class='user summary'" in page
    assert "class='assistant whole'" in page
    assert "class='assistant shortened'" in page

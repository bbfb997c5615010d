"""`neocode sessions` and `neocode transcripts`: shapes, words, exit status."""

import json
import stat
from pathlib import Path

import pytest

from neocode.cli.main import run
from neocode.cli.printing import cut, printable, size_words, width
from neocode.config.paths import resolve_paths
from neocode.domain.messages import Message, ToolCall
from neocode.store.lock import SessionLock
from neocode.store.sessions import SessionStore
from neocode.store.transcript import write_transcript
from tests.unit.store.store_builders import compact, talk

KEY = "ghp_" + "aB3d" * 9


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("NEOCODE_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def session_id(home: Path) -> str:
    store = SessionStore.open(home / "sessions.db")
    session = talk(store, f"fix the parser {KEY}", "\x1b[31mdone\x1b[0m 完成", "thanks")
    compact(store, session, 0, 1)
    store.close()
    return session.id


def objects(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_list_has_the_documented_shape(
    session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "list", "--output", "json"]) == 0
    (info,) = json.loads(capsys.readouterr().out)
    assert list(info) == [
        *("id", "title", "model", "created_at", "updated_at"),
        *("messages", "tokens", "compactions", "cwd"),
    ]
    assert (info["id"], info["messages"], info["compactions"]) == (session_id, 3, 1)
    assert KEY not in info["title"]
    assert run(["sessions", "list"]) == 0
    assert session_id in capsys.readouterr().out


@pytest.mark.usefixtures("home")
def test_with_no_session_nothing_is_made(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "list"]) == 0
    assert "No sessions yet" in capsys.readouterr().out
    assert run(["sessions", "list", "--output", "json"]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert run(["transcripts", "list", "--output", "jsonl"]) == 0
    assert run(["sessions", "search", "x"]) == 0
    assert run(["sessions", "show", "s_1"]) == 1
    assert "There is no session s_1" in capsys.readouterr().err
    assert not home.exists()


def test_show_prints_transcript_lines_of_both_views(
    session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "show", session_id, "--output", "jsonl"]) == 0
    live = objects(capsys.readouterr().out)
    assert [line["index"] for line in live] == [0, 1, 2]
    assert live[0]["metadata"] == {"is_compaction_summary": True}
    assert run(["sessions", "show", session_id, "--view", "full", "--output", "json"]) == 0
    text = capsys.readouterr().out
    assert len(json.loads(text)) == 4
    assert KEY not in text


def test_text_cannot_steer_the_terminal(
    session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "show", session_id[:-2], "--view", "full"]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "[31mdone" in text
    assert "[user archived]" in text


def test_export_in_every_format(
    session_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("jsonl", "md", "html"):
        assert run(["sessions", "export", session_id, "--format", name]) == 0
        text = capsys.readouterr().out
        assert "完成" in text
        assert KEY not in text
    target = tmp_path / "out.html"
    assert run(["sessions", "export", session_id, "--format", "html", "--file", str(target)]) == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert run(["sessions", "export", session_id, "--file", "/proc/none/x"]) == 1


def test_rename_search_delete(
    home: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "rename", session_id, "Parser", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"id": session_id}
    assert run(["sessions", "search", "完成", "--output", "jsonl"]) == 0
    (hit,) = objects(capsys.readouterr().out)
    assert hit["session_id"] == session_id
    lock = SessionLock.acquire(home / "locks", session_id)
    assert lock is not None
    assert run(["sessions", "delete", session_id]) == 1
    assert "open in another neocode" in capsys.readouterr().err
    lock.release()
    assert run(["sessions", "delete", session_id]) == 0
    capsys.readouterr()
    assert run(["sessions", "list", "--output", "json"]) == 0
    assert capsys.readouterr().out == "[]\n"


def test_transcripts_from_list_to_restore(
    home: Path, session_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = SessionStore.open(home / "sessions.db")
    folder = resolve_paths({"NEOCODE_HOME": str(home)}).transcripts(tmp_path)
    ref = write_transcript(folder, session_id, store.stream(session_id))
    store.close()
    assert run(["transcripts", "list", "--output", "json"]) == 0
    (info,) = json.loads(capsys.readouterr().out)
    assert (info["id"], info["session_id"], info["size"]) == (
        ref.id,
        session_id,
        ref.path.stat().st_size,
    )
    assert run(["transcripts", "path", ref.id]) == 0
    assert capsys.readouterr().out.strip() == str(ref.path)
    assert run(["transcripts", "path", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": str(folder)}
    assert run(["transcripts", "search", "thanks", "--output", "jsonl"]) == 0
    assert objects(capsys.readouterr().out)[0]["transcript_id"] == ref.id
    for given in (ref.id, session_id, str(ref.path)):
        assert run(["transcripts", "restore", given, "--output", "json"]) == 0
        made = json.loads(capsys.readouterr().out)
        assert list(made) == ["session_id", "messages"]
        assert made["messages"] == 4
    assert run(["sessions", "show", made["session_id"], "--output", "jsonl"]) == 0
    assert [line["index"] for line in objects(capsys.readouterr().out)] == [0, 1, 2]
    assert run(["transcripts", "show", ref.id]) == 0
    assert run(["transcripts", "prune", "--keep", "0", "--output", "json"]) == 0
    assert run(["transcripts", "list"]) == 0


def test_what_cannot_be_restored_says_why(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.jsonl").write_text("no json\n")
    assert run(["transcripts", "restore", "bad.jsonl"]) == 1
    assert "holds no message" in capsys.readouterr().err
    assert run(["transcripts", "restore", "missing.jsonl"]) == 1
    assert "There is no file missing.jsonl" in capsys.readouterr().err
    assert run(["transcripts", "restore", "nope"]) == 1
    assert "There is no transcript nope" in capsys.readouterr().err
    assert not (home / "sessions.db").exists()


def test_a_damaged_line_is_said_on_standard_error(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half.jsonl").write_text('{"role": "user", "content": "x"}\n{"role": "us\n')
    assert run(["transcripts", "restore", "half.jsonl", "--output", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["messages"] == 1
    assert "1 damaged or foreign line passed over; the file was not changed" in captured.err


def test_without_a_sub_command_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions"]) == 2
    assert run(["transcripts"]) == 2
    assert "usage: neocode transcripts" in capsys.readouterr().err


def test_wide_characters_take_two_columns() -> None:
    assert width("a中文") == 5
    assert width("e\u0301") == 1
    assert cut("中文字符", 5) == "中文…"
    assert cut("abc", 3) == "abc"
    assert printable("a\x07b\tc\n") == "ab\tc\n"
    assert [size_words(n) for n in (5, 1500, 2_500_000)] == ["5 B", "1.5 kB", "2.5 MB"]


@pytest.mark.usefixtures("home")
def test_a_text_found_in_a_call_is_shown(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = resolve_paths({"NEOCODE_HOME": str(home)}).transcripts(tmp_path)
    called = ToolCall(id="c", name="bash", arguments='{"command": "pytest tests/test_port.py"}')
    said = Message(id="m", created_at="t", role="assistant", content="", tool_calls=(called,))
    write_transcript(folder, "s_1", [said])
    assert run(["transcripts", "search", "test_port", "--output", "jsonl"]) == 0
    assert "pytest tests/test_port.py" in str(objects(capsys.readouterr().out)[0]["snippet"])

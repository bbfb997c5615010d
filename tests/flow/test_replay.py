"""`neocode replay` from the command line: what it prints, how it ends, what it leaves alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from neocode.cli.main import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(folder: Path, name: str = "talk", calls: int = 14) -> Path:
    """A recording in OpenAI's shape."""
    lines: list[dict[str, Any]] = [
        {"role": "user", "content": "Find the port; never edit main.py."}
    ]
    for number in range(calls):
        function = {"name": "read", "arguments": '{"path": "a.py"}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        lines.append({"role": "assistant", "content": "", "tool_calls": [call]})
        body = f"line {number} of it " * 150
        lines.append({"role": "tool", "tool_call_id": f"c{number}", "content": body})
    lines.append({"role": "assistant", "content": "The port is 9443, as the file of step 3 says."})
    lines.append({"role": "user", "content": "Thanks. And now?"})
    lines += [{"role": "assistant", "content": f"Nothing {number}."} for number in range(10)]
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return file


def probes(folder: Path, name: str = "talk") -> Path:
    found = [{"question": "Which port is it?", "check": "literal", "accept": ["9443"]}]
    file = folder / f"{name}.probes.json"
    file.write_text(json.dumps(found))
    return file


def test_text_shows_every_step_and_where_probes_are(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["replay", str(record(home)), "--compact", "extractive"]
    assert run([*command, "--probes", str(probes(home))]) == 0
    out = capsys.readouterr().out
    assert "41 messages, 25 model calls" in out
    assert sum(line.strip()[:2].strip().isdigit() for line in out.splitlines()) >= 25
    assert "keep_recent, extractive:" in out
    assert "Probes that count: 1 1 1 1 of 1" in out
    assert not (home / "home" / "sessions.db").exists(), "no session is made or changed"


def test_jsonl_and_json_tell_the_same(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = record(home)
    assert (
        run(["replay", str(file), "--compact", "keep_recent", "--at", "16", "--output", "jsonl"])
        == 0
    )
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["type"] for line in lines].count("step") == 25
    done = next(line for line in lines if line["type"] == "compaction")
    assert (done["applied"], done["before_step"], done["method"]) == (True, 16, "extractive")
    total = lines[-1]
    assert total["type"] == "total"
    assert set(total["prices"]) == {"0.1/1.25", "0.1/1.0"}
    assert (
        run(["replay", str(file), "--compact", "keep_recent", "--at", "16", "--output", "json"])
        == 0
    )
    whole = json.loads(capsys.readouterr().out)
    assert len(whole["steps"]) == 25
    assert whole["total"]["tokens"] == total["tokens"]
    assert whole["steps"][-1]["archived"] == done["archived"]


def test_a_folder_is_summed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        record(home, name)
        probes(home, name)
    command = ["replay", str(home), "--probes", str(home), "--compact", "full_replace"]
    assert run([*command, "--output", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in whole["recordings"]] == ["one", "two"]
    assert whole["sum"]["recordings"] == 2
    assert whole["sum"]["probes"]["by_id"] == whole["sum"]["probes"]["probes"]
    assert run(command) == 0
    assert "Worst of them:" in capsys.readouterr().out


def test_no_micro_sends_everything(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = record(home, calls=40)
    assert run(["replay", str(file), "--output", "json", "--no-micro"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert set(plain["total"]["over_plain"].values()) == {1.0}
    few = ["--keep-blocks", "1", "--min-tokens", "0"]
    assert run(["replay", str(file), "--output", "json", *few]) == 0
    cleared = json.loads(capsys.readouterr().out)
    assert cleared["total"]["tokens"] < plain["total"]["tokens"]


def test_the_window_triggers_and_a_script_summarises(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = home / "summary.txt"
    script.write_text("no JSON at all")
    command = ["replay", str(record(home)), "--compact", "keep_recent", "--window", "8000"]
    command += ["--percent", "60", "--summary", str(script), "--output", "json"]
    assert run(command) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [c["error"].partition(":")[0] for c in whole["compactions"]][:1] == ["invalid_summary"]
    assert not any(c["applied"] for c in whole["compactions"])


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["absent.jsonl"], 1, "absent.jsonl"),
        (["empty.jsonl"], 1, "holds no messages"),
        (["talk.jsonl", "--probes", "talk.jsonl"], 1, "is no JSON"),
        (["talk.jsonl", "--probes", "absent.json"], 1, "cannot be read"),
        (["talk.jsonl", "--compact", "keep_recent", "--summary", "absent"], 1, "cannot be read"),
        (["talk.jsonl", "--at", "3"], 2, "--compact is missing"),
        (["talk.jsonl", "--model", "nobody"], 2, "nobody"),
    ],
)
def test_what_is_wrong_is_said(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, words: str
) -> None:
    record(home)
    (home / "empty.jsonl").write_text("\n")
    assert run(["replay", *arguments]) == status
    said = capsys.readouterr()
    assert words in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--percent", "0"],
        ["--window", "x"],
        ["--compact", "most"],
        ["--threshold", "1", "--at", "2"],
    ],
)
def test_usage_errors_end_with_two(home: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["replay", str(record(home)), "--compact", "extractive", *arguments])
    assert ended.value.code == 2

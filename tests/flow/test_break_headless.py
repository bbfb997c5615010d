"""`neocode run` broken on purpose: what is said, in which order, and what goes on."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from neocode.cli.main import run as command_line
from neocode.domain.errors import ContextTooLong, PermanentError, StoreError
from neocode.domain.events import NoticeEvent, PermissionDecision, RunError
from neocode.headless.run import run_headless, split_prompt
from neocode.runtime.run import Limits
from tests.flow.flow import MODEL, Bench, Flow, call, calls, steps, text

REFUSED = PermanentError("lab: the key is wrong", kind="auth", hint="Check the key.")


async def run(flow: Flow, prompt: str, output: str = "text") -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    code = await run_headless(flow.engine, prompt, output, out, err)
    return code, out.getvalue(), err.getvalue()


async def test_the_reason_of_a_failure_is_said_beside_the_json_result(bench: Bench) -> None:
    async with bench.open([steps(REFUSED)]) as flow:
        code, out, err = await run(flow, "hi", "json")
    assert (code, json.loads(out)["stop_reason"]) == (1, "error")
    assert "the key is wrong" in err
    assert "Check the key." in err


async def test_nothing_more_is_sent_after_a_prompt_that_failed(bench: Bench) -> None:
    async with bench.open([steps(REFUSED)], then=text("no")) as flow:
        code, _, _ = await run(flow, "first\n/cost\nsecond")
        assert code == 1
        assert len(flow.requests) == 1


async def test_answers_of_all_prompts_are_printed_in_order(bench: Bench) -> None:
    async with bench.open([text("one\n"), text("two")]) as flow:
        code, out, err = await run(flow, "first\n/compact\nsecond")
    assert (code, out) == (0, "one\n\ntwo\n")
    assert "nothing to archive" in err


def test_only_line_ends_divide_a_prompt() -> None:
    """A form feed, a line separator: signs of the prompt like any other."""
    words = "a\x0cb\u2028/cost\n c\x1cd"
    assert split_prompt(words) == [words]
    assert split_prompt(f"x\n/cost\n{words}") == ["x", "/cost", words]


async def test_a_command_answers_behind_the_events_before_it(bench: Bench) -> None:
    async with bench.open([text("one")]) as flow:
        _, out, _ = await run(flow, "first\n/cost", "jsonl")
    names = [json.loads(line)["type"] for line in out.splitlines()]
    assert names[-2:] == ["run_finished", "notice"]


@pytest.mark.parametrize(
    ("mode", "line", "says", "says_not"),
    [
        ("ask", "touch x", "--mode auto", "only a person"),
        ("auto", "rm -rf /", "only a person", "--mode auto"),
        ("ask", "rm -rf /", "only a person", "--mode auto"),
    ],
)
async def test_a_refusal_names_only_what_would_help(
    bench: Bench, mode: str, line: str, says: str, says_not: str
) -> None:
    script = [call("bash", command=line), text("ok")]
    async with bench.open(script, mode=mode, interactive=False) as flow:
        await flow.say("go")
        assert flow.of(PermissionDecision)[0].decided_by == "headless"
        refusal = flow.messages[2].content
    assert says in refusal
    assert says_not not in refusal


async def test_a_rule_that_a_refusal_names_lets_it_run(bench: Bench) -> None:
    """B44: the rule is the exact one that "always" would write."""
    script = [call("bash", command="touch x"), text("ok")]
    async with bench.open(script, mode="ask", interactive=False) as flow:
        await flow.say("go")
        rule = flow.messages[2].content.partition("the rule ")[2].partition(" in ")[0]
    bench.configure(permissions={"allow": [rule]})
    async with bench.open(script, mode="ask", interactive=False) as flow:
        await flow.say("go")
    assert (bench.root / "x").exists()


async def test_the_systems_refusal_is_a_short_result(bench: Bench) -> None:
    script = [calls(("read", {"path": "x" * 5000}), ("write", {"path": "y" * 5000, "content": ""}))]
    async with bench.open([*script, text("ok")]) as flow:
        await flow.say("go")
        for message in flow.messages[2:4]:
            assert message.is_error
            assert "File name too long" in message.content
            assert len(message.content) < 600


@pytest.mark.parametrize("key", [{"api_key_env": "NO_SUCH_KEY"}, {"api_key": "${NO_SUCH_KEY}"}])
async def test_a_missing_variable_is_named_by_the_run(bench: Bench, key: dict[str, str]) -> None:
    """B55: before any request."""
    bare = {"name": "scripted", "id": "openai/scripted"}
    bench.configure(models=[bare | key])
    async with bench.open([text("no")]) as flow:
        await flow.say("hi")
        error = flow.of(RunError)[0]
        assert "NO_SUCH_KEY" in error.message
        assert "export NO_SUCH_KEY" in error.hint
        assert flow.requests == []


async def test_a_model_id_on_the_command_line_needs_no_entry(bench: Bench) -> None:
    async with bench.open([text("yes")]) as flow:
        flow.engine.set_model("ollama_chat/some-model")
        await flow.say("hi")
        assert flow.requests[0].model.id == "ollama_chat/some-model"
        bench.configure(ui={"bell": False})
        flow.engine.submit("after a change of the file")
        await flow.settle()
        assert flow.requests[-1].model.id == "ollama_chat/some-model"
        assert MODEL["name"] in [model.name for model in flow.engine.models]


@pytest.mark.parametrize(
    "line",
    [
        ["run", "hi", "--resume"],
        ["run", "hi", "--session", "s_1", "--continue"],
        ["run", "hi", "--session", "s_1", "--resume", "s_2"],
    ],
)
def test_options_that_contradict_are_a_usage_error(
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path))
    try:
        code: object = command_line(line)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert "--session" in capsys.readouterr().err


def test_an_unknown_option_shows_the_usage_of_its_own_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stop:
        command_line(["run", "hi", "--bogus"])
    assert stop.value.code == 2
    assert "usage: neocode run" in capsys.readouterr().err


async def test_bytes_that_are_no_text_do_not_poison_a_session(bench: Bench) -> None:
    """A prompt and an argument with half surrogates, as Python makes them of odd bytes."""
    wild = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")
    script = [calls((wild, {"path": "x"})), text("one"), text("two")]
    async with bench.open(script) as flow:
        await flow.say(wild)
        await flow.engine.rename(wild)
        await flow.say("more")
        assert flow.messages[0].content == "caf\ufffd \ufffd"
        for request in flow.requests:
            str([message.content for message in request.messages]).encode()
            str([message.tool_calls for message in request.messages]).encode()
        seen = flow.messages
    async with bench.open(latest=True) as flow:
        assert flow.messages == seen
        assert flow.engine.session.title == "caf\ufffd \ufffd"


def test_a_folder_that_is_gone_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert command_line(["config", "check"]) == 1
    assert "folder is not there any more" in capsys.readouterr().err


def test_a_fault_of_ours_is_a_sentence_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def __fspath__(self) -> str:
            raise ZeroDivisionError("a fault")

    home = tmp_path / "home"
    monkeypatch.setenv("NEOCODE_HOME", str(home))
    monkeypatch.setattr("sys.argv", [])
    assert command_line(["run", Broken()]) == 1  # type: ignore[list-item]
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "fault of its own" in said
    assert str(home) in said
    assert len(list((home / "logs").glob("crash-*.txt"))) == 1


class ClosedPipe(io.StringIO):
    """Takes some lines, then its reader has gone away."""

    room = 3

    def write(self, text: str) -> int:
        self.room -= 1
        if self.room < 0:
            raise BrokenPipeError
        return super().write(text)


async def test_a_run_stops_when_nobody_reads_it(bench: Bench) -> None:
    async with bench.open([], then=call("bash", command="true")) as flow:
        with pytest.raises(BrokenPipeError):
            await run_headless(
                flow.engine, "go\nand\n/cost\nmore", "jsonl", ClosedPipe(), io.StringIO()
            )
        assert len(flow.requests) <= 1


async def test_a_copy_of_a_session_that_is_open_elsewhere_is_said(bench: Bench) -> None:
    async with bench.open([text("one")]) as first:
        await first.say("hi")
        async with bench.open([text("two")], latest=True, interactive=False) as second:
            await second.say("go on")
            assert "this is a copy" in second.of(NoticeEvent)[0].message
        with pytest.raises(StoreError, match="open in another"):
            await first.engine.jobs.open_session(first.engine.session.id, may_copy=False)


async def test_continuing_where_nothing_is_says_so(bench: Bench) -> None:
    async with bench.open([text("one")], latest=True) as flow:
        await flow.say("hi")
        assert "no session in this folder" in flow.of(NoticeEvent)[0].message


@pytest.mark.parametrize(
    ("limits", "option"),
    [(Limits(max_turns=1), "--max-turns"), (Limits(max_cost=1e-9), "--max-cost")],
)
async def test_a_limit_that_ends_a_run_is_named(bench: Bench, limits: Limits, option: str) -> None:
    async with bench.open([], then=call("bash", command="true"), limits=limits) as flow:
        code, _, err = await run(flow, "go")
    assert code == 1
    assert option in err


async def test_a_cost_limit_that_cannot_hold_is_said_before_the_first_call(bench: Bench) -> None:
    """B60: an unknown price is no price of zero."""
    bench.configure(models=[{k: v for k, v in MODEL.items() if k != "price"}])
    async with bench.open([text("hi"), text("ho")], limits=Limits(max_cost=1)) as flow:
        await flow.say("a")
        await flow.say("b")
        warnings = [n.message for n in flow.of(NoticeEvent) if n.level == "warning"]
        assert len(warnings) == 1
        assert "--max-cost" in warnings[0]
        assert flow.names().index("notice") < flow.names().index("run_finished")


def test_closed_streams_are_no_fault(tmp_path: Path) -> None:
    shell = 'exec "$0" -m neocode "$@" <&- >&- 2>&-'
    environ = {"NEOCODE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for line, code in ((["config", "path"], 0), (["run"], 2)):
        done = subprocess.run(["sh", "-c", shell, sys.executable, *line], env=environ, check=False)
        assert done.returncode == code
    assert not list(tmp_path.glob("**/crash-*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    environ = {"NEOCODE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "neocode", "config", "path"],
            env=environ,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("neocode: The system refused it: No space left")


async def test_commands_of_the_screen_say_so_without_one(bench: Bench) -> None:
    async with bench.open([]) as flow:
        code, out, _ = await run(flow, "/help\n/quit")
    assert code == 0
    assert "/compact" in out
    async with bench.open([]) as flow:
        code, _, err = await run(flow, "/settings")
    assert code == 1
    assert "needs the screen" in err


async def test_an_errors_hint_is_a_sentence_of_its_own(bench: Bench) -> None:
    async with bench.open([]) as flow:
        _, _, err = await run(flow, "/resume nope")
    assert "no session nope. `neocode sessions list`" in err


async def test_a_refusal_for_length_is_shown_in_its_own_words(bench: Bench) -> None:
    """B14: with what takes up the room."""
    refused = ContextTooLong("lab: too long (400): 210000 tokens > 200000 maximum")
    async with bench.open([], then=steps(refused)) as flow:
        await flow.say("hi")
        message = flow.of(RunError)[0].message
    assert "210000 tokens > 200000 maximum" in message
    assert "Its parts in tokens: system" in message

"""Mistakes in config.yaml that only a run would find: named with their place before it."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from neocode.cli.main import run as command_line
from neocode.config.problems import InvalidConfig
from neocode.domain.errors import PermanentError
from neocode.domain.events import NoticeEvent, PermissionDecision, RunError
from neocode.provider.errors import classify
from neocode.provider.refusal.evidence import Failure
from tests.flow.flow import MODEL, Bench, call, text


def test_a_rule_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """B54."""
    file = tmp_path / "config.yaml"
    file.write_text('permissions:\n  allow: ["bash(ls)", "bash git"]\n  deny:\n    - foo(x)\n')
    monkeypatch.setenv("NEOCODE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for line in (["config", "check"], ["doctor"]):
        assert command_line(line) != 0
        said = capsys.readouterr()
        assert f"{file}:2:23: permissions.allow[1]" in said.out + said.err
        assert f"{file}:4:7: permissions.deny[0]" in said.out + said.err


async def test_a_bad_rule_in_a_changed_file_leaves_the_old_settings(bench: Bench) -> None:
    bench.configure(permissions={"deny": ["bash(touch *)"]})
    script = [text("one"), call("bash", command="touch x"), text("two")]
    async with bench.open(script) as flow:
        await flow.say("a")
        bench.configure(permissions={"deny": ["bash touch"]}, ui={"bell": False})
        await flow.say("b")
        assert flow.of(NoticeEvent)[-1].kind == "config_error"
        assert flow.of(PermissionDecision)[0].decided_by == "bash(touch *)"
        assert flow.engine.config.ui.bell is True
    with pytest.raises(InvalidConfig):
        async with bench.open([]):
            pass


async def test_an_address_without_its_protocol_is_named(bench: Bench) -> None:
    bench.configure(models=[MODEL | {"api_base": "localhost:8080"}])
    async with bench.open([text("no")]) as flow:
        await flow.say("hi")
        assert "models.scripted.api_base must begin with http" in flow.of(RunError)[0].message
        assert flow.requests == []


def test_an_id_without_its_provider_says_how_to_write_it() -> None:
    said = "LLM Provider NOT provided. Pass in the LLM provider ... You passed model=gpt"
    error = classify(Failure(status=400, texts=(said,), model="lab"))
    assert isinstance(error, PermanentError)
    assert "litellm" not in error.message + error.hint
    assert "PROVIDER/MODEL" in error.hint


def test_weights_of_the_embedded_model_may_be_named_beside_other_models(bench: Bench) -> None:
    bench.configure(agents=[{"name": "a", "model": "embedded:qwen-0.5b"}])
    environ = {"NEOCODE_HOME": str(bench.home)}
    from neocode.wiring import load_settings

    loaded, _ = load_settings(bench.root, environ)
    assert loaded.config.agents[0].model == "embedded:qwen-0.5b"


async def test_a_rule_that_cannot_be_saved_still_lets_the_call_run(bench: Bench) -> None:
    """A read-only configuration: "always" holds for the session, which is said."""
    script = [
        call("bash", command="touch x"),
        text("one"),
        call("bash", command="touch x"),
        text(""),
    ]
    async with bench.open(script[:3], then=text("two"), mode="ask") as flow:
        flow.answers = lambda _: ("always", "")
        file = bench.home / "config.yaml"
        file.unlink()
        file.mkdir()
        await flow.say("go")
        assert (bench.root / "x").exists()
        assert flow.of(NoticeEvent)[-1].kind == "rule_not_saved"
        file.rmdir()
        bench.configure()
        await flow.say("again")
        assert len([d for d in flow.of(PermissionDecision) if d.decided_by == "user"]) == 1


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow over 64 KB: as a full disk, for this process alone."""
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_a_new_file_that_does_not_fit_is_not_left_half(tmp_path: Path) -> None:
    from neocode.tools.base import FileStamps, ToolError
    from neocode.tools.files.text_file import create

    for size in (70_000, 10_000_000):
        with pytest.raises(ToolError, match="cannot be written"):
            create(tmp_path / "new.txt", "new.txt", b"x" * size, FileStamps())
    assert not list(tmp_path.iterdir())

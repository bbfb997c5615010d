"""Looking before compacting, and compacting with no model at all (spec/context 11)."""

import io
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from neocode.commands.registry import run_command
from neocode.compact.result import CompactFailure
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import CompactDone, CompactError, RunError
from neocode.headless.compact import compact_headless
from neocode.runtime.compaction import Wanted
from neocode.wiring import Launch, open_engine
from tests.checker import check
from tests.flow.flow import MODEL, Bench
from tests.flow.talks import answering, summary_requests, talk


def files(home: Path) -> dict[str, str]:
    """Every file under a folder with its bytes' hash."""
    return {
        str(path.relative_to(home)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


async def preview(
    bench: Bench, output: str, strategy: Wanted | None = None
) -> tuple[int, str, int]:
    """`neocode compact --preview`: exit status, standard output, requests sent."""
    provider, out = answering(), io.StringIO()
    engine = await open_engine(
        Launch(
            latest=True,
            interactive=False,
            must_exist=True,
            read_only=True,
            root=bench.root,
            environ={"NEOCODE_HOME": str(bench.home), "PATH": "/usr/bin:/bin"},
            provider=provider,
        )
    )
    code = await compact_headless(
        engine, action="preview", strategy=strategy, focus="", output=output, out=out
    )
    return code, out.getvalue(), len(provider.requests)


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
async def test_preview_says_what_would_be_and_writes_nothing(bench: Bench, output: str) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
    before = files(bench.home)
    code, out, requests = await preview(bench, output)
    assert (code, requests) == (0, 0)
    assert files(bench.home) == before
    if output == "text":
        assert "archived      14 messages" in out
        assert "by scripted" in out
        assert "request 0: please look" in out
        return
    told = json.loads(out)
    assert told["applies"]
    assert (told["archived_count"], told["kept_count"]) == (14, 10)
    assert told["archived"][0]["first_words"].startswith("request 0: please look")
    assert told["tokens_after"] < told["tokens_before"]
    assert told["model"] == "scripted"
    assert told["request_form"] == "flattened"
    assert 0 < told["cost_usd"] < 1
    assert 0 < told["next_input_cost_after_usd"] < told["next_input_cost_before_usd"]


async def test_what_is_previewed_is_what_happens(bench: Bench) -> None:
    """With a strategy and a count of its own, as the preview's screen offers them."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
        engine = flow.engine
        for strategy, keep in ((None, None), ("keep_recent", 4), ("full_replace", None)):
            before = [m.id for m in flow.messages]
            told = engine.preview_compaction("", strategy, keep)  # type: ignore[arg-type]
            engine.compact(strategy=strategy, keep=keep)  # type: ignore[arg-type]
            await flow.settle()
            gone = [i for i in before if i not in {m.id for m in flow.messages}]
            assert gone == [m.id for m in told.archived]
            done = flow.of(CompactDone)[-1]
            assert done.tokens_before == told.tokens_before
            assert done.tokens_after <= told.tokens_after
            await engine.undo_compaction()
        assert not engine.preview_compaction("", "extractive").model


async def test_unknown_prices_are_question_marks(bench: Bench) -> None:
    bench.configure(models=[{k: v for k, v in MODEL.items() if k != "price"}])
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
        told = await run_command(flow.engine, "/compact preview the ports")
        assert (told.show, told.argument) == ("preview", "the ports")
        assert "uncached: ? -> ?" in told.text
        assert "about ?" in told.text


async def test_preview_of_little_and_of_what_cannot_be(bench: Bench) -> None:
    keyless = {**MODEL, "name": "keyless", "api_key_env": "ABSENT_KEY"}
    del keyless["api_key"]
    bench.configure(models=[MODEL, keyless], context={"compact": {"auxiliary_model": "keyless"}})
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 2)
        assert flow.engine.preview_compaction().reason
        await talk(flow, 12)
        with pytest.raises(CompactFailure, match="key is not set"):
            flow.engine.preview_compaction()
        assert (await run_command(flow.engine, "/compact preview")).level == "error"


async def test_the_command_itself(bench: Bench) -> None:
    """Without a session it fails in words; with one it leaves every byte where it was."""
    assert neocode(bench, "compact", "--preview").returncode == 1
    assert neocode(bench, "compact", "undo", "--preview").returncode == 2
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 12)
    before = files(bench.home)
    done = neocode(bench, "compact", "--preview", "--output", "jsonl")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["archived_count"] == 14
    after = files(bench.home)
    assert {name for name in after if not name.startswith("logs/")} == {
        name for name in before if not name.startswith("logs/")
    }
    assert after["sessions.db"] == before["sessions.db"]


def neocode(bench: Bench, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The installed program in the bench's project."""
    return subprocess.run(
        [sys.executable, "-m", "neocode", *arguments],
        cwd=bench.root,
        env={"NEOCODE_HOME": str(bench.home), "HOME": str(bench.home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


# --- no model at all


async def test_extractive_works_offline(bench: Bench) -> None:
    """No model is configured and none is asked; what the user said is carried on."""
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 30)
        await flow.say("always run the tests with make check PY=3.12")
        await talk(flow, 6)
    bench.configure(models=[], model=None)
    async with bench.open(latest=True) as flow:
        assert flow.engine.model is None
        before = flow.messages
        told = flow.engine.preview_compaction("", "extractive")
        assert (told.reason, told.model, told.cost_usd) == ("", "", 0.0)
        flow.engine.compact(strategy="extractive")
        await flow.settle()
        assert [e.message for e in flow.of(CompactError)] == []
        done = flow.of(CompactDone)[-1]
        assert (done.applied, done.method, done.model) == (True, "extractive", None)
        assert done.tokens_after < done.tokens_before
        rules = flow.engine.session.task_state.user_constraints
        assert "always run the tests with make check PY=3.12" in rules
        assert flow.engine.breakdown()["task_state"] > 0
        assert flow.engine.figures().window == 0
        await flow.engine.undo_compaction()
        assert flow.messages == before
        await flow.engine.redo_compaction()
    bench.configure()
    async with bench.open(provider=answering(), latest=True) as flow:
        await flow.say("go on")
        check(flow.requests[-1].messages)
        assert not summary_requests(flow)


async def test_without_a_model_the_fallback_decides(bench: Bench) -> None:
    async with bench.open(provider=answering()) as flow:
        await talk(flow, 30)
    bench.configure(models=[], model=None)
    async with bench.open(latest=True) as flow:
        flow.engine.compact()
        await flow.settle()
        assert "No model is set up" in flow.of(CompactError)[0].message
        with pytest.raises(NeoCodeError, match="No model"):
            flow.engine.preview_compaction()
        await flow.say("hello?")
        assert flow.of(RunError)[-1].kind == "no_model"
    bench.configure(models=[], model=None, context={"compact": {"fallback": "extractive"}})
    async with bench.open(latest=True) as flow:
        flow.engine.compact()
        await flow.settle()
        assert flow.of(CompactDone)[0].method == "extractive"

"""A recording played: every step, what was cleared, what was archived, what is found then."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neocode.config.schema import AutoCompactConfig, CompactConfig, ContextConfig
from neocode.context.tokens import TokenCounter
from neocode.domain.errors import NeoCodeError, StoreError
from neocode.domain.messages import Message, ToolCall
from neocode.provider.fake import ScriptedProvider
from neocode.replay.options import PLAYED, ReplayOptions
from neocode.replay.outcome import Compacted, Event, Next, Step, added_up
from neocode.replay.player import Player
from neocode.replay.probes import Probe
from neocode.replay.recording import Recording, load_recordings
from neocode.replay.scratch import Scratch

SUMMARY = json.dumps(
    {
        "task_state": {
            "goal": "ship it",
            "progress": ["read the files"],
            "open_items": [],
            "next_step": "go on",
            "blockers": [],
            "key_artifacts": [],
            "decisions": ["the port is 9443"],
            "user_constraints": [],
        },
        "display_summary": "[compact_summary]\n"
        + "\n".join(
            f"{name}:\n- something was said"
            for name in ("done", "in_progress", "decisions", "code_changes", "constraints")
        ),
    }
)


def recording(runs: int = 2, calls: int = 8, chars: int = 4000) -> Recording:
    made: list[Message] = []

    def add(role: str, content: str, **fields: Any) -> None:
        number = len(made)
        made.append(
            Message(
                id=f"m{number}",
                created_at=f"2026-01-01T00:00:{number % 60:02d}Z",
                role=role,  # type: ignore[arg-type]
                content=content,
                **fields,
            )
        )

    for run in range(runs):
        add("user", f"task {run}: use port {9440 + run}, please")
        for number in range(calls):
            call = ToolCall(id=f"c{run}_{number}", name="read", arguments='{"path": "a.py"}')
            add("assistant", "", tool_calls=(call,))
            body = f"line of file {run} {number} " * (chars // 20)
            add("tool", body, tool_call_id=call.id, tool_name="read")
        add(
            "assistant",
            f"run {run} is finished; the secret word of it is wombat{run}, as asked for",
        )
    return Recording(name="made", path=Path("made.jsonl"), messages=tuple(made))


def context(**compact: Any) -> ContextConfig:
    return ContextConfig(compact=CompactConfig(**compact))


async def played(
    options: ReplayOptions,
    what: Recording | None = None,
    probes: tuple[Probe, ...] = (),
    answer: str | None = None,
) -> tuple[Any, list[Event]]:
    events: list[Event] = []
    with Scratch() as scratch:
        player = Player(
            what or recording(),
            options,
            ScriptedProvider(then=answer),
            TokenCounter(),
            scratch,
            events.append,
        )
        return await player.play(probes), events


async def test_every_reply_is_one_call_over_all_before_it() -> None:
    what = recording(runs=1, calls=3)
    outcome, events = await played(
        ReplayOptions(context=context(micro_compact_disabled=True)), what
    )
    steps = [event for event in events if isinstance(event, Step)]
    assert [step.index for step in steps] == [1, 3, 5, 7]
    assert [step.messages for step in steps] == [1, 3, 5, 7]
    assert all(b.bill.cached == a.bill.tokens for a, b in pairwise(steps))
    assert outcome.steps == what.calls == 4
    assert isinstance(events[-1], Next)


async def test_old_results_are_cleared_and_it_costs_less_than_sending_all() -> None:
    outcome, events = await played(ReplayOptions(), recording(runs=1, calls=60))
    cleared = [event.cleared for event in events if isinstance(event, Step)]
    assert cleared == sorted(cleared)
    assert cleared[-1] > 20
    plain, plain_events = await played(ReplayOptions().plain(), recording(runs=1, calls=60))
    assert max(e.cleared for e in plain_events if isinstance(e, Step)) == 0
    assert added_up([(outcome, plain.bill)])["over_plain"]["0.1/1.25"] < 0.9


async def test_a_forced_compaction_comes_before_its_step() -> None:
    options = ReplayOptions(strategy="keep_recent", at=12)
    outcome, events = await played(options)
    (done,) = outcome.compactions
    place = events.index(done)
    after = events[place + 1]
    assert isinstance(after, Step)
    assert done.before_step == after.number == 12
    assert done.applied
    assert done.method == "extractive"
    assert after.archived == done.archived > 0


async def test_a_due_compaction_comes_once_a_run() -> None:
    auto = AutoCompactConfig(enabled=True, input_token_threshold=20_000)
    options = ReplayOptions(context=ContextConfig(auto_compact=auto), strategy="keep_recent")
    outcome, _ = await played(options, recording(runs=3, calls=12))
    done = [c for c in outcome.compactions if c.applied]
    assert [c.mode for c in done] == ["auto"] * len(done)
    assert 1 <= len(done) <= 3


async def test_a_request_over_the_window_is_rescued_once() -> None:
    options = ReplayOptions(
        context=context(micro_compact_disabled=True),
        model=replace(PLAYED, window=16_000),
        strategy="keep_recent",
    )
    outcome, events = await played(options, recording(runs=1, calls=20))
    assert [c.mode for c in outcome.compactions] == ["reactive"]
    none = replace(options, strategy=None)
    _, events = await played(none, recording(runs=1, calls=20))
    assert any(event.over_window for event in events if isinstance(event, Step))


async def test_the_scripted_summary_is_what_is_sent_then() -> None:
    options = ReplayOptions(strategy="keep_recent", by_code=False, at=0)
    probe = Probe(question="which port", accept=("port is 9443",))
    outcome, _ = await played(options, answer=SUMMARY)
    (done,) = outcome.compactions
    assert (done.applied, done.method) == (True, "summary")
    assert done.usage.api_calls == 1
    assert done.usage.input_tokens > 0
    assert outcome.verdicts == ()
    outcome, _ = await played(options, probes=(probe,), answer=SUMMARY)
    assert outcome.verdicts == (), "it stands in the summary, not in the conversation"


async def test_a_failed_compaction_is_told_and_the_replay_goes_on() -> None:
    options = ReplayOptions(strategy="keep_recent", by_code=False, at=15)
    outcome, _ = await played(options, answer="I would rather not.")
    (done,) = outcome.compactions
    assert not done.applied
    assert done.error.startswith("invalid_summary: ")
    assert outcome.steps == recording().calls


async def test_probes_are_found_in_the_notes_by_search_and_by_id() -> None:
    probes = (
        Probe(question="What is the secret word of run 0?", accept=("wombat0",)),
        Probe(question="Which port for task 1?", accept=("9441",)),
    )
    outcome, _ = await played(ReplayOptions(strategy="keep_recent", at=0), probes=probes)
    word, port = outcome.verdicts
    assert (word.counts, word.in_prompt, word.by_search, word.by_id) == (True, True, True, True)
    assert not port.counts, "the newest user message is kept"
    bare = ReplayOptions(context=context(keep_user_words_tokens=0), strategy="full_replace", at=0)
    outcome, _ = await played(bare, probes=probes)
    assert outcome.verdicts[0].by_search


ANY_MESSAGE = st.builds(
    lambda role, content, call, answered: (role, content, call, answered),
    st.sampled_from(["user", "assistant", "tool", "system"]),
    st.text("ab 世\n", max_size=300),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ANY_MESSAGE, min_size=1, max_size=14), st.integers(0, 8))
async def test_any_history_can_be_played(rows: list[tuple[str, str, bool, bool]], at: int) -> None:
    messages = [
        Message(
            id=f"m{number}",
            created_at="2026-01-01T00:00:00Z",
            role="user" if role == "system" else role,  # type: ignore[arg-type]
            content=content,
            tool_calls=(ToolCall(id=f"c{number}", name="x", arguments="{"),)
            if role == "assistant" and call
            else (),
            tool_call_id=f"c{number - answered}" if role == "tool" else None,
        )
        for number, (role, content, call, answered) in enumerate(rows)
    ]
    what = Recording(name="any", path=Path("any"), messages=tuple(messages))
    outcome, events = await played(ReplayOptions(strategy="full_replace", at=at), what)
    assert outcome.steps == what.calls
    assert outcome.bill.cached <= outcome.bill.tokens
    assert sum(isinstance(event, Compacted) for event in events) == len(outcome.compactions)


def test_recordings_are_read_from_files_and_folders(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        '{"role": "system", "content": "s"}\n{"role": "user", "content": "hi"}\n'
        '{"role": "assistant", "content": "hello"}\nbroken\n'
    )
    (tmp_path / "empty.jsonl").write_text("")
    (one,) = load_recordings(talk)
    assert (one.name, one.calls, len(one.messages)) == ("talk", 1, 2)
    assert "damaged" in one.notice
    assert [each.name for each in load_recordings(tmp_path)] == ["talk"]
    with pytest.raises(NeoCodeError, match="holds no messages"):
        load_recordings(tmp_path / "empty.jsonl")
    with pytest.raises(StoreError):
        load_recordings(tmp_path / "absent.jsonl")
    (tmp_path / "none").mkdir()
    with pytest.raises(NeoCodeError, match="holds no"):
        load_recordings(tmp_path / "none")


def test_archived_messages_of_a_transcript_are_played_as_the_others(tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "a", "id": "m1", "metadata": {"compacted_at": "2026"}},
        {
            "role": "user",
            "content": "[compact_summary]",
            "id": "m2",
            "metadata": {"is_compaction_summary": True},
        },
        {"role": "assistant", "content": "b", "id": "m3"},
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    (one,) = load_recordings(file)
    assert [m.id for m in one.messages] == ["m1", "m3"]
    assert one.messages[0].compacted_at is None

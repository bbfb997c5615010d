"""Any history, any strategy: whole blocks, nothing twice, nothing lost (spec/context 7, B19)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.compact.plan import PlanSettings, plan
from neocode.compact.shrink import clear_old_results, fit, substitute
from neocode.context.validate import repair
from neocode.domain.blocks import group
from neocode.domain.messages import Message, ToolCall
from tests.checker import check

NOW = "2026-11-30T12:00:00Z"
STRATEGIES = st.sampled_from(["keep_recent", "full_replace", "token_budget"])
TEXTS = st.sampled_from(["", "short", "x" * 300, "长" * 90, "line\n" * 900])


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    made: list[Message] = []
    for n in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(["user", "assistant", "calls", "calls", "orphan", "summary"]))
        text = draw(TEXTS)
        if kind == "calls":
            made += _block(n, draw(st.integers(1, 3)), draw(st.integers(0, 3)), text)
            continue
        role = {"orphan": "tool", "summary": "user"}.get(kind, kind)
        made.append(
            Message(
                id=f"m{n}",
                created_at=NOW,
                role=role,  # type: ignore[arg-type]
                content=text or "text",
                tool_call_id=f"gone{n}" if kind == "orphan" else None,
                is_compaction_summary=kind == "summary",
            )
        )
    return made


def _block(n: int, asked: int, answered: int, text: str) -> list[Message]:
    calls = tuple(ToolCall(id=f"c{n}_{i}", name="bash", arguments="{}") for i in range(asked))
    made = [Message(id=f"m{n}", created_at=NOW, role="assistant", tool_calls=calls)]
    for call in calls[:answered]:
        made.append(
            Message(
                id=f"m{n}_{call.id}",
                created_at=NOW,
                role="tool",
                content=text,
                tool_call_id=call.id,
                tool_name="bash",
            )
        )
    return made


def count(message: Message) -> int:
    return len(message.content) // 4 + 5


@settings(max_examples=80, deadline=None)
@given(histories(), STRATEGIES, st.integers(1, 30), st.integers(0, 3000), st.integers(0, 3000))
def test_every_plan_is_whole_blocks_and_keeps_the_newest_user_message(
    messages: list[Message], strategy: str, keep: int, tail: int, room: int
) -> None:
    options = PlanSettings(keep_messages=keep, protect_first=keep % 10 + 1, tail_tokens=tail)
    made = plan(messages, strategy, options, count)  # type: ignore[arg-type]
    for each in (made, fit(made, room, count)):
        parts = (each.archived, each.old_summaries, each.kept_head, each.carried, each.kept_tail)
        ids = [message.id for part in parts for message in part]
        assert sorted(ids) == sorted(message.id for message in messages)
        fate = {m.id: i for i, part in enumerate((each.archived, each.kept)) for m in part}
        for block in group(messages):
            assert len({fate.get(message.id) for message in block.messages}) == 1
        users = [b.messages[0] for b in group(messages) if b.is_user]
        if users:
            assert users[-1] in each.kept
        order = [message.id for message in messages]
        if not each.archived and len(each.old_summaries) < 2:
            assert [message.id for message in each.live(None)] == order
        kept = [order.index(message.id) for message in each.kept]
        assert kept == sorted(kept)


@settings(max_examples=60, deadline=None)
@given(histories(), STRATEGIES, st.integers(1, 12), st.integers(0, 2000))
def test_what_stays_is_valid_for_the_strictest_provider(
    messages: list[Message], strategy: str, keep: int, room: int
) -> None:
    made = plan(messages, strategy, PlanSettings(keep_messages=keep), count)  # type: ignore[arg-type]
    made = fit(made, room, count)
    summary = Message(
        id="sum", created_at=NOW, role="user", content="notes", is_compaction_summary=True
    )
    live = made.live(summary if made.archived else None)
    whole = {call.id for m in messages for call in m.tool_calls}
    answered = {m.tool_call_id for m in messages if m.role == "tool"}
    sent, repairs = repair(live)
    if sent:
        check(sent)
    lost = [r for r in repairs if r.kind == "missing_result"]
    assert len(lost) <= len(whole - answered)


@given(histories(), st.integers(0, 2000))
def test_clearing_changes_only_long_results_and_keeps_ids(
    messages: list[Message], tail: int
) -> None:
    pairs = clear_old_results(messages, tail, count)
    assert all(len(old.content) > 200 and old.role == "tool" for old, _ in pairs)
    assert all(old.id == new.id and len(new.content) < 400 for old, new in pairs)
    bare = plan(messages, "full_replace", PlanSettings(), count)
    changed = substitute(bare, pairs)
    assert [m.id for m in changed.kept] == [m.id for m in bare.kept]

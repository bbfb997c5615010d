"""Plans by strategy, and making the kept part smaller (spec/context 7)."""

from neocode.compact.plan import Plan, PlanSettings, plan, strategy_for
from neocode.compact.shrink import SHORTENED, fit
from neocode.domain.messages import Message
from tests.unit.compact.compactkit import (
    calls,
    chat,
    count_message,
    long_run,
    result,
    says,
    session_of,
    summary_of,
    user,
)


def make(messages: list[Message], strategy: str = "keep_recent", **options: int) -> Plan:
    return plan(messages, strategy, PlanSettings(**options), count_message)  # type: ignore[arg-type]


def ids(messages: tuple[Message, ...]) -> list[str]:
    return [message.id for message in messages]


def test_keep_recent_holds_whole_blocks() -> None:
    messages = [*chat(6), calls(9, "bash", "read"), result(9), result(9, index=1)]
    made = make(messages, keep_messages=2)
    assert ids(made.kept_tail) == ["a9", "t9_0", "t9_1"]
    assert ids(made.carried) == ["u5"]
    assert len(made.archived) == 11


def test_one_prompt_and_two_hundred_calls_compact() -> None:
    """The prompt of a long run is carried over word for word (N, O8)."""
    messages = long_run(200)
    made = make(messages, keep_messages=10)
    assert made.carried == (messages[0],)
    assert len(made.kept_tail) == 10
    assert len(made.archived) == 390
    assert made.live(summary_of())[:2] == (summary_of(), messages[0])


def test_nothing_to_archive_says_why() -> None:
    assert make(chat(3), keep_messages=10).reason
    assert not make(chat(3), keep_messages=10).applies
    assert make([summary_of(), *chat(2)], keep_messages=4).reason
    assert make([], keep_messages=4).reason


def test_an_archive_smaller_than_a_summary_is_not_worth_it() -> None:
    assert (
        "smaller than a summary"
        in make([user(1, "hi"), says(1, "hello"), *chat(1)], keep_messages=2).reason
    )


def test_an_old_summary_is_archived_but_is_no_material() -> None:
    made = make([summary_of(), *chat(8)], keep_messages=4)
    assert ids(made.old_summaries) == ["m_sum"]
    assert "m_sum" not in ids(made.archived)
    assert made.archived_ids[0] == "m_sum"


def test_full_replace_keeps_the_newest_prompt_and_what_is_unanswered() -> None:
    answered = make(chat(4), "full_replace")
    assert ids(answered.kept) == ["u3"]
    assert ids(make([*chat(4), user(9)], "full_replace").kept) == ["u9"]
    running = [*chat(4), user(9), calls(9), result(9), calls(10), result(10)]
    assert ids(make(running, "full_replace").kept) == ["u9", "a10", "t10_0"]


def test_token_budget_protects_head_and_tail() -> None:
    messages = chat(20)
    made = make(messages, "token_budget", protect_first=3, tail_tokens=500)
    assert ids(made.kept_head) == ["u0", "a0"]
    assert made.live(summary_of())[2].id == "m_sum"
    assert sum(map(count_message, made.kept_tail)) <= 500
    least = make(messages, "token_budget", protect_first=3, tail_tokens=1)
    assert len(least.kept_tail) == 3


def test_the_head_moves_on_past_results() -> None:
    messages = [user(0), calls(1, "bash", "bash"), result(1), result(1, index=1), *chat(20)]
    made = make(messages, "token_budget", protect_first=3, tail_tokens=300)
    assert ids(made.kept_head) == ["u0", "a1", "t1_0", "t1_1"]
    orphan = [user(0), says(0), result(7), *chat(20)]
    assert ids(make(orphan, "token_budget", protect_first=3, tail_tokens=300).kept_head) == [
        "u0", "a0", "t7_0",
    ]  # fmt: skip


def test_a_session_shorter_than_the_head_never_triggers() -> None:
    assert "shorter" in make(chat(1, 900), "token_budget", protect_first=3, tail_tokens=1).reason


def test_auto_and_reactive_use_keep_recent_unless_token_budget_is_set() -> None:
    assert strategy_for("auto", "full_replace") == "keep_recent"
    assert strategy_for("reactive", "token_budget") == "token_budget"
    assert strategy_for("manual", "full_replace") == "full_replace"


def test_few_messages_with_one_giant_result_make_room() -> None:
    """B12: four messages fill the window; the result is cut, its id stays."""
    giant = result(1, "log line\n" * 40_000)
    messages = [user(1), calls(1), giant, says(2)]
    made = fit(make(messages, keep_messages=10), 6000, count_message)
    assert made.is_prune
    assert made.archived_ids == ()
    assert made.replaced[0][0] == giant
    copy = made.kept_tail[2]
    assert copy.id == giant.id
    assert copy.metadata[SHORTENED] == len(giant.content)
    assert "recall t1_0" in copy.content
    assert sum(map(count_message, made.kept)) <= 6000


def test_fewer_blocks_stay_when_cutting_is_not_enough() -> None:
    """B15: down to the newest user message and the newest block."""
    messages = chat(6, 2000)
    made = fit(make(messages, keep_messages=10), 100, count_message)
    assert ids(made.kept) == ["u5", "a5"]
    assert not made.replaced
    assert len(made.archived) == 10


def test_a_result_that_is_archived_in_the_end_is_archived_whole() -> None:
    messages = [user(0), calls(1), result(1, "x" * 50_000), *chat(8, 900)]
    made = fit(make(messages, keep_messages=30), 3000, count_message)
    assert messages[2] in made.archived
    assert all(original.id != "t1_0" for original, _ in made.replaced)


def test_a_call_without_results_is_never_archived() -> None:
    """B21: nothing comes between a call and its results."""
    messages = [*chat(8), calls(9, "bash", "bash"), result(9)]
    for strategy in ("keep_recent", "full_replace", "token_budget"):
        assert "a9" in ids(make(messages, strategy, keep_messages=1, tail_tokens=10).kept)
    assert session_of(messages).messages[-1].id == "t9_0"

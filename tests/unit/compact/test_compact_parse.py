"""What a summariser may return, and what is rejected with the fault named (spec/context 9)."""

import json

import pytest

from neocode.compact.parse import InvalidSummary, parse_handoff, parse_json
from neocode.compact.summary import check, shape
from neocode.provider.base import CallChunk, Reply
from tests.unit.compact.compactkit import DISPLAY, HANDOFF, HOLLOW, answer, reply

GOOD = answer()


def changed(**keys: object) -> str:
    return json.dumps(json.loads(GOOD) | keys)


def state(**fields: object) -> str:
    data = json.loads(GOOD)
    data["task_state"] |= fields
    return json.dumps(data)


def without(field: str) -> str:
    data = json.loads(GOOD)
    del data["task_state"][field]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("Your quota is used up until 5 am.", "not a JSON object"),
        ("I'm sorry, but I cannot help with that.", "not a JSON object"),
        ("<html><body><h1>502 Bad Gateway</h1></body></html>", "not a JSON object"),
        ("[]", "not a JSON object"),
        (GOOD[: len(GOOD) // 2], "not complete"),
        (GOOD[:-1], "not complete"),
        (GOOD[:-2], "not complete"),
        (changed(note="x"), "unknown keys: note"),
        (json.dumps({"task_state": json.loads(GOOD)["task_state"]}), "lacks display_summary"),
        (json.dumps({"summary": "all fine"}), "lacks task_state"),
        (changed(task_state="x"), "task_state must be an object"),
        (changed(display_summary=[DISPLAY]), "display_summary must be a string"),
        (without("goal"), "lacks goal"),
        (state(mood="good"), "unknown keys: mood"),
        (state(last_updated_at="now"), "unknown keys: last_updated_at"),
        (state(pinned=["x"]), "unknown keys: pinned"),
        (state(goal=None), "goal must be a string"),
        (state(goal=["x"]), "goal must be a string"),
        (state(progress="x"), "progress must be a list of strings"),
        (state(progress=[1]), "progress must be a list of strings"),
        (state(decisions=[["x"]]), "decisions must be a list of strings"),
        (state(decisions=None), "decisions must be a list of strings"),
        (HOLLOW, "hollow"),
    ],
)
def test_bad_answers_are_rejected_with_their_fault(text: str, fault: str) -> None:
    """B09, B10: error texts, refusals, hollow and cut-off answers never become the memory."""
    with pytest.raises(InvalidSummary, match=fault):
        parse_json(reply(text), rich=True)


def test_what_the_reply_itself_shows_is_rejected() -> None:
    for finish, fault in (("length", "cut off"), ("content_filter", "content filter")):
        with pytest.raises(InvalidSummary, match=fault):
            parse_json(reply(GOOD, finish), rich=True)
    called = Reply(text=GOOD, calls=[CallChunk(0, "c", "bash", "{}")], finish="tool_calls")
    with pytest.raises(InvalidSummary, match="called a tool"):
        parse_json(called, rich=True)
    with pytest.raises(InvalidSummary, match="empty"):
        parse_json(Reply(text="", reasoning="long thoughts", finish="stop"), rich=True)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Here is the summary {{as asked}}:\n\n{GOOD}\n\nLet me know!",
        f"\ufeff{GOOD}",
        GOOD.replace('"blockers": []', '"blockers": [],').replace(", }", "}"),
        GOOD.replace("\\n", "\n"),
        GOOD.replace('"goal"', "'goal'"),
    ],
)
def test_fences_greetings_and_small_defects_are_tolerated(text: str) -> None:
    made = parse_json(reply(text), rich=True)
    assert made.state.goal == "move the parser"
    assert made.text.startswith("[compact_summary]")


def test_none_words_are_not_items() -> None:
    made = parse_json(reply(state(blockers=["None", "- n/a", "无", "disk full"])), rich=True)
    assert made.state.blockers == ("disk full",)


def test_a_hollow_answer_to_a_poor_archive_passes() -> None:
    assert not parse_json(reply(HOLLOW), rich=False).state.is_established


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("done:\n- x", "must start with"),
        (DISPLAY.replace("decisions:\n- keep the old name\n\n", ""), "lacks the section decisions"),
        (DISPLAY.replace("- keep the old name", ""), "decisions needs at least one"),
        (DISPLAY.replace("- keep the old name", "- "), "decisions needs at least one"),
        (DISPLAY.replace("in_progress:", "done:"), "section done twice"),
        (
            DISPLAY.replace("decisions:", "X:")
            .replace("constraints:", "decisions:")
            .replace("X:", "constraints:"),
            "in this order",
        ),
    ],
)  # fmt: skip
def test_a_display_summary_has_its_shape(text: str, fault: str) -> None:
    with pytest.raises(InvalidSummary, match=fault):
        check(text)


def test_a_long_summary_is_shortened_longest_bullets_first() -> None:
    long = DISPLAY.replace(
        "- parser moved", "- " + "moved the parser 👨‍👩‍👧 " * 200 + "\n- done two"
    )
    short = shape(long, 400)
    assert len(short) <= 400
    assert "- use tabs" in short
    assert "- done two" in short
    assert short.splitlines()[0] == "[compact_summary]"
    assert "\u200d…" not in short


def test_a_handoff_fills_the_state() -> None:
    made = parse_handoff(reply(HANDOFF), rich=True)
    assert made.state.goal == "Move the parser into its own module"
    assert made.state.user_constraints == ("use tabs",)
    assert made.state.progress == ("src/parser.py written, `make check` passes",)
    assert made.state.open_items == ("tests for the parser",)
    assert made.state.blockers == ()
    assert made.state.decisions == ("keep the old name because plugins import it",)
    assert made.state.key_artifacts == ("src/parser.py: parse() and its helpers",)
    assert made.state.next_step == "write tests/test_parser.py"
    assert "port 8123" in made.text


def test_the_seeds_own_headings_are_read() -> None:
    text = (
        "## 目标\n移动解析器\n## 约束与偏好\n- 只用制表符\n## 进度\n### 已完成\n"
        "- 移动 src/parser.py\n### 进行中\n- 测试\n### 受阻\n无\n## 关键决策\n- 保留旧名\n"
        "## 相关文件\n- src/parser.py\n## 下一步\n写测试\n"
        "## 关键上下文\n端口 8123\n## 工具与模式\nmake\n" + "补充说明。" * 40
    )
    made = parse_handoff(reply(text), rich=True)
    assert made.state.goal == "移动解析器"
    assert made.state.user_constraints == ("只用制表符",)
    assert made.state.next_step == "写测试"
    assert made.state.blockers == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty"),
        ("## Goal\nshort", "at least 200"),
        ("I am sorry, the quota of this account is used up. " * 8, "headings"),
        ("<html><body>" + "<p>Bad gateway</p>" * 30, "headings"),
        ("## Goal\nnone\n\n## Progress\n### Done\nnone\n\n## Key decisions\nnone\n\n## Next steps\n"
         "none\n\n## Critical context\n" + "nothing to say here " * 12, "empty or says none"),
    ],
)  # fmt: skip
def test_bad_handoffs_are_rejected(text: str, fault: str) -> None:
    with pytest.raises(InvalidSummary, match=fault):
        parse_handoff(reply(text), rich=True)


def test_the_dots_of_the_form_say_none() -> None:
    """Seen with a real 1.5B model: it left "- ..." standing where it had nothing to say."""
    text = "[compact_summary]\ndone:\n- moved a.py\n" + "".join(
        f"{name}:\n- ...\n" for name in ("in_progress", "decisions", "code_changes", "constraints")
    )
    assert "- ..." not in shape(text, 1200)
    assert shape(text, 1200).count("- none") == 4

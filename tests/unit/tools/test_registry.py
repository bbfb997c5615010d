import json
from typing import Any

import pytest

from neocode.tools.ask_user import AskUserTool
from neocode.tools.base import ToolError
from neocode.tools.registry import Registry, default_tools
from neocode.tools.todo import TodoTool
from neocode.tools.truncate import estimate_tokens


def test_the_tools_of_the_interface_are_there() -> None:
    registry = Registry(default_tools())
    assert set(registry.names()) == {
        *("read", "write", "edit", "glob", "grep", "bash", "todo", "ask_user", "recall")
    }
    assert registry.preserving == {"todo", "ask_user"}
    assert registry.get("nope") is None
    assert registry.specs() == Registry(default_tools()).specs()
    with pytest.raises(ValueError, match="same name"):
        Registry([TodoTool(), TodoTool()])


def test_all_definitions_stay_small() -> None:
    """The budget of interface.md: definitions and system prompt under 3,000 tokens."""
    specs = [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
        for spec in Registry(default_tools()).specs()
    ]
    assert estimate_tokens(json.dumps(specs)) <= 1500


async def test_todo_keeps_its_list_for_the_screen(bench: Any) -> None:
    items = [{"text": "read", "status": "done"}, {"text": "write  it", "status": "in_progress"}]
    outcome = await bench.outcome(TodoTool(), items=items)
    assert outcome.content == "[x] read\n[>] write it"
    assert outcome.metadata["todos"][1] == {"text": "write it", "status": "in_progress"}
    assert TodoTool().summary({"items": items}) == "todo 1/2"


async def test_the_user_is_asked(bench: Any) -> None:
    bench.answers = ["something else"]
    answer = await bench.call(AskUserTool(), question="Which?", options=["a", "b"])
    assert answer == "The user answers: something else"
    assert bench.asked == [("Which?", ("a", "b"))]
    for options in (["only"], ["a", "a"], list("abcde")):
        with pytest.raises(ToolError, match="2 to 4"):
            await bench.call(AskUserTool(), question="Which?", options=options)

import json
from typing import Any

import pytest

from neocode.domain.messages import ToolCall
from neocode.domain.tooling import ToolSpec
from neocode.tools.arguments import parse_arguments
from neocode.tools.base import ToolError
from neocode.tools.edit import EditTool
from neocode.tools.read import ReadTool
from neocode.tools.todo import TodoTool


def parse(text: str, spec: ToolSpec = ReadTool.spec) -> dict[str, Any]:
    return parse_arguments(ToolCall(id="c", name=spec.name, arguments=text), spec)


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a.py"}',
        '{"path": "a.py",}',
        "{'path': 'a.py'}",
        '{path: "a.py"}',
        '```json\n{"path": "a.py"}\n```',
        '"{\\"path\\": \\"a.py\\"}"',
        '{"path": "a.py", "offset": null}',
        "{'path': 'a.py', 'offset': None}",
    ],
)
def test_small_defects_are_mended(text: str) -> None:
    assert parse(text) == {"path": "a.py"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"path": "a.py", "offs', "cut off"),
        ('{"path": "a.py"', "cut off"),
        ('{"path": "say "hi" now"}', "not valid JSON"),
        ('{"path": "C:\\dir"}', "backslash"),
        ('{"path": "a"}{"path": "b"}', "not valid JSON"),
        ("[1]", "one JSON object"),
        ("read a.py please", "not valid JSON"),
        ("", "'path' is missing"),
        ("{}", "'path' is missing"),
        ('{"file_path": "a"}', "no argument 'file_path'. Did you mean 'path'?"),
        ('{"path": 5}', "'path' must be a string, not 5"),
        ('{"path": "a", "limit": "many"}', "'limit' must be a whole number"),
        ('{"path": "a", "limit": true}', "'limit' must be a whole number"),
        ("[" * 100_000, "nested"),
    ],
)
def test_other_faults_are_named_for_the_model(text: str, words: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse(text)
    assert words in str(caught.value)
    assert "Nothing was run" in str(caught.value)


def test_numbers_and_lists_sent_as_text_are_taken() -> None:
    assert parse('{"path": "a", "limit": "20", "offset": 3.0}') == {
        "path": "a",
        "limit": 20,
        "offset": 3,
    }
    edit = {"path": "a", "old_text": "1", "new_text": "2", "replace_all": "True"}
    assert parse(json.dumps(edit), EditTool.spec)["replace_all"] is True
    items = [{"text": "x", "status": "done"}]
    assert parse(json.dumps({"items": json.dumps(items)}), TodoTool.spec) == {"items": items}


def test_faults_inside_lists_name_the_place() -> None:
    with pytest.raises(ToolError, match=r"items\[1\].*'status' must be one of pending"):
        parse(
            '{"items": [{"text": "a", "status": "done"}, {"text": "b", "status": "later"}]}',
            TodoTool.spec,
        )


def test_a_raw_newline_inside_a_string_is_taken() -> None:
    assert parse('{"path": "a\nb"}') == {"path": "a\nb"}

import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.context.encoding import encoding_for, load_encoding
from neocode.context.sources import base_prompt
from neocode.context.tokens import TokenCounter
from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.session import Hit
from neocode.tools.base import ToolError
from neocode.tools.recall import RecallTool, bare, listing, page
from neocode.tools.registry import Registry, default_tools

AT = "2026-11-30T10:00:00Z"


@dataclass
class Shelf:
    """A small archive."""

    messages: dict[str, Message] = field(default_factory=dict)

    def search(self, text: str) -> list[Hit]:
        return [
            Hit(
                session_id="s", message_id=m.id, role=m.role, snippet=m.content[:40],
                created_at=AT, archived=True, score=1.0, tool_name=m.tool_name or "",
            )
            for m in self.messages.values()
            if text in m.content
        ]  # fmt: skip

    def record(self, handle: str) -> Message | None:
        return self.messages.get(handle)


def test_definitions_and_system_prompt_stay_under_3000_tokens() -> None:
    """spec/interface, "Tools the model has"; by o200k where it is there, else by estimate."""
    counter = TokenCounter()
    model = "openai/gpt-4o"
    assert encoding_for(model) == "o200k_base"
    if load_encoding("o200k_base") is not None:
        assert counter.warm(model)
    tools = counter.count_tools(Registry(default_tools()).specs(), model)
    assert tools + counter.count_text(base_prompt(), model) < 3000


@pytest.mark.parametrize(
    "given_id", ["m_1", " m_1 ", "[recall m_1]", "recall m_1]", "(m_1)", "`m_1`", "m_1."]
)
def test_an_id_is_read_however_it_was_copied(given_id: str) -> None:
    assert bare(given_id) == "m_1"


@given(st.text(min_size=1, max_size=3000), st.integers(200, 400))
def test_pages_joined_are_the_whole_record(text: str, tokens: int) -> None:
    message = Message(id="m_1", created_at=AT, role="user", content=text)
    joined, offset, pages = "", 0, 0
    while pages < 5000:
        pages += 1
        body = page(message, offset, tokens).split("\n", 1)[1]
        found = re.search(r"\n\[characters [\d,]+ to [\d,]+ of [\d,]+; .* offset (\d+)\]\Z", body)
        joined += body[: found.start()] if found else body
        if found is None:
            break
        assert int(found[1]) > offset
        offset = int(found[1])
    assert joined == text


def test_a_record_says_what_it_is_and_what_is_not_shown() -> None:
    reply = Message(
        id="m_2", created_at=AT, role="assistant", content="I look",
        tool_calls=(ToolCall(id="c1", name="read", arguments='{"path": "a.py"}'),),
    )  # fmt: skip
    assert page(reply, 0, 500) == (
        f'[m_2, assistant, {AT}]\nI look\n[call c1: read {{"path": "a.py"}}]'
    )
    result = Message(
        id="m_3", created_at=AT, role="tool", tool_name="bash", content="cut",
        images=(Image(media_type="image/png", data=""),), metadata={"full_output": "/o/1.txt"},
    )  # fmt: skip
    shown = page(result, 0, 500)
    assert "bash result" in shown
    assert "1 pictures are not shown" in shown
    assert "/o/1.txt" in shown
    assert "ends at character 3" in page(result, 99, 500)


async def test_search_and_refusals(bench: Any) -> None:
    shelf = Shelf({"m_1": Message(id="m_1", created_at=AT, role="user", content="port 8123")})
    there = {"recall": shelf}
    found = await bench.outcome(RecallTool(), there, query="8123")
    assert "m_1 (user): port 8123" in found.content
    assert found.metadata == {"matches": 1}
    assert "port 8123" in await bench.call(RecallTool(), there, id="m_1", query="ignored")
    assert listing([]) in await bench.call(RecallTool(), there, query="nothing")
    for args, words in (({}, "Give a query"), ({"id": "m_9"}, "no record 'm_9'")):
        with pytest.raises(ToolError, match=words):
            await bench.call(RecallTool(), there, **args)
    with pytest.raises(ToolError, match="No session"):
        await bench.call(RecallTool(), id="m_1")
    assert RecallTool().summary({"id": "m_1"}) == "recall m_1"
    assert RecallTool().summary({"query": "x"}) == 'recall "x"'

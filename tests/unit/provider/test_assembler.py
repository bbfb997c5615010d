"""Chunks become a reply, however they were cut."""

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from neocode.provider.assemble import assemble, calls_in_text, tool_calls
from neocode.provider.base import CallChunk, Chunk, FinishChunk, ReasoningChunk, TextChunk

CALLS = [("a", "read", '{"path": "src/ünï.py"}'), ("b", "bash", '{"command": "echo \\"hi\\""}')]
TEXT = "Let me look. 我看看。"


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(p % (len(text) + 1) for p in places), len(text)]
    return [text[i:j] for i, j in itertools.pairwise(edges) if i != j]


PLACES = st.lists(st.integers(0, 100), max_size=6)


@given(PLACES, PLACES, PLACES, st.randoms())
def test_any_split_of_a_stream_gives_the_same_reply(
    text_cuts: list[int], first: list[int], second: list[int], random: object
) -> None:
    chunks: list[Chunk] = [ReasoningChunk("hm")]
    chunks += [TextChunk(piece) for piece in cut(TEXT, text_cuts)]
    chunks += [CallChunk(i, id=c[0], name=c[1]) for i, c in enumerate(CALLS)]
    parts = [
        [CallChunk(i, arguments=p) for p in cut(CALLS[i][2], cuts)]
        for i, cuts in enumerate((first, second))
    ]
    while any(parts):
        chunks.append(random.choice([p for p in parts if p]).pop(0))  # type: ignore[attr-defined]
    reply = assemble([*chunks, FinishChunk("tool_calls")])
    assert (reply.text, reply.reasoning, reply.finish) == (TEXT, "hm", "tool_calls")
    assert [(c.id, c.name, c.arguments) for c in tool_calls(reply)] == CALLS


def test_a_call_with_no_arguments_has_an_empty_object() -> None:
    reply = assemble([CallChunk(0, id="a", name="todo")])
    assert tool_calls(reply)[0].arguments == "{}"


CALL = '{"name": "read", "arguments": {"path": "a.py"}}'


def test_calls_that_are_the_whole_message_are_found() -> None:
    for text in (
        CALL,
        f"```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tools>{CALL}</tools>",
        json.dumps({"type": "function", "function": json.loads(CALL)}),
    ):
        (found,) = calls_in_text(text, {"read"})
        assert (found.name, json.loads(found.arguments)) == ("read", {"path": "a.py"})
    assert len(calls_in_text(f"```json\n{CALL}\n```\n```json\n{CALL}\n```", {"read"})) == 2


def test_text_around_a_call_or_a_tool_that_is_not_offered_makes_it_text() -> None:
    assert calls_in_text(f"Try this:\n```json\n{CALL}\n```", {"read"}) == ()
    assert calls_in_text(CALL, {"bash"}) == ()
    assert calls_in_text('{"name": "read"', {"read"}) == ()
    assert calls_in_text("", {"read"}) == ()


@given(st.text())
def test_any_text_is_looked_at_without_a_fault(text: str) -> None:
    assert calls_in_text(text, {"read"}) == ()

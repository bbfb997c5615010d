"""Streams as servers really send them."""

from typing import Any

from neocode.provider.assemble import assemble
from neocode.provider.base import Chunk, Reply, SignedReasoning
from neocode.provider.chunks import WINDOW_FULL, ChunkReader


def read(*deltas: dict[str, Any], finish: str = "stop", **last: Any) -> list[Chunk]:
    reader = ChunkReader()
    chunks: list[Chunk] = []
    for delta in deltas:
        chunks += reader.read({"choices": [{"delta": delta}]})
    chunks += reader.read({"choices": [{"delta": {}, "finish_reason": finish}], **last})
    return [*chunks, *reader.end()]


def reply(*deltas: dict[str, Any]) -> Reply:
    return assemble(read(*deltas))


def call(arguments: Any, **fields: Any) -> dict[str, Any]:
    function = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    return {"tool_calls": [{**fields, "function": function}]}


def triples(found: Reply) -> list[tuple[str | None, str | None, str]]:
    return [(c.id, c.name, c.arguments) for c in found.calls]


def test_parallel_calls_by_index() -> None:
    found = reply(
        call("", index=0, id="a", name="read"),
        call("", index=1, id="b", name="grep"),
        call('{"p', index=1),
        call("{}", index=0),
        call('":1}', index=1),
    )
    assert triples(found) == [("a", "read", "{}"), ("b", "grep", '{"p":1}')]


def test_whole_calls_without_index_or_id_and_arguments_as_objects() -> None:
    found = reply(call({"path": "a"}, name="read"), call({"path": "b"}, name="read"))
    assert triples(found) == [
        ("call_0", "read", '{"path": "a"}'),
        ("call_1", "read", '{"path": "b"}'),
    ]


def test_two_calls_under_one_index_are_two() -> None:
    found = reply(
        call('{"n":1}', index=0, id="a", name="read"), call('{"n":2}', index=0, id="b", name="read")
    )
    assert triples(found) == [("a", "read", '{"n":1}'), ("b", "read", '{"n":2}')]


def test_id_and_name_repeated_in_every_delta_count_once() -> None:
    found = reply(
        call('{"n"', index=0, id="a", name="read"), call(":1}", index=0, id="a", name="read")
    )
    assert triples(found) == [("a", "read", '{"n":1}')]


def test_equal_ids_are_made_different() -> None:
    found = reply(call("{}", index=0, id="x", name="a"), call("{}", index=1, id="x", name="b"))
    assert triples(found) == [("x", "a", "{}"), ("x_2", "b", "{}")]


def test_a_call_without_a_name_is_left_out() -> None:
    assert reply(call("{}", index=0, id="x")).calls == []


def test_text_and_reasoning_under_either_name() -> None:
    found = reply(
        {"reasoning": "h"}, {"reasoning_content": "m"}, {"content": None}, {"content": "a"}
    )
    assert (found.reasoning, found.text) == ("hm", "a")


def test_a_signed_block_is_whole() -> None:
    """Pieces of thinking come first, the signature closes them."""
    chunks = read(
        {"thinking_blocks": [{"type": "thinking", "thinking": "one "}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "two"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "SIG"}]},
        {"thinking_blocks": [{"type": "redacted_thinking", "data": "xx"}]},
    )
    assert [c.block for c in chunks if isinstance(c, SignedReasoning)] == [
        {"type": "thinking", "thinking": "one two", "signature": "SIG"},
        {"type": "redacted_thinking", "data": "xx"},
    ]


def test_the_last_usage_counts() -> None:
    found = assemble(read({"content": "a"}, usage={"prompt_tokens": 5, "completion_tokens": 1}))
    assert found.usage is not None
    assert found.usage.input_tokens == 5
    assert found.finish == "stop"


def test_a_full_window_is_seen_in_the_end_mark_and_in_an_empty_length() -> None:
    for finish in (WINDOW_FULL, "length"):
        reader = ChunkReader()
        list(reader.read({"choices": [{"delta": {}, "finish_reason": finish}]}))
        assert reader.window_is_full
    reader = ChunkReader()
    list(reader.read({"choices": [{"delta": {"content": "x"}, "finish_reason": "length"}]}))
    assert not reader.window_is_full


def test_a_whole_message_in_place_of_deltas() -> None:
    reader = ChunkReader()
    body = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
    found = assemble([*reader.read(body), *reader.end()])
    assert (found.text, found.finish) == ("hi", "stop")

"""Probes: read with care, judged where they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from neocode.domain.errors import NeoCodeError
from neocode.domain.messages import Message, ToolCall
from neocode.replay.probes import Places, Probe, judge, kept_shares, read_probes

GOOD = {"question": "Which port?", "check": "literal", "accept": ["9443"], "kind": "value"}


def said(number: int, content: str, **fields: Any) -> Message:
    return Message(id=f"m{number}", created_at="", role="assistant", content=content, **fields)


def test_literal_probes_are_read_and_the_others_left_out(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps([GOOD, {"question": "Why?", "check": "judge", "answer": "so"}]))
    assert read_probes(file) == (Probe(question="Which port?", accept=("9443",), kind="value"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ('{"question": "a"}', "holds no list"),
        ("[3]", "probe 1: it has no question"),
        ('[{"question": " ", "accept": ["a"]}]', "no question"),
        ('[{"question": "a", "accept": []}]', "accept must be"),
        ('[{"question": "a", "accept": "b"}]', "accept must be"),
        ('[{"question": "a", "accept": [""]}]', "accept must be"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "p.json"
    file.write_text(text)
    with pytest.raises(NeoCodeError, match=words):
        read_probes(file)
    with pytest.raises(NeoCodeError, match="cannot be read"):
        read_probes(tmp_path / "none.json")


def test_a_probe_counts_when_only_the_archive_holds_it() -> None:
    call = ToolCall(id="c", name="bash", arguments='{"command": "curl :8080"}')
    archived = [said(0, "the port is 9443"), said(1, "", tool_calls=(call,)), said(2, "blue")]
    places = Places(
        sent="we use PORT 9443",
        archived=archived,
        kept=[said(3, "blue it is")],
        search=lambda question: "curl :8080" if "curl" in question else "",
        record=lambda message_id: archived[int(message_id[1:])],
    )
    probes = [
        Probe(question="port?", accept=("9443",)),
        Probe(question="which curl?", accept=(":8080",)),
        Probe(question="colour?", accept=("BLUE",)),
        Probe(question="never said", accept=("xyz",)),
    ]
    port, curl, colour = judge(probes, places)
    assert (port.counts, port.in_prompt, port.by_search, port.by_id) == (True, True, False, True)
    assert (curl.counts, curl.in_prompt, curl.by_search, curl.by_id) == (True, False, True, True)
    assert not colour.counts
    assert kept_shares([port, curl, colour]) == {
        "probes": 2,
        "in_prompt": 1,
        "by_search": 1,
        "either": 2,
        "by_id": 2,
    }

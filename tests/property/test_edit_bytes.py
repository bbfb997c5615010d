"""Edits change what they say and not one byte more, in any encoding and with any line ends."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from neocode.tools.base import ToolError
from neocode.tools.edit import replaced
from neocode.tools.files.diff import unified
from neocode.tools.files.line_ends import flatten, splice
from neocode.tools.files.near_miss import explain
from neocode.tools.files.text_codec import detect

parts = st.sampled_from(["a", "b", " ", "\t", "\n", "\r\n", "\u00a0", "é"])
texts = st.lists(parts, max_size=40).map("".join)
flat_texts = texts.map(lambda text: text.replace("\r\n", "\n"))


@given(st.binary(max_size=200))
def test_whatever_is_decoded_encodes_to_the_same_bytes(data: bytes) -> None:
    """B48."""
    codec = detect(data)
    if codec is not None:
        assert codec.encode(codec.decode(data)) == data


CODECS = ["gbk", "shift_jis", "latin-1", "utf-16", "utf-32", "utf-8-sig", "utf-8", "euc_jp", "big5"]


@given(st.sampled_from(CODECS), st.text(max_size=60), st.binary(max_size=3))
def test_encoded_text_survives_an_ascii_edit(name: str, text: str, noise: bytes) -> None:
    """B48: broken bytes included."""
    data = f"{text}\nMARK=1\n{text}".encode(name, "ignore") + noise
    codec = detect(data)
    assume(codec is not None and codec.decode(data).count("MARK=1") == 1)
    assert codec is not None
    changed = replaced(flatten(codec.decode(data)), "MARK=1", "MARK=2", replace_all=False)
    wide = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, "ascii")
    assert codec.encode(changed) == data.replace("MARK=1".encode(wide), "MARK=2".encode(wide))


@given(texts, flat_texts, st.data())
def test_bytes_outside_the_match_stay(text: str, new: str, data: st.DataObject) -> None:
    flat = flatten(text)
    start = data.draw(st.integers(0, len(flat.flat)))
    stop = data.draw(st.integers(start, len(flat.flat)))
    old = flat.flat[start:stop]
    assume(old)
    if flat.flat.find(old) != start or flat.flat.find(old, start + 1) >= 0:
        with pytest.raises(ToolError, match="occurs"):
            replaced(flat, old, new, replace_all=False)
        return
    changed = replaced(flat, old, new, replace_all=False)
    assert changed.startswith(text[: flat.position(start)])
    assert changed.endswith(text[flat.position(stop) :])
    assert flatten(changed).flat == flat.flat[:start] + new + flat.flat[stop:]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n"])), max_size=8))
def test_an_unchanged_text_keeps_every_line_end(lines: list[tuple[str, str]]) -> None:
    text = "".join(line + end for line, end in lines)
    flat = flatten(text)
    assert splice(flat, 0, len(flat.flat), flat.flat) == text


@given(flat_texts, flat_texts)
def test_a_miss_is_always_explained(text: str, wanted: str) -> None:
    """B49: never an error of our own, whatever is compared."""
    assume(wanted and wanted not in text)
    assert explain(text, wanted)


@given(flat_texts, flat_texts)
def test_a_diff_has_the_lines_that_differ(old: str, new: str) -> None:
    diff = unified(old, new, "f")
    body = [line for line in diff.text.split("\n")[2:] if line]
    assert sum(line.startswith("+") for line in body) == diff.added
    assert sum(line.startswith("-") for line in body) == diff.removed
    assert (diff.text == "") == (old == new)


def patched(old: str, diff: str) -> str:
    """Old with a unified diff applied, strictly by its line numbers."""
    source = old.splitlines(keepends=True)
    out: list[str] = []
    done = 0
    for line in diff.replace("\\ No newline at end of file\n", "").splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            begin, _, count = line.split()[1][1:].partition(",")
            start = int(begin) - (count != "0")
            out += source[done:start]
            done = start
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            assert source[done].rstrip("\n") == line[1:].rstrip("\n")
            out += [source[done]] if line.startswith(" ") else []
            done += 1
    return "".join(out + source[done:])


abc = st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), max_size=40).map("".join)


@given(abc, abc, st.sampled_from(["", "end"]), st.sampled_from(["", "end"]))
def test_a_diff_leads_from_old_to_new(old: str, new: str, old_end: str, new_end: str) -> None:
    diff = unified(old + old_end, new + new_end, "f").text
    assert patched(old + old_end, diff).rstrip("\n") == (new + new_end).rstrip("\n")


@pytest.mark.parametrize("size", [5000])
def test_a_large_change_is_one_replacement(size: int) -> None:
    old = "".join(f"a{n}\n" for n in range(size))
    new = "".join(f"b{n}\n" for n in range(size))
    diff = unified(f"top\n{old}end\n", f"top\n{new}end\n", "f")
    assert (diff.added, diff.removed) == (size, size)
    assert f"@@ -1,{size + 2} +1,{size + 2} @@\n top\n-a0\n" in diff.text

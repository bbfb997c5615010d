import os
import stat
from pathlib import Path
from typing import Any

import pytest

from neocode.tools.base import ToolError
from neocode.tools.edit import EditTool
from neocode.tools.read import ReadTool
from neocode.tools.write import WriteTool

EDIT, READ, WRITE = EditTool(), ReadTool(), WriteTool()


async def edited(bench: Any, data: bytes, old: str, new: str, **more: Any) -> bytes:
    path: Path = bench.write("f.txt", data)
    await bench.call(READ, path="f.txt")
    await bench.call(EDIT, path="f.txt", old_text=old, new_text=new, **more)
    return path.read_bytes()


async def fault(bench: Any, data: bytes | str, old: str, new: str = "x", **more: Any) -> str:
    path = bench.write("f.txt", data)
    before = path.read_bytes()
    await bench.call(READ, path="f.txt")
    with pytest.raises(ToolError) as caught:
        await bench.call(EDIT, path="f.txt", old_text=old, new_text=new, **more)
    assert path.read_bytes() == before
    return str(caught.value)


ENCODED = [
    "错误：文件不存在。\nvalue = old\n请检查路径是否正确。".encode("gbk"),
    "déjà vu, où ça\nvalue = old\nfin de l'été".encode("latin-1"),
    "エラーが発生しました。\nvalue = old\n確認してください。".encode("shift_jis"),
    b"\xff\xfe" + "value = old\nзначение".encode("utf-16-le"),
    b"\xfe\xff" + "value = old\nзначение".encode("utf-16-be"),
    b"\xff\xfe\x00\x00" + "value = old\n值".encode("utf-32-le"),
    b"\xef\xbb\xbf" + "value = old\nüber".encode(),
    "value = old\nüber gute, schöne Dinge ä".encode() + b"\xff\nrest",
    b"value = old\nlone byte \xe9",
]
WIDE = {b"\xff\xfe\0\0": "utf-32-le", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@pytest.mark.parametrize("data", ENCODED)
async def test_every_other_byte_stays(bench: Any, data: bytes) -> None:
    """B48: an ASCII word changes, in whatever encoding; the rest is the same to the byte."""
    wide = next((name for bom, name in WIDE.items() if data.startswith(bom)), "ascii")
    after = await edited(bench, data, "= old", "= new")
    assert after == data.replace("old".encode(wide), "new".encode(wide))


@pytest.mark.parametrize("data", ENCODED[:3])
async def test_legacy_text_is_shown_readable(bench: Any, data: bytes) -> None:
    bench.write("f.txt", data)
    text = await bench.call(READ, path="f.txt")
    assert "\ufffd" not in text
    assert any(word in text for word in ("文件不存在", "déjà vu, où ça", "エラーが発生しました"))


@pytest.mark.parametrize("data", ENCODED)
async def test_write_keeps_the_encoding(bench: Any, data: bytes) -> None:
    """B48: overwriting with what was read, one word changed, is a change of one word."""
    path = bench.write("f.txt", data)
    shown = await bench.call(READ, path="f.txt")
    lines = [line.split("\t", 1)[1] for line in shown.split("\n") if not line.startswith("[")]
    content = "\n".join(lines).replace("old", "new")
    if "\ufffd" in content:
        with pytest.raises(ToolError, match="not text"):
            await bench.call(WRITE, path="f.txt", content=content)
        assert path.read_bytes() == data
        return
    await bench.call(WRITE, path="f.txt", content=content)
    codec = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") and data[2:4] != b"\0\0" else None
    if codec:
        assert path.read_bytes().decode(codec) == data.decode(codec).replace("old", "new")
    elif data[2:4] != b"\0\0":
        assert path.read_bytes() == data.replace(b"old", b"new")


async def test_a_character_the_encoding_lacks_is_refused(bench: Any) -> None:
    words = await fault(bench, ENCODED[0], "old", "old 🎉")
    assert "GBK" in words
    assert "U+1F389" in words
    assert "not changed" in words


async def test_crlf_matches_lf_and_stays(bench: Any) -> None:
    data = b"one\r\ntwo\r\nthree\r\n"
    assert await edited(bench, data, "one\ntwo\n", "one\n2\n2b\n") == b"one\r\n2\r\n2b\r\nthree\r\n"


async def test_mixed_line_ends_stay_where_they_are(bench: Any) -> None:
    data = b"a\r\nb\nc\r\nd\n"
    assert await edited(bench, data, "a\nb\nc\nd", "a\nb\nX\nd") == b"a\r\nb\nX\r\nd\n"


async def test_missing_last_newline_and_bom_stay(bench: Any) -> None:
    assert await edited(bench, b"\xef\xbb\xbfa\nb", "b", "c") == b"\xef\xbb\xbfa\nc"


async def test_mode_and_link_stay(bench: Any) -> None:
    target = bench.write("real.sh", "#!/bin/sh\necho old\n")
    target.chmod(0o750)
    (bench.root / "link.sh").symlink_to("real.sh")
    await bench.call(READ, path="link.sh")
    await bench.call(EDIT, path="link.sh", old_text="old", new_text="new")
    assert (bench.root / "link.sh").is_symlink()
    assert target.read_text() == "#!/bin/sh\necho new\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert sorted(p.name for p in bench.root.iterdir()) == ["link.sh", "real.sh"]


async def test_hard_links_stay_one_file(bench: Any) -> None:
    first = bench.write("a", "old\n")
    os.link(first, bench.root / "b")
    await bench.call(READ, path="a")
    await bench.call(EDIT, path="a", old_text="old", new_text="new")
    assert (bench.root / "b").read_text() == "new\n"


async def test_unread_and_changed_files_are_refused(bench: Any) -> None:
    path = bench.write("f.txt", "old\n")
    with pytest.raises(ToolError, match="Read it first"):
        await bench.call(EDIT, path="f.txt", old_text="old", new_text="new")
    await bench.call(READ, path="f.txt")
    path.write_text("old, by someone else\n")
    with pytest.raises(ToolError, match="changed since it was last read"):
        await bench.call(EDIT, path="f.txt", old_text="old", new_text="new")
    with pytest.raises(ToolError, match="changed since"):
        await bench.call(WRITE, path="f.txt", content="new")
    assert path.read_text() == "old, by someone else\n"


async def test_two_edits_in_a_row_need_one_read(bench: Any) -> None:
    path = bench.write("f.txt", "one two\n")
    await bench.call(READ, path="f.txt")
    outcome = await bench.outcome(EDIT, path="f.txt", old_text="one", new_text="1")
    await bench.call(EDIT, path="f.txt", old_text="two", new_text="2\n3")
    assert path.read_text() == "1 2\n3\n"
    assert outcome.metadata["path"] == str(path)
    assert (outcome.metadata["added"], outcome.metadata["removed"]) == (1, 1)
    assert "-one two\n+1 two\n" in outcome.metadata["diff"]


async def test_several_hits_are_named_by_line(bench: Any) -> None:
    """B49: two hits are reported with line numbers."""
    words = await fault(bench, "a\nx = 1\nb\nx = 1\n", "x = 1")
    assert "2 times, in lines 2, 4" in words
    assert await edited(bench, b"x\ny\nx\n", "x", "z", replace_all=True) == b"z\ny\nz\n"


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        ("all:\n\tgcc a.c\n", "all:\n    gcc", ["line 2", "tab", "4 blanks"]),
        ("if x:\n        y()\n", "if x:\n    y()", ["line 2", "8 blanks", "4 blanks"]),
        ("a\nprice:\u00a05\n", "price: 5", ["line 2", "no-break space (U+00A0)", "has blank"]),
        ("say \u201chi\u201d\n", 'say "hi"', ["line 1, column 5", "U+201C", "straight quote"]),
        ("caf\u00e9 x\n", "cafe\u0301 x", ["line 1, column 4", "U+00E9", "decomposed"]),
        ("cafe\u0301 x\n", "caf\u00e9 x", ["line 1", "U+0301", "U+00E9"]),
        ("foo  \nbar\n", "foo\nbar", ["line 1", "2 blanks", "line end"]),
        ("Hello World\n", "hello world", ["'H'", "'h'"]),
        ("    x = 1\n", "\tx = 1", ["line 1", "4 blanks", "tab"]),
        ("def f(self):\n    pass\n", "def f(slef):\n    pass", ["nearest line is 1"]),
        ("alpha\n", "1\talpha", ["line numbers"]),
        ("alpha\n", "zzzzzz", ["Nothing in the file"]),
    ],
)
async def test_a_near_miss_says_where_and_how(
    bench: Any, text: str, old: str, expected: list[str]
) -> None:
    """B49: look-alikes are not matched; the first difference is named."""
    words = await fault(bench, text, old)
    assert all(part in words for part in expected), words


async def test_empty_and_equal_texts_are_refused(bench: Any) -> None:
    assert "empty" in await fault(bench, "a\n", "")
    assert "same" in await fault(bench, "a\n", "a", "a")


async def test_the_same_failing_edit_is_not_tried_a_third_time(bench: Any) -> None:
    """B49: after two failures the same edit is not tried again unchanged."""
    bench.write("f.txt", "abc\n")
    await bench.call(READ, path="f.txt")
    words = []
    for _ in range(3):
        with pytest.raises(ToolError) as caught:
            await bench.call(EDIT, path="f.txt", old_text="abd", new_text="x")
        words.append(str(caught.value))
    assert "not tried again" in words[2]
    assert "not tried again" not in words[1]
    await bench.call(READ, path="f.txt")
    with pytest.raises(ToolError, match="not found"):
        await bench.call(EDIT, path="f.txt", old_text="abd", new_text="x")


async def test_the_preview_changes_nothing(bench: Any) -> None:
    path = bench.write("f.txt", "old\n")
    await bench.call(READ, path="f.txt")
    args = {"path": "f.txt", "old_text": "old", "new_text": "new"}
    assert "-old\n+new\n" in EDIT.preview(args, bench.context())
    assert "will fail" in EDIT.preview(args | {"old_text": "zzz"}, bench.context())
    assert path.read_text() == "old\n"
    assert EDIT.accesses(args, bench.context())[0].target == "f.txt"


async def test_write_makes_folders_and_new_files(bench: Any) -> None:
    outcome = await bench.outcome(WRITE, path="a/b/c.py", content="x = 1")
    assert (bench.root / "a/b/c.py").read_bytes() == b"x = 1"
    assert outcome.content.startswith("Created a/b/c.py (+1 -0)")
    await bench.call(EDIT, path="a/b/c.py", old_text="1", new_text="2")


async def test_write_needs_a_read_before_it_overwrites(bench: Any) -> None:
    path = bench.write("f.txt", "precious")
    with pytest.raises(ToolError, match="Read it first"):
        await bench.call(WRITE, path="f.txt", content="")
    assert path.read_text() == "precious"
    bench.write("empty.txt", "")
    await bench.call(WRITE, path="empty.txt", content="full")


async def test_write_keeps_crlf_unless_told_otherwise(bench: Any) -> None:
    path = bench.write("f.txt", "a\r\nb\r\n")
    await bench.call(READ, path="f.txt")
    await bench.call(WRITE, path="f.txt", content="a\nc\n")
    assert path.read_bytes() == b"a\r\nc\r\n"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
async def test_a_file_that_may_not_be_replaced_is_written_in_place(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.write("f.txt", "old\n")
    await bench.call(READ, path="f.txt")
    inode = path.stat().st_ino

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(Path, "replace", refuse)
    await bench.call(EDIT, path="f.txt", old_text="old", new_text="newer")
    assert path.read_text() == "newer\n"
    assert path.stat().st_ino == inode
    assert [p.name for p in bench.root.iterdir()] == ["f.txt"]


async def test_folders_and_binary_files_are_refused(bench: Any) -> None:
    bench.write("b.bin", b"\0\1\2")
    with pytest.raises(ToolError, match="not a text file"):
        await bench.call(EDIT, path="b.bin", old_text="a", new_text="b")
    with pytest.raises(ToolError, match="is a folder"):
        await bench.call(WRITE, path=".", content="x")
    with pytest.raises(ToolError, match=r"does not exist.*Did you mean b.bin"):
        await bench.call(EDIT, path="B.bin", old_text="a", new_text="b")

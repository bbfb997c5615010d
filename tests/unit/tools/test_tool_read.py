import asyncio
import os
import resource
import struct
from typing import Any

import pytest

from neocode.tools.base import ToolError
from neocode.tools.read import ReadTool
from neocode.tools.truncate import estimate_tokens

READ = ReadTool()
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\2\0\0\0"


async def test_lines_are_numbered_and_cut_by_offset_and_limit(bench: Any) -> None:
    bench.write("f.py", "a\nb\nc\nd\n")
    assert await bench.call(READ, path="f.py") == "1\ta\n2\tb\n3\tc\n4\td"
    part = await bench.call(READ, path="f.py", offset=2, limit=2)
    assert part.startswith("2\tb\n3\tc\n[Lines 2-3 of f.py")
    assert "offset=4" in part
    assert "4 lines; there is no line 9" in await bench.call(READ, path="f.py", offset=9)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.txt", PNG, "image/png, 640x480"),
        ("a.jpg", b"\xff\xd8\xff\xc0\0\x11\x08\0\x10\0\x20\x03", "image/jpeg, 32x16"),
        ("a.gif", b"GIF89a\x05\0\x06\0", "image/gif, 5x6"),
        ("b", b"%PDF-1.7\nstuff stuff", "PDF document"),
        ("c", b"SQLite format 3\0" + bytes(100), "SQLite database"),
        ("d", b"\x7fELF\2\1\1\0", "ELF"),
        ("e", bytes(range(256)) * 4, "binary file"),
        ("f", b"", "empty"),
    ],
)
async def test_what_is_no_text_gets_a_short_typed_answer(
    bench: Any, name: str, data: bytes, words: str
) -> None:
    """B50: the type is told by content, never by name."""
    bench.write(name, data)
    answer = await bench.call(READ, path=name)
    assert words in answer
    assert estimate_tokens(answer) < 100


async def test_a_picture_reaches_a_model_that_sees(bench: Any) -> None:
    bench.write("a.txt", PNG)
    outcome = await bench.outcome(READ, {"see_images": True}, path="a.txt")
    (image,) = outcome.images
    assert (image.media_type, image.width, image.height) == ("image/png", 640, 480)
    bench.write("big.png", PNG + bytes(4_000_000))
    outcome = await bench.outcome(READ, {"see_images": True}, path="big.png")
    assert not outcome.images
    assert "Too large" in outcome.content


async def test_pipes_and_devices_do_not_hang(bench: Any) -> None:
    """B50: a named pipe and an endless source are refused at once."""
    os.mkfifo(bench.root / "pipe")
    for path in ("pipe", "/dev/zero"):
        with pytest.raises(ToolError, match="not opened"):
            await asyncio.wait_for(bench.call(READ, path=path), 5)


async def test_a_folder_is_listed_within_the_limit(bench: Any) -> None:
    bench.write("src/x.py", "")
    bench.write("a.txt", "")
    assert await bench.call(READ, path=".") == f"{bench.root}: folder, 2 entries\na.txt\nsrc/"
    for number in range(600):
        (bench.root / "src" / f"file_{number}").touch()
    answer = await bench.call(READ, {"result_tokens": 500}, path="src")
    assert estimate_tokens(answer) <= 500
    assert "more; glob" in answer


async def test_one_endless_line_is_bounded(bench: Any) -> None:
    """B50: a 5 MB script in one line; the answer says how to read on."""
    bench.write("min.js", "var abc=1;" * 500_000 + "\nlast\n")
    answer = await bench.call(READ, path="min.js")
    assert len(answer) < 2600
    assert "Line 1 cut (5,000,000+" in answer
    assert "2\tlast" in answer
    for limit in (300, 8000):
        whole = await bench.call(READ, {"result_tokens": limit}, path="min.js", limit=1)
        assert estimate_tokens(whole) <= limit


async def test_a_huge_log_needs_no_memory(bench: Any) -> None:
    """B50: a huge file (sparse here), read at the beginning and deep inside, in flat memory."""
    path = bench.write("big.log", "first line\n" * 7000)
    with path.open("r+b") as file:
        file.truncate(200_000_000)
        file.seek(40_000_000)
        file.write(b"\nneedle\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = await bench.call(READ, {"result_tokens": 1000}, path="big.log")
    assert estimate_tokens(answer) <= 1000
    assert "200,000,000 bytes" in answer
    deep = await bench.call(READ, path="big.log", offset=7002, limit=1)
    assert "7002\tneedle" in deep
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


async def test_the_limit_holds_for_any_text(bench: Any) -> None:
    for text in ("混合 text — données\n" * 4000, "x" * 90 + "\n" + "y\n" * 50_000, "é" * 300_000):
        bench.write("f.txt", text)
        answer = await bench.call(READ, {"result_tokens": 700}, path="f.txt")
        assert estimate_tokens(answer) <= 700


async def test_old_mac_line_ends_are_lines(bench: Any) -> None:
    bench.write("mac.txt", b"one\rtwo\r")
    assert await bench.call(READ, path="mac.txt") == "1\tone\n2\ttwo"


async def test_a_missing_file_names_its_neighbour(bench: Any) -> None:
    bench.write("config.py", "")
    with pytest.raises(ToolError, match=r"Did you mean config\.py\?"):
        await bench.call(READ, path="confg.py")
    with pytest.raises(ToolError, match="empty"):
        await bench.call(READ, path=" ")
    with pytest.raises(ToolError, match="no usable path"):
        await bench.call(READ, path="a\0b")


async def test_kernel_files_without_size_are_read(bench: Any) -> None:
    assert "1\t" in await bench.call(READ, path="/proc/self/status")


async def test_a_cancelled_read_lets_go(bench: Any) -> None:
    path = bench.write("big.log", "text\n" * 20_000)
    os.truncate(path, 20_000_000_000)
    task = asyncio.create_task(bench.call(READ, path="big.log", offset=10**8))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)

from typing import Any

import pytest

from neocode.tools.mentions import expand_mentions, mentioned_images, mentions
from neocode.tools.truncate import estimate_tokens

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("look at @src/app.py", ["src/app.py"]),
        ("@a.py and (@b.py).", ["a.py", "b.py)."]),
        ('see @"my file.txt", please', ["my file.txt"]),
        (r"see @my\ file.txt please", ["my file.txt"]),
        ("mail me@example.com or a@b", []),
        ("@ alone, @@x", ["@x"]),
        ("压缩 @文档/说明.md。", ["文档/说明.md。"]),
    ],
)
def test_where_mentions_are(text: str, first: list[str]) -> None:
    assert [mention.candidates[0] for mention in mentions(text)] == first


def test_trailing_punctuation_gives_shorter_candidates() -> None:
    (mention,) = mentions("is it (@b.py).")
    assert mention.candidates == ("b.py).", "b.py)", "b.py")


def test_existing_paths_are_added_and_others_left(bench: Any) -> None:
    bench.write("a.py", "x = 1\n")
    bench.write("docs/b.md", "hello\n")
    prompt = "Compare @a.py, @docs and @nothing.txt; ask x@y.org (@a.py)."
    expanded = expand_mentions(prompt, bench.context())
    assert expanded.startswith(prompt + '\n\n<file path="a.py">\n1\tx = 1\n</file>')
    assert expanded.count('<file path="a.py">') == 1
    assert '<file path="docs">\ndocs: folder, 1 entries\nb.md\n</file>' in expanded
    assert bench.root / "a.py" in bench.stamps.stamps
    assert expand_mentions("nothing @here", bench.context()) == "nothing @here"


def test_all_mentions_share_the_limit(bench: Any) -> None:
    for name in "abc":
        bench.write(f"{name}.txt", "word word word\n" * 5000)
    prompt = "@a.txt @b.txt @c.txt"
    expanded = expand_mentions(prompt, bench.context(result_tokens=2000))
    assert estimate_tokens(expanded) < 2200


def test_pictures_come_for_models_that_see(bench: Any) -> None:
    bench.write("p.png", PNG)
    assert len(mentioned_images("what is @p.png?", bench.context(see_images=True))) == 1
    assert mentioned_images("what is @p.png?", bench.context()) == ()

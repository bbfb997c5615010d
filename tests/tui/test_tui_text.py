"""Cleaning, wrapping, Markdown, tables, diffs: pure text rules."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from neocode.tui.text.clean import clean, one_line, pasted
from neocode.tui.text.diff import counts, diff_lines
from neocode.tui.text.lines import Block, Line, Span, breaks, crop
from neocode.tui.text.markdown import MarkdownText
from neocode.tui.text.table import Table, column_widths

WHOLE = ["a", "b", " ", "  ", "中", "文", "é", "👨‍👩‍👧", "🇩🇪", "❤️", "-", "x"]
WORDS = st.lists(st.sampled_from(WHOLE), max_size=60).map("".join)
SNIPPETS = st.sampled_from(
    ["# Title\n", "text ", "**bold** ", "`code` ", "\n", "\n\n", "- item\n", "  - deep\n",
     "1. one\n",
     "> quote\n", "```python\n", "x = rows[0]\n", "```\n", "~~~\n", "| a | b |\n", "|---|--:|\n",
     "| 1 | 中文 |\n", "---\n", "[link](http://x.y) ", "<b>html</b>\n", "    indented\n", "[/red] "]
)  # fmt: skip


def rows_of(blocks: list[Block], width: int) -> list[str]:
    """The rows as text, prefixes included."""
    return [
        "".join(span.text for span in row.prefix + row.spans)
        for block in blocks
        for row in block.layout(width).rows
    ]


@given(WORDS, st.integers(2, 40), st.booleans())
def test_breaks_cover_the_text_and_fit(text: str, width: int, words: bool) -> None:
    parts = breaks(text, width, words=words)
    assert "".join(text[a:b] for a, b in parts) == text
    if words:
        assert all(cell_len(text[a:b].rstrip(" ")) <= max(width, 2) for a, b in parts)


@given(st.text(alphabet="".join(WHOLE), max_size=30), st.integers(0, 40))
def test_crop_fits(text: str, width: int) -> None:
    assert cell_len(crop(text, width)) <= max(width, 0)


@given(st.text(max_size=200))
def test_clean_leaves_nothing_that_moves_the_cursor(text: str) -> None:
    cleaned = clean(text)
    assert not any(ord(c) < 32 and c != "\n" for c in cleaned)
    assert clean(cleaned) == cleaned


def test_clean_drops_colours_titles_and_overwritten_progress() -> None:
    assert clean("\x1b[31mred\x1b[0m\x1b]0;title\x07 10%\r100%\r\nnext\x9b1m") == "100%\nnext"
    assert clean("a\tb") == "a   b"
    assert one_line("two\n  lines " + "x" * 500, 20) == "two lines xxxxxxxxx…"


def test_paste_is_normalised_and_stray_marks_are_dropped() -> None:
    """B38: CRLF line ends, an end mark inside."""
    assert pasted("a\r\nb\rc\x1b[201~d\x1b[200~\te") == "a\nb\ncd\te"


@settings(max_examples=100, deadline=None)
@given(st.lists(SNIPPETS, max_size=14), st.integers(1, 7))
def test_streamed_markdown_ends_like_whole_markdown(snippets: list[str], step: int) -> None:
    text = "".join(snippets)
    streamed = MarkdownText()
    for at in range(0, len(text), step):
        streamed.append(text[at : at + step])
        rows_of(streamed.blocks, 30)
    whole = MarkdownText(text)
    assert squeezed(streamed, 60) == squeezed(whole, 60)


def squeezed(text: MarkdownText, width: int) -> str:
    """The characters shown, without blanks: what must never differ or be lost."""
    return "".join("".join(rows_of(text.blocks, width)).split())


def test_markdown_keeps_brackets_and_shows_structure() -> None:
    """B43: nothing in an answer is markup but Markdown."""
    text = MarkdownText("# T\n\nSee rows[0] and [/red] **b** `c[d]`\n\n- one\n  - two\n\n> q\n")
    assert rows_of(text.blocks, 60) == [
        "T", "", "See rows[0] and [/red] b c[d]", "", "• one", "  ◦ two", "", "▌ q",
    ]  # fmt: skip


def test_a_long_list_item_hangs_and_code_is_never_joined() -> None:
    text = MarkdownText("1. aaa bbb ccc ddd\n\n```\n  x = 1\n\ny\n```\n")
    assert rows_of(text.blocks, 12) == [
        "1. aaa bbb", "   ccc ddd", "", "    x = 1", "  ", "  y",
    ]  # fmt: skip


def test_what_is_done_is_not_made_again() -> None:
    text = MarkdownText("first\n\nsecond\n\nthird")
    before = text.blocks[0]
    text.append(" goes on\n\nfourth")
    assert text.blocks[0] is before


WIDE = ["中文", "日本語", "🇩🇪", "👨‍👩‍👧", "❤️"]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_table_edges_line_up_with_wide_characters(width: int) -> None:
    """B39: columns are counted in cells."""
    source = "| what | n |\n|---|---|\n" + "".join(f"| {w} | {w}x |\n" for w in WIDE)
    table = next(b for b in MarkdownText(source).blocks if isinstance(b, Table))
    rows = table.layout(width).rows
    starts = {cell_len(row.spans[0].text + row.spans[1].text) for row in rows[2:] if row.spans}
    lengths = [sum(cell_len(s.text) for s in row.spans) for row in rows]
    assert len(set(lengths)) == 1
    assert max(lengths) <= width
    assert starts


@given(
    st.lists(st.lists(st.integers(0, 60), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(20, 120),
)
def test_columns_fit_the_room(natural: list[list[int]], room: int) -> None:
    widths = column_widths(natural, room)
    assert sum(widths) <= room
    assert all(w <= max(row[i] for row in natural) for i, w in enumerate(widths))


DIFF = "--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@\n same\n-old[0]\n+new[/b]\n+more\n@@ -20 +21 @@\n-z\n+y\n"


def test_diff_has_signs_numbers_and_no_headers() -> None:
    shown = [row.rstrip() for row in rows_of(list(diff_lines(DIFF)), 40)]
    assert shown == [
        "   3   same", "   4 - old[0]", "   4 + new[/b]", "   5 + more", "     ⋯",
        "  20 - z", "  21 + y",
    ]  # fmt: skip
    assert counts(DIFF) == (3, 2)
    assert "2 more lines" in rows_of(list(diff_lines(DIFF, most=5)), 40)[-1]


def test_copies_come_from_logical_lines() -> None:
    """B40: a wrapped line is one line of text, without its prefix."""
    line = Line((Span("word " * 10),), (Span("• "),), (Span("  "),))
    layout = line.layout(20)
    assert len(layout.rows) > 2
    assert layout.texts == ["word " * 10]
    assert [row.start for row in layout.rows] == [0, 15, 30, 45]

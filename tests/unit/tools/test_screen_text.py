import pytest

from neocode.tools.screen_text import LINE_CHARS, ScreenText


def seen(*pieces: str) -> str:
    screen = ScreenText()
    return "".join(screen.feed(piece) for piece in pieces) + screen.finish()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n", "a\nb\n"),
        ("10%\r50%\r100%\nok", "100%\nok"),
        ("a long bar\rshort\n", "shortg bar\n"),
        ("a long bar\r\x1b[Kshort\n", "short\n"),
        ("a long bar\x1b[2K\rshort\n", "short\n"),
        ("\x1b[1;31mred\x1b[0m plain", "red plain"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("ab\b\bxy", "xy"),
        ("a\0b\x07c\x9bd", "abcd"),
        ("tab\there", "tab\there"),
        ("[bold]x[/bold] rows[0] [", "[bold]x[/bold] rows[0] ["),
        ("end \x1b[", "end "),
        ("x\x1b[5Gy\x1b[2Dz", "zy"),
    ],
)
def test_what_a_person_sees_at_the_end(text: str, expected: str) -> None:
    """B53 and B43: codes act or vanish; brackets are text. Cut anywhere, it is the same."""
    assert seen(text) == expected
    assert seen(*text) == expected


def test_an_endless_line_is_let_go() -> None:
    screen = ScreenText()
    given = "".join(screen.feed("x" * 1000) for _ in range(1000))
    assert len(given) > 1_000_000 - 2 * LINE_CHARS
    assert given + screen.finish() == "x" * 1_000_000


def test_an_unended_title_does_not_swallow_the_rest() -> None:
    assert seen("\x1b]0;never ended", "x" * 5000, "\nnext\n").endswith("next\n")


def test_a_code_cut_behind_a_line_end_is_still_a_code() -> None:
    assert seen("a\n\x1b", "[0mb") == "a\nb"

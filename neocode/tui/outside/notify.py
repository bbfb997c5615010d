"""A word to somebody who looks elsewhere: the bell and OSC 9, and the words for them."""

from neocode.tui.outside.clipboard import wrapped
from neocode.tui.text.clean import one_line


def notice(words: str, wrap: str) -> str:
    """OSC 9 (a notice of the desktop in iTerm2, kitty, WezTerm, Ghostty, foot) and the bell.

    Terminals that do not know OSC 9 drop it. words never begin with a digit: "9;4;" would be
    a progress bar in ConEmu.
    """
    text = one_line(words, 120).replace(";", ",").lstrip("0123456789 ")
    return wrapped(f"\x1b]9;{text}\x07", wrap) + "\x07"

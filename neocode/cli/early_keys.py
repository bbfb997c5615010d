"""Keys typed while the program is still loading wait for it, unseen, and are not lost."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def early_keys() -> Iterator[None]:
    """Take the terminal out of line mode at once; give it back as it was in the end.

    In line mode the kernel echoes what is typed before the first paint, and drops it when
    the screen takes over. Ctrl+C keeps its meaning until then.
    """
    try:
        import termios
    except ImportError:  # Windows has no line mode to leave
        yield
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    quiet = list(before)
    quiet[0] &= ~termios.ICRNL
    quiet[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(handle, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)

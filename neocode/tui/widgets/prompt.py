"""The input: many lines, history, folded pastes; it decides nothing, it posts messages."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from neocode.tui.drafts import Pastes, Recall
from neocode.tui.dropped import mention_of
from neocode.tui.text.clean import pasted
from neocode.tui.text.lines import graphemes

_HINT = "Ask anything · Ctrl+J new line · / commands · @ files · ! shell"


class Prompt(TextArea):
    """What the user types. Enter sends; Ctrl+J, Alt+Enter, Shift+Enter, "\\" Enter break a line."""

    DEFAULT_CSS = """
    Prompt { height: auto; max-height: 40%; border: none; padding: 0 1; background: $surface;
        scrollbar-size-vertical: 1; }
    Prompt:focus { border: none; }
    Prompt .text-area--cursor-line { background: $surface; }
    Prompt .text-area--placeholder { color: $nc-muted; }
    """

    class Sent(Message):
        """Enter was pressed; text has its pastes whole again ("" for an empty prompt)."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Edited(Message):
        """The text or the cursor moved: completions have to be looked for again."""

    class Wanted(Message):
        """A key that means something to the completion list while it is open."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Unqueue(Message):
        """Up on an empty prompt: bring back the newest waiting message, else history."""

    class Left(Message):
        """Ctrl+D on an empty prompt."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, placeholder=_HINT, highlight_cursor_line=False)
        self.pastes = Pastes()
        self.recall = Recall()
        self.completing = False
        self.root = Path.cwd()
        """Where a dropped file's path is shown from."""
        self.cursor_blink = False

    def on_mount(self) -> None:
        """Keep the completion list informed."""
        self.watch(self, "selection", self._moved, init=False)

    def _moved(self) -> None:
        self.post_message(self.Edited())

    @property
    def before_cursor(self) -> str:
        """The current line up to the cursor."""
        row, column = self.cursor_location
        return self.document[row][:column]

    def take(self) -> str:
        """The whole text, pastes unfolded; the prompt is empty afterwards."""
        text = self.pastes.expand(self.text)
        self.fill("")
        return text

    def fill(self, text: str) -> None:
        """Another text, the cursor at its end."""
        self.load_text(self.pastes.fold(text) if len(text) > 4000 else text)
        self.move_cursor(self.document.end)

    def replace_before_cursor(self, count: int, text: str) -> None:
        """Put text in the place of the last count characters (a completion)."""
        row, column = self.cursor_location
        self.replace(text, (row, column - count), (row, column))

    async def on_key(self, event: events.Key) -> None:
        """Keys that a plain text area takes in another way."""
        action = self._KEYS.get(event.key)
        if self.completing and event.key in ("up", "down", "tab", "enter", "escape"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Wanted(event.key))
        elif action is not None and action(self):
            event.stop()
            event.prevent_default()

    def enter(self) -> bool:
        """What Enter does: send, or a new line after a backslash."""
        if self.before_cursor.endswith("\\") and self.selection.is_empty:
            self.replace_before_cursor(1, "\n")
        else:
            self.post_message(self.Sent(self.pastes.expand(self.text)))
        return True

    def _newline(self) -> bool:
        self.replace("\n", *self.selection)
        return True

    def _up(self) -> bool:
        if not self.cursor_at_first_line:
            return False
        if not self.text and not self.recall.active:
            self.post_message(self.Unqueue())
            return True
        return self.older()

    def older(self) -> bool:
        """Show the prompt before; False when there is none."""
        found = self.recall.older(self.text)
        if found is not None:
            self.fill(found)
        return found is not None

    def _down(self) -> bool:
        if not self.cursor_at_last_line or not self.recall.active:
            return False
        found = self.recall.newer()
        if found is not None:
            self.fill(found)
        return True

    def _backspace(self) -> bool:
        """A whole character, however many code points it has (B39); a whole chip."""
        if not self.selection.is_empty:
            return False
        before = self.before_cursor
        chip = self.pastes.chip_at_end(before)
        count = len(chip)
        if not chip and before and not before[-1].isascii():
            start, end, _ = graphemes(before)[-1]
            count = end - start
        if count <= 1:
            return False
        self.replace_before_cursor(count, "")
        return True

    def _leave(self) -> bool:
        if self.text:
            return False
        self.post_message(self.Left())
        return True

    def _left(self) -> bool:
        before = self.before_cursor
        if not before or before[-1].isascii() or not self.selection.is_empty:
            return False
        start, end, _ = graphemes(before)[-1]
        row, column = self.cursor_location
        self.move_cursor((row, column - (end - start)))
        return True

    def _right(self) -> bool:
        row, column = self.cursor_location
        after = self.document[row][column:]
        if not after or after[:2].isascii() or not self.selection.is_empty:
            return False
        self.move_cursor((row, column + graphemes(after)[0][1]))
        return True

    _KEYS: ClassVar[dict[str, Callable[["Prompt"], bool]]] = {
        "enter": enter,
        "ctrl+j": _newline,
        "alt+enter": _newline,
        "shift+enter": _newline,
        "ctrl+enter": _newline,
        "up": _up,
        "down": _down,
        "backspace": _backspace,
        "ctrl+h": _backspace,
        "ctrl+d": _leave,
        "left": _left,
        "right": _right,
    }

    async def on_paste(self, event: events.Paste) -> None:
        """A paste arrives whole; a large one is folded to a chip (B38)."""
        event.stop()
        event.prevent_default()
        text = pasted(event.text)
        dropped = "" if self.text.startswith("!") else mention_of(text, self.root)
        text = self.pastes.fold(dropped or text)
        result = self.replace(text, *self.selection)
        self.move_cursor(result.end_location)

"""A few lines to edit one value of a page."""

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from neocode.tui.text.clean import pasted


class EditBox(TextArea):
    """Enter hands the text over, Esc gives up, Ctrl+J breaks a line."""

    DEFAULT_CSS = """
    EditBox, EditBox:focus { height: auto; max-height: 8; min-height: 1; border: none;
        padding: 0 1; background: $surface; }
    EditBox .text-area--cursor-line { background: $surface; }
    """

    class Done(Message):
        """text: what was written, or None when it was given up."""

        def __init__(self, text: str | None) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str) -> None:
        super().__init__(text, highlight_cursor_line=False)
        self.cursor_blink = False

    def on_mount(self) -> None:
        """The cursor stands at the end."""
        self.move_cursor(self.document.end)
        self.focus()

    async def on_key(self, event: events.Key) -> None:
        """Keys that a plain text area takes in another way."""
        text = {"enter": self.text, "escape": None, "ctrl+c": None}
        if event.key in text:
            self.post_message(self.Done(text[event.key]))
        elif event.key in ("ctrl+j", "alt+enter", "shift+enter"):
            self.replace("\n", *self.selection)
        else:
            return
        event.stop()
        event.prevent_default()

    async def on_paste(self, event: events.Paste) -> None:
        """A paste arrives once and whole."""
        event.stop()
        event.prevent_default()
        result = self.replace(pasted(event.text), *self.selection)
        self.move_cursor(result.end_location)

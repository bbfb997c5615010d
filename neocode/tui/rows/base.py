"""What all rows of a conversation have in common."""

from neocode.tui.text.lines import Block, Laid, Line

GROUPED = ("tool", "notice")
"""Kinds that stand without an empty line between two of their own."""


class Item:
    """One thing in the conversation: it makes blocks and keeps their layout.

    key: unique in its view. message_id: the message it shows, or "".
    archived: a compaction took its message out of what the model sees: it is shown dimmed.
    kind: "user", "answer", "reasoning", "tool", "notice", "compact", "divider", "welcome".
    """

    kind = "notice"

    def __init__(self, key: str, message_id: str = "") -> None:
        self.key, self.message_id = key, message_id
        self.unfolded = False
        self.gap = self.archived = False
        self.rows: list[Laid] = []
        self.texts: list[str] = []
        self._width = 0

    def blocks(self) -> list[Block]:
        """What it shows now, top to bottom."""
        raise NotImplementedError

    @property
    def foldable(self) -> bool:
        """Whether unfolding it would show more."""
        return False

    @property
    def copy_text(self) -> str:
        """What /copy takes of it; "" for nothing."""
        return ""

    def touch(self) -> None:
        """Its content changed: lay it out again when it is next shown."""
        self._width = 0

    def lay_out(self, width: int) -> bool:
        """Fill rows and texts for this width; False when nothing had to be done."""
        if self._width == width:
            return False
        self._width = width
        blocks = [Line(), *self.blocks()] if self.gap else self.blocks()
        self.rows, self.texts = [], []
        for block in blocks:
            layout = block.layout(width)
            base = len(self.texts)
            self.rows += [row._replace(line=row.line + base) for row in layout.rows]
            self.texts += layout.texts
        return True

    def forget(self) -> None:
        """Drop the layout; it is made again when it is near the screen."""
        self._width, self.rows, self.texts = 0, [], []

"""A program's output as a person would see it at the end (B53). Pure."""

import re

LINE_CHARS = 8192
_HELD = 4096
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x08\x0a-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<numbers>[0-?]*)[ -/]*(?P<command>[@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_OPEN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z")


class ScreenText:
    """Takes output piece by piece, gives back finished lines without control codes.

    Carriage returns, backspaces and line erasures act on the current line, which is held
    back to 8,192 characters; colours, titles and other codes vanish.
    """

    def __init__(self) -> None:
        self._line = ""
        self._column = 0
        self._held = ""

    def feed(self, text: str) -> str:
        """What became final with this piece, possibly "": whole lines as a rule."""
        text = self._held + text
        self._held = ""
        if not _SPECIAL.search(text) and self._column == len(self._line):
            return self._append(text)
        unfinished = _OPEN.search(text, max(0, len(text) - _HELD))
        if unfinished:
            self._held = unfinished[0]
            text = text[: unfinished.start()]
        return "".join(map(self._take, _TOKEN.finditer(text)))

    def finish(self) -> str:
        """The last, unfinished line."""
        self._held = ""
        return self._end_line()

    def _end_line(self) -> str:
        line, self._line, self._column = self._line, "", 0
        return line

    def _append(self, text: str) -> str:
        whole = self._line + text
        end = whole.rfind("\n") + 1
        if len(whole) - end > LINE_CHARS:
            end = len(whole)
        self._line = whole[end:]
        self._column = len(self._line)
        return whole[:end]

    def _take(self, token: re.Match[str]) -> str:
        if token["text"] is not None:
            return self._write(token["text"])
        if token["command"] is not None:
            self._obey(token["command"], token["numbers"])
        control = token["control"]
        if control == "\n":
            return self._end_line() + "\n"
        if control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)
        return ""

    def _write(self, text: str) -> str:
        if self._column == len(self._line):
            return self._append(text)
        end = self._column + len(text)
        self._line = self._line[: self._column] + text + self._line[end:]
        self._column = end
        return ""

    def _obey(self, command: str, numbers: str) -> None:
        """Erase in line (K), and column moves (G, C, D); the rest is colour or scenery."""
        count = int(numbers) if numbers.isdigit() and len(numbers) < 5 else 0
        if command == "K":
            kept = self._line[self._column :] if count == 1 else self._line[: self._column]
            self._line = " " * self._column + kept if count == 1 else kept
            if count == 2:
                self._line, self._column = "", 0
        elif command == "G":
            self._column = min(max(count, 1) - 1, len(self._line))
        elif command == "C":
            self._column = min(self._column + max(count, 1), len(self._line))
        elif command == "D":
            self._column = max(0, self._column - max(count, 1))

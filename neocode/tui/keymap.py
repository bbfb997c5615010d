"""Every key of the program: what it does and how help and docs name it."""

from typing import NamedTuple


class Key(NamedTuple):
    """One action. keys: Textual's names, separated by commas; binds: False for keys that a
    widget takes itself and that are listed for the help only."""

    action: str
    keys: str
    help: str
    binds: bool = True


KEYS: tuple[Key, ...] = (
    Key("send", "enter", "send; twice while the agent works: steer it now", False),
    Key("newline", "ctrl+j,alt+enter,shift+enter", "a new line (also \\ before Enter)", False),
    Key(
        "stop", "escape", "stop the run or the compaction; close a list; twice: go back to a prompt"
    ),
    Key("interrupt", "ctrl+c", "clear the input, then stop, then twice: leave"),
    Key("leave", "ctrl+d", "leave when the input is empty", False),
    Key("cycle_mode", "shift+tab", "next mode: ask, accept-edits, plan, auto"),
    Key("history", "up,down", "earlier prompts; Up brings back the newest waiting one", False),
    Key("stash", "ctrl+s", "put the draft aside; on an empty input bring it back"),
    Key("search_history", "ctrl+r", "search the earlier prompts"),
    Key("complete", "tab", "take the marked completion of / or @", False),
    Key("editor", "ctrl+g", "write the input in $EDITOR"),
    Key("unfold", "ctrl+o", "unfold the newest row above; again: all rows; again: fold all"),
    Key("output", "alt+o", "the newest tool output, whole, in a page"),
    Key("reasoning", "alt+t", "unfold the model's reasoning, or fold it"),
    Key("find", "ctrl+f", "find words in the conversation"),
    Key("jump(-1)", "ctrl+up,alt+up", "to the prompt before"),
    Key("jump(1)", "ctrl+down,alt+down", "to the prompt after"),
    Key("todo", "ctrl+t", "show or hide the todo list"),
    Key("palette", "ctrl+p", "choose a command"),
    Key("page(-1)", "pageup", "scroll up"),
    Key("page(1)", "pagedown", "scroll down"),
    Key("top", "ctrl+home", "to the beginning of the conversation"),
    Key("end", "ctrl+end", "to the newest line"),
    Key("summary", "f2", "view the newest summary"),
    Key("compact", "f3", "compact the context now"),
    Key("toggle_view", "f4", "change between the compacted and the full view"),
    Key("redraw", "ctrl+l", "draw the screen again"),
    Key("suspend", "ctrl+z", "put the program in the background (fg brings it back)"),
    Key("help", "f1", "commands and keys"),
)


def key_name(keys: str) -> str:
    """Keys as people write them: "ctrl+j,alt+enter" is "Ctrl+J, Alt+Enter"."""
    names = {"escape": "Esc", "pageup": "PageUp", "pagedown": "PageDown"}
    shown = []
    for key in keys.split(","):
        parts = [names.get(part, part.capitalize()) for part in key.split("+")]
        shown.append("+".join(parts))
    return ", ".join(shown)


def table() -> str:
    """The table of docs/keys.md; a test holds the file to it."""
    rows = ["| Keys | What they do |", "|---|---|"]
    rows += [f"| {key_name(k.keys)} | {k.help[0].upper() + k.help[1:]} |" for k in KEYS]
    return "\n".join(rows) + "\n"

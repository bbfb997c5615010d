"""Copies that arrive, notices to somebody who looks elsewhere, two settings before the paint."""

import base64
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Offset
from textual.selection import Selection

from neocode.domain import events as ev
from neocode.tui.outside.clipboard import MOST_OSC52, Ways, sequence, ways
from neocode.tui.outside.copier import Copier
from neocode.tui.outside.copy_command import take
from neocode.tui.outside.notify import notice
from neocode.tui.outside.peek import Looks, peek
from neocode.tui.ports import Surroundings
from neocode.tui.terminal import set_mouse
from tests.tui.story import StartStory

ANSWER = """Look:

```python
def f():
    return 1
```

- inside
  ```
  x = [0]
  ```
"""


def every(_: str) -> str:
    return "/bin/it"


@pytest.mark.parametrize(
    ("environ", "platform", "wanted"),
    [
        ({}, "linux", Ways()),
        ({"DISPLAY": ":0"}, "linux", Ways(("xclip", "-selection", "clipboard"))),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", Ways(("wl-copy",))),
        ({"DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"}, "linux", Ways()),
        ({"TMUX": "/tmp/t"}, "linux", Ways(("tmux", "load-buffer", "-w", "-"), wrap="tmux")),
        ({"TERM_PROGRAM": "Apple_Terminal"}, "darwin", Ways(("pbcopy",), osc52=False)),
        ({"TERM": "linux"}, "linux", Ways(osc52=False)),
        ({"VTE_VERSION": "6003"}, "linux", Ways(osc52=False)),
        ({"TERM": "screen-256color"}, "linux", Ways(wrap="screen")),
    ],
)
def test_ways_follow_the_terminal(environ: dict[str, str], platform: str, wanted: Ways) -> None:
    """B40: locally, in tmux, over ssh."""
    assert ways(environ, platform, every) == wanted


def test_without_the_program_the_terminal_is_asked() -> None:
    assert ways({"DISPLAY": ":0"}, "linux", lambda _: None) == Ways()


def test_osc52_carries_the_text_and_knows_its_limit() -> None:
    code = sequence("中 [b]x", "")
    assert (
        base64.b64decode(code.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode() == "中 [b]x"
    )
    assert sequence("x" * MOST_OSC52, "") == ""
    assert sequence("x", "tmux").startswith("\x1bPtmux;\x1b\x1b]52;c;")


async def test_a_copy_over_ssh_is_said_and_kept_in_a_file(tmp_path: Path) -> None:
    """B40: if the clipboard cannot be reached the user is told and offered a file."""
    sent: list[str] = []
    path = tmp_path / "deep" / "copied.txt"
    said = await Copier(sent.append, path, Ways()).copy("a\nb", "it")
    assert sent == [sequence("a\nb", "")]
    assert str(path) in said
    assert path.read_text() == "a\nb"
    assert path.stat().st_mode & 0o777 == 0o600
    said = await Copier(sent.append, path, Ways(osc52=False)).copy("c", "it")
    assert said == f"This terminal takes no copy of it. It is in {path}."
    (tmp_path / "file").write_text("")
    said = await Copier(sent.append, tmp_path / "file" / "x", Ways(osc52=False)).copy("c", "it")
    assert "cannot be kept in a file either" in said


async def test_a_program_that_fails_is_not_believed(tmp_path: Path) -> None:
    sent: list[str] = []
    assert await Copier(sent.append, None, Ways(("true",))).copy("x", "it") == "Copied it."
    assert not sent
    said = await Copier(sent.append, tmp_path / "c", Ways(("false",))).copy("x", "it")
    assert sent
    assert "should the terminal not take it" in said


def test_copy_takes_the_answer_or_a_piece_of_its_code() -> None:
    assert take("", [ANSWER]).text == ANSWER
    assert take("code", [ANSWER, "no code"]).text == "x = [0]"
    assert take("code 1", [ANSWER]).text == "def f():\n    return 1"
    assert "1 to 2" in take("code 3", [ANSWER]).what
    assert take("code x", [ANSWER]).text == take("word", [ANSWER]).text == ""
    assert "no answer" in take("", []).what
    assert "No answer" in take("code", ["plain"]).what


async def test_copy_command_and_mouse_selection(start: StartStory, tmp_path: Path) -> None:
    """B40: code without borders, added line breaks or trailing blanks."""
    around = Surroundings(theme="dark", copy_path=tmp_path / "c.txt")
    async with start(around=around, size=(40, 24)) as story:
        copied = tmp_path / "c.txt"
        story.app.copier.ways = Ways()
        long = "value = " + "+".join(["number"] * 12)
        story.engine.user("go")
        story.engine.say(f"Look:\n\n```python\n{long}\n```")
        story.engine.finish()
        await story.settle()
        story.chat.send("/copy code")
        await story.until(copied.exists)
        assert copied.read_text() == long
        assert "Copied code block 1 of 1" in story.screen_text()
        copied.unlink()
        transcript = story.chat.transcript
        row = [text for item in transcript.items for text in item.texts].index(long)
        story.chat.selections = {transcript: Selection(Offset(0, row), Offset(len(long), row))}
        story.chat.post_message(events.TextSelected())
        await story.until(copied.exists)
        assert copied.read_text() == long


async def test_a_bell_and_a_notice_only_when_nobody_looks(start: StartStory) -> None:
    async with start() as story:
        said: list[str] = []
        story.app.notify_outside = said.append  # type: ignore[method-assign,assignment]
        story.engine.user("go")
        story.engine.finish()
        await story.settle()
        assert said == []
        story.app.app_focus = False
        story.engine.user("go")
        story.engine.permission("p", "run", "make")
        await story.settle()
        story.engine.finish()
        story.engine.emit(ev.Question, request_id="q", question="Which?", options=())
        await story.settle()
        assert said == ["asks for permission", "is done", "asks a question"]


def test_notice_is_osc9_and_a_bell_with_nothing_in_it_to_be_read_as_a_code() -> None:
    assert notice("is \x1b]0;x\x07done", "") == "\x1b]9;is done\x07\x07"
    assert notice("4;1;50", "") == "\x1b]9;,1,50\x07\x07"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Looks()),
        ("ui:\n  mouse: false\n", Looks("auto", False)),
        (
            "model: x\n# ui:\nui:   # mine\n\n  # words\n  theme: light\n  mouse: no",
            Looks("light", False),
        ),
        ("ui: {theme: 'ansi', mouse: off}\n", Looks("ansi", False)),
        ("models:\n  - name: m\n    mouse: false\n", Looks()),
        ("ui:\r\n  bell: false\r\n  mouse: true\r\nmodel: mouse\r\n", Looks()),
    ],
)
def test_two_settings_are_read_before_the_first_paint(
    tmp_path: Path, text: str, wanted: Looks
) -> None:
    (tmp_path / "c.yaml").write_bytes(text.encode())
    assert peek(tmp_path / "c.yaml") == wanted
    assert peek(tmp_path / "none.yaml") == Looks()


def test_the_mouse_is_left_when_the_configuration_says_so() -> None:
    """B40: mouse capture can be switched off, whatever the first guess was."""

    class Driver:
        _mouse = True
        calls: tuple[str, ...] = ()

        def _enable_mouse_support(self) -> None:
            self.calls += ("on",)

        def _disable_mouse_support(self) -> None:
            self.calls += ("off",)

    driver = Driver()
    set_mouse(driver, True)
    set_mouse(driver, False)
    set_mouse(driver, False)
    set_mouse(driver, True)
    set_mouse(None, False)
    assert driver.calls == ("off", "on")

"""The end-to-end list of the second seed (W section 11), in a pseudo-terminal, one by one.

1. go on to the threshold and watch the automatic compaction   2. /compact at any point
3. goal and paths are remembered afterwards   4. change the view   5. an auxiliary model that
cannot be used   6. a provider that refuses payment   7. a message typed while compacting
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.http_server import Answer, LlmServer
from tests.pty.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.timeout(300)]
Start = Callable[..., Terminal]
Serve = Callable[..., LlmServer]
IDLE = "Ask anything"
TALK = Answer(text="a remark about the port 8123 and the file src/kernel.py. " * 120)
UNPAID = json.dumps({"error": {"message": "Insufficient credits", "code": "insufficient_quota"}})
F3, F4, RIGHT, DOWN, ESC = "\x1bOR", "\x1bOS", "\x1b[C", "\x1b[B", "\x1b"


def summary(goal: str = "finish the kernel", **more: object) -> Answer:
    """What a good summariser answers."""
    state = {
        "goal": goal, "progress": ["talked"], "open_items": ["the scheduler"],
        "next_step": "go on", "blockers": [], "key_artifacts": ["src/kernel.py"],
        "decisions": [], "user_constraints": [],
    }  # fmt: skip
    text = (
        "[compact_summary]\ndone:\n- talked\nin_progress:\n- the scheduler\n"
        "decisions:\n- none\ncode_changes:\n- src/kernel.py\nconstraints:\n- none\n"
    )
    return Answer(text=json.dumps({"task_state": state, "display_summary": text}), **more)  # type: ignore[arg-type]


class Talk:
    """A session in front of a scripted server."""

    def __init__(self, screen: Terminal, server: LlmServer) -> None:
        self.screen, self.server = screen, server
        server.script = [TALK]
        screen.wait_for(IDLE, gone="Starting")

    def next(self, *answers: Answer) -> None:
        """These come before the talk goes on."""
        self.server.script[:0] = answers

    def short(self) -> None:
        """From now on the answers are short."""
        self.server.script[-1] = Answer(text="noted")

    def say(self, text: str) -> None:
        """One prompt, answered whole."""
        before = len(self.server.requests)
        self.screen.send(f"{text}\r")
        self.screen.wait_until(lambda: len(self.server.requests) > before)
        self.screen.wait_for(IDLE, gone="Esc stops")

    def prompts(self, text: str) -> int:
        """How many requests were sent for this prompt."""
        bodies = [request.body["messages"][-1] for request in self.server.requests]
        return sum(message["content"] == text for message in map(_plain, bodies))

    def sent(self) -> str:
        """The newest request."""
        return json.dumps(self.server.requests[-1].body)


def _plain(message: dict[str, object]) -> dict[str, object]:
    content = message["content"]
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content)
    return {**message, "content": content}


def write_config(home: Path, server: LlmServer, **context: object) -> None:
    """Two models, of which one is marked auxiliary and has no key."""
    lab = {
        "name": "lab", "id": "openai/test-model", "api_base": server.url, "api_key": "none",
        "context_window": 16_000,
    }  # fmt: skip
    poor = {"name": "poor", "id": "openai/other", "api_key_env": "NO_SUCH_KEY", "auxiliary": True}
    config = {"model": "lab", "models": [lab, poor], "context": context}
    (home / "config.yaml").write_text(f"# mine\n{yaml.safe_dump(config)}")


def test_automatic_compaction_is_watched(neocode: Start, serve: Serve, home: Path) -> None:
    """Checks 1, 3, 4 and 7 (success), and rows that come back on reload."""
    server = serve()
    auto = {"enabled": True, "trigger": "context_window", "threshold_percent": 80}
    write_config(home, server, auto_compact=auto, compact={"manual_keep_recent_messages": 4})
    screen = neocode()
    talk = Talk(screen, server)
    turns = 0
    while "compacted 1 times" not in screen.text and turns < 30:
        released = threading.Event()
        if _percent(screen) >= 80:  # 1: the next request is over the threshold
            talk.short()
            talk.next(summary(hold=released))
            screen.send(f"turn {turns} of the talk\r")
            shown = screen.wait_for("Compacting context…", "Esc stops")
            assert "threshold 80%" in shown
            screen.send("typed meanwhile\r")  # 7
            screen.wait_for("queued", "typed meanwhile")
            released.set()
            screen.wait_for("Context compacted", "messages archived", "[view summary] [undo]")
            screen.wait_until(lambda: talk.prompts("typed meanwhile") == 1)
            screen.wait_for(IDLE, gone="Esc stops")
        else:
            talk.say(f"turn {turns} of the talk")
        turns += 1
    assert "compacted 1 times" in screen.text
    assert _percent(screen) < 80
    talk.say("what was the goal")  # 3
    assert "finish the kernel" in talk.sent()
    assert "src/kernel.py" in talk.sent()
    assert "[compact_summary]" in talk.sent()
    assert talk.prompts("typed meanwhile") == 1
    screen.send(F4)  # 4
    screen.wait_for("Full history, archived messages too")
    screen.send("\x1b[1;5H")
    top = screen.wait_for("turn 0 of the talk", "Full history")
    assert "Full history" in top.split("\n")[0]
    screen.send(F4)
    screen.wait_for("what was the goal", gone="Full history")
    screen.send("\x04")
    assert screen.wait_for_end() == 0
    again = neocode("--continue")  # the row is stored and shown again
    again.wait_for("what was the goal", gone="Starting")
    again.wait_for("Context compacted", "archived messages above")
    again.send("\x1b[1;5H")
    again.wait_for("turn 0 of the talk")
    assert not server.complaints


def _percent(screen: Terminal) -> float:
    """Used of the window, as the status line says it."""
    line = next(row for row in screen.text.split("\n") if "/16k tokens" in row)
    used = line.strip().removeprefix("~").partition("/")[0]
    return 100 * float(used.removesuffix("k")) * (1000 if used.endswith("k") else 1) / 16_000


def test_compactions_by_hand_and_what_can_go_wrong(
    neocode: Start, serve: Serve, home: Path
) -> None:
    """Checks 2, 5, 6 and 7 (failure, cancel), the retry in the row, and undo."""
    server = serve()
    write_config(home, server, compact={"manual_keep_recent_messages": 2})
    screen = neocode(lines=40)
    talk = Talk(screen, server)
    for turn in range(3):
        talk.say(f"turn {turn} of the talk")

    talk.short()

    # 2: at any point; a passing failure counts down in the row
    overloaded = Answer(status=503, body="{}", headers={"retry-after": "2"})
    talk.next(overloaded, summary())
    screen.send("/compact\r")
    screen.wait_for("Compacting context…", "Try 2 of")
    screen.wait_for("Context compacted", "compacted 1 times", gone="Esc stops")
    screen.send("/compact undo\r")
    screen.wait_for("taken back", "compacted 0 times")
    assert "turn 0 of the talk" in screen.text or "undone" in screen.text
    talk.say("after undo")
    assert "turn 0 of the talk" in talk.sent()

    # 6: the provider refuses payment; 7: what was typed goes out once, after the failure
    before = _unchanged(talk)
    released = threading.Event()
    talk.next(Answer(text="not a summary", hold=released), Answer(status=402, body=UNPAID))
    screen.send(F3)
    screen.wait_for("Compacting context…")
    screen.send("after the failure\r")
    screen.wait_for("queued", "after the failure")
    released.set()
    screen.wait_for("Compaction failed", "Insufficient credits", "conversation is unchanged")
    screen.wait_until(lambda: talk.prompts("after the failure") == 1)
    shown = screen.wait_for("[try again] [new session]", IDLE, gone="Esc stops")
    assert "queued" not in shown
    assert _unchanged(talk)[: len(before)] == before

    # 7: cancelled within a second or so, then sent once
    talk.next(Answer(text="{", hold=threading.Event()))
    screen.send("/compact\r")
    screen.wait_for("Compacting context…")
    screen.send("after the cancel\r")
    screen.wait_for("queued", "after the cancel")
    screen.send(ESC)
    screen.wait_for("Compaction cancelled", patience_s=10)
    screen.wait_until(lambda: talk.prompts("after the cancel") == 1)
    screen.wait_for(IDLE, gone="Esc stops")

    # 5: an auxiliary model without its key, chosen in /settings, comments kept
    screen.send("/settings\r")
    screen.wait_for("auxiliary model", "Esc closes")
    screen.send(DOWN * 4 + RIGHT)
    screen.wait_for("poor", "Saved.")
    screen.send(ESC)
    screen.wait_for(IDLE, gone="Esc closes")
    text = (home / "config.yaml").read_text()
    assert text.startswith("# mine\n")
    assert yaml.safe_load(text)["context"]["compact"]["auxiliary_model"] == "poor"
    asked = len(server.requests)
    screen.send("/compact\r")
    screen.wait_for("Compaction failed", "The auxiliary model 'poor' is not usable")
    assert len(server.requests) == asked
    talk.say("still there")
    assert talk.prompts("still there") == 1
    assert not server.complaints


def _unchanged(talk: Talk) -> list[object]:
    """The conversation as the model last got it."""
    return [m for m in talk.server.requests[-1].body["messages"] if m["role"] != "system"]

"""Sessions in memory, for the session list."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from neocode.domain.errors import StoreError
from neocode.domain.messages import Message
from neocode.domain.session import Hit, SessionInfo
from tests.tui.fake_engine import AT, message


def info(number: int, title: str, compactions: int = 0) -> SessionInfo:
    return SessionInfo(
        id=f"s_{number}", title=title, model="sonnet", created_at=AT, updated_at=AT,
        messages=4, tokens=100, compactions=compactions, cwd="/repo",
    )  # fmt: skip


class FakeShelf:
    """Sessions in memory."""

    def __init__(self) -> None:
        self.infos = [info(1, "current"), info(2, "parser [fix]", 2), info(3, "docs")]
        self.done: list[tuple[str, ...]] = []

    async def sessions(self) -> Sequence[SessionInfo]:
        return list(self.infos)

    async def search(self, text: str) -> Sequence[Hit]:
        hit = Hit(session_id="s_3", message_id="m", role="user", snippet=f"said {text} there",
                  created_at=AT, archived=False, score=1.0)  # fmt: skip
        return [hit] if text == "zebra" else []

    async def newest(self, session_id: str, count: int) -> Sequence[Message]:
        return [message(1, "user", f"words of {session_id}"), message(2, "assistant", "[b]yes[/b]")]

    async def rename(self, session_id: str, title: str) -> None:
        self.infos = [replace(i, title=title) if i.id == session_id else i for i in self.infos]

    async def fork(self, session_id: str) -> str:
        self.done.append(("fork", session_id))
        self.infos.insert(0, info(9, "parser [fix]"))
        return "s_9"

    async def delete(self, session_id: str) -> None:
        if session_id == "s_1":
            raise StoreError("This session is open.", hint="Leave it first.")
        self.infos = [i for i in self.infos if i.id != session_id]

    async def export(self, session_id: str, style: str) -> Path:
        self.done.append(("export", session_id, style))
        return Path(f"/repo/neocode-{session_id}.{style}")

"""/new, /sessions, /resume, /rename."""

from neocode.commands.result import CommandResult
from neocode.runtime.api import EngineApi


async def new(engine: EngineApi, _: str) -> CommandResult:
    """Begin an empty session; the old one stays in the list."""
    await engine.new_session()
    return CommandResult(text="A new session. The old one is kept: /sessions.")


async def sessions(engine: EngineApi, _: str) -> CommandResult:
    """Choose one; without a screen, the newest ones."""
    rows = [
        f"{info.id}  {info.updated_at[:16].replace('T', ' ')}  {info.messages:>5}  {info.title}"
        for info in engine.sessions()
    ]
    return CommandResult(show="sessions", text="\n".join(rows) or "There is no session yet.")


async def resume(engine: EngineApi, argument: str) -> CommandResult:
    """Continue a session by id, or let the user choose."""
    if not argument:
        return CommandResult(show="sessions")
    await engine.open_session(argument)
    return CommandResult(text=f"Session {engine.session.id}: {engine.session.title}")


async def rename(engine: EngineApi, argument: str) -> CommandResult:
    """Give the session a title."""
    if not argument:
        return CommandResult(text="Give a title: /rename TITLE", level="error")
    await engine.rename(argument)
    return CommandResult(text=f"Renamed: {argument}")

"""/recall: what was archived or cleared, for the user."""

from collections.abc import Sequence

from neocode.commands.result import CommandResult
from neocode.domain.session import Hit
from neocode.runtime.api import EngineApi
from neocode.tools.recall import bare, page, whole_text

USAGE = "/recall TEXT searches this session, /recall --all TEXT all of them, /recall ID gives one."
_EVERYWHERE = "--all"


async def recall(engine: EngineApi, argument: str) -> CommandResult:
    """One record by id, from a character on; else a search, with --all over all sessions."""
    first, _, rest = argument.partition(" ")
    is_everywhere = first == _EVERYWHERE
    text = rest.strip() if is_everywhere else argument
    if not text:
        return CommandResult(text=f"What is to be found? {USAGE}", level="error")
    if not is_everywhere and (shown := await _record(engine, first, rest.strip())):
        return CommandResult(show="recall", argument=text, text=shown)
    hits = await engine.recall(text, everywhere=is_everywhere)
    return CommandResult(show="recall", argument=argument, text=_listing(engine, hits))


async def _record(engine: EngineApi, handle: str, offset: str) -> str:
    """A page of the record, or "" when the words name none."""
    if offset and not offset.isdecimal():
        return ""
    found = await engine.record(bare(handle))
    if found is None:
        return ""
    limit = engine.config.tools.limits.result_tokens
    text = page(found, int(offset or 0), limit)
    is_cut = "go on: id" in text and len(text) < len(whole_text(found))
    return f"{text}\n/recall {found.id} OFFSET goes on there." if is_cut else text


def _listing(engine: EngineApi, hits: Sequence[Hit]) -> str:
    if not hits:
        return f"Nothing archived or cleared has these words. {USAGE}"
    here = engine.session.id
    rows = []
    for hit in hits:
        name = hit.message_id if hit.session_id == here else f"{hit.session_id}/{hit.message_id}"
        who = f"{hit.tool_name} result" if hit.tool_name else hit.role
        rows.append(f"{name}  {hit.created_at[:16].replace('T', ' ')}  {who}\n    {hit.snippet}")
    return "\n".join([*rows, "/recall ID shows one whole."])

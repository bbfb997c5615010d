"""recall: what was archived or cleared, found by words or given back by id (spec/context 11)."""

import asyncio
from collections.abc import Sequence

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Message
from neocode.domain.session import Hit
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import Archive, ToolContext, ToolError, int_arg, text_arg
from neocode.tools.truncate import estimate_tokens, head_only, shorten

_MANY = 10**9
_FRAME_TOKENS = 100  # head line and note of a page


class RecallTool:
    """Searches this session's archived and cleared text, or gives back one record.

    Its results age like those of any other tool: what they hold can be recalled again.
    """

    spec = ToolSpec(
        name="recall",
        description=(
            "Get back archived or cleared text: query searches it; id gives one record "
            "whole, from the character offset on."
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "id": {"type": "string"},
                "offset": {"type": "integer"},
            },
        },
    )

    def summary(self, args: JsonObject) -> str:
        """recall m_12, or recall "port of the server" """
        handle = str(args.get("id") or "")
        return f"recall {handle}" if handle else f'recall "{args.get("query", "")}"'

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """Nothing but the session itself is read."""
        return []

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Search, or one page of a record; an id wins over a query."""
        archive = context.recall
        if archive is None:
            raise ToolError("No session is open, so there is nothing to recall.")
        handle = text_arg(args, "id", "")
        offset = int_arg(args, "offset", 0, least=0, most=_MANY)
        query = text_arg(args, "query", "")
        if not handle.strip() and not query.strip():
            raise ToolError("Give a query to search for, or the id of a record.")
        if handle.strip():
            return await asyncio.to_thread(_record, archive, handle, offset, context)
        hits = await asyncio.to_thread(archive.search, query)
        return ToolOutcome(
            content=shorten(listing(hits), context.result_tokens), metadata={"matches": len(hits)}
        )


def _record(archive: Archive, handle: str, offset: int, context: ToolContext) -> ToolOutcome:
    found = archive.record(bare(handle))
    if found is None:
        raise ToolError(
            f"There is no record {bare(handle)!r} in this session. An id stands at the end of "
            "each stand-in and in the results of a search with query."
        )
    return ToolOutcome(content=page(found, offset, context.result_tokens))


def bare(handle: str) -> str:
    """The id without what may stand around it where it was copied from."""
    return handle.strip().removeprefix("[").removeprefix("recall ").strip(" []().,;\"'`")


def listing(hits: Sequence[Hit]) -> str:
    """What a search found, best first, with the ids that give the whole records."""
    if not hits:
        return "Nothing archived or cleared fits these words. Try other or fewer words."
    rows = [f"{hit.message_id} ({_kind(hit.role, hit.tool_name)}): {hit.snippet}" for hit in hits]
    return "\n".join([*rows, "[recall with one of these ids gives the whole record]"])


def page(message: Message, offset: int, tokens: int) -> str:
    """A record from a character on, within so many tokens; a note says how to go on."""
    text = whole_text(message)
    rest = text[offset:]
    head = f"[{message.id}, {_kind(message.role, message.tool_name or '')}, {message.created_at}]"
    if offset >= len(text) > 0:
        return f"{head}\n[the record ends at character {len(text):,}]"
    room = max(tokens - _FRAME_TOKENS, 50)
    shown = rest if estimate_tokens(rest) <= room else head_only(rest, room)
    end = offset + len(shown)
    note = _note(message, offset, end, len(text))
    return "\n".join(part for part in (head, shown, note) if part)


def whole_text(message: Message) -> str:
    """Everything of a record that is text: its words, then its calls."""
    calls = [f"[call {call.id}: {call.name} {call.arguments}]" for call in message.tool_calls]
    return "\n".join(part for part in (message.content, *calls) if part)


def _note(message: Message, offset: int, end: int, total: int) -> str:
    notes = []
    if end < total:
        notes.append(
            f"characters {offset:,} to {end:,} of {total:,}; go on: id {message.id}, offset {end}"
        )
    if message.images:
        notes.append(f"{len(message.images)} pictures are not shown here")
    if whole := message.metadata.get("full_output"):
        notes.append(f"the command's whole output: {whole}")
    return "".join(f"[{note}]" for note in notes)


def _kind(role: str, tool_name: str) -> str:
    return f"{tool_name} result" if role == "tool" and tool_name else role

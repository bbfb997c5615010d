"""A "!" line: the user's own shell line, run and put into the chat."""

from collections.abc import Callable

from neocode.domain.events import (
    MessageEvent,
    RunFinished,
    RunStarted,
    RuntimeEvent,
    ToolCallEvent,
    ToolOutput,
)
from neocode.domain.messages import ToolCall
from neocode.domain.usage import Usage
from neocode.runtime.live import LiveSession
from neocode.tools.base import Tool, ToolContext, ToolError


async def run_shell_line(
    line: str,
    tool: Tool,
    call: ToolCall,
    context: ToolContext,
    live: LiveSession,
    emit: Callable[[RuntimeEvent], None],
) -> None:
    """Run it without a question; line and output are stored as the user's message."""
    emit(RunStarted(prompt=f"!{line}", message_id="", model=""))
    emit(ToolCallEvent(call=call, summary=line))
    try:
        outcome = await tool.run({"command": line}, context)
        text, exit_status = outcome.content, outcome.metadata.get("exit_status")
    except ToolError as fault:
        text, exit_status = str(fault), None
    emit(ToolOutput(call_id=call.id, text=text))
    message = live.message(
        role="user",
        content=f"I ran this shell line myself:\n$ {line}\n{text}",
        metadata={"shell": line, "exit_status": exit_status},
    )
    await live.title_from(f"!{line}")
    await live.append(message)
    emit(MessageEvent(message=message))
    emit(
        RunFinished(
            stop_reason="done",
            answer=text,
            usage=Usage(),
            cost_usd=0.0,
            tool_calls=0,
            compactions=0,
        )
    )

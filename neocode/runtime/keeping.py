"""What a run keeps: the user's words, whole answers, broken-off ones; disk before anything else."""

from dataclasses import replace

from neocode.context.builder import BuildResult
from neocode.context.estimate import estimate_chars
from neocode.domain.clock import new_id
from neocode.domain.events import MessageEvent, NoticeEvent
from neocode.domain.messages import Message, ToolCall
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Usage
from neocode.provider.assemble import tool_calls
from neocode.provider.base import ModelRequest, Reply
from neocode.runtime.inbox import Prompt
from neocode.runtime.live import LiveSession
from neocode.runtime.run import Run


async def keep_user(run: Run, prompt: Prompt) -> None:
    """The user's words, their @path mentions filled in."""
    full = await run.around.expand(prompt)
    metadata = {"typed": prompt.text} if full.text != prompt.text else {}
    message = run.live.message(
        role="user", content=full.text, images=full.images, metadata=metadata
    )
    await run.live.title_from(prompt.text)
    await run.live.append(message)
    run.emit(MessageEvent(message=message))


async def keep_partial(run: Run, request: ModelRequest) -> None:
    """Text that had come stays, marked; calls that had come never ran and are dropped."""
    model = request.model
    partial = run.turn.reply
    run.turn.reply = Reply()
    if not partial.text.strip():
        return
    run.answer = partial.text
    message = run.live.message(
        role="assistant",
        content=partial.text,
        metadata={"interrupted": True, "model": model.name, **_lost(run, request, partial)},
    )
    await run.live.append(message)
    run.emit(MessageEvent(message=message))


async def keep_reply(run: Run, reply: Reply, built: BuildResult, model: ModelInfo) -> None:
    """A whole answer: counted, stored, said."""
    usage = run.around.account(reply, model, built)
    run.usage = run.usage + usage
    run.answer = reply.text
    message = reply_message(run.live, reply, model, usage)
    if (lost := run.turn.take_lost()).api_calls:
        message = message.with_metadata(lost=run.around.account_lost(lost, model))
    run.turn.reply = Reply()
    await run.live.append(message)
    run.around.answered(message, usage, model, built)
    run.emit(MessageEvent(message=message))
    if reply.finish == "length":
        run.emit(
            NoticeEvent(
                kind="cut_by_length",
                message="The answer was cut off at the model's output limit.",
                level="warning",
            )
        )
    run.around.refresh()


def _lost(run: Run, request: ModelRequest, partial: Reply) -> dict[str, object]:
    """What a broken-off answer cost, counted by us: no provider tells."""
    usage = partial.usage or Usage(
        input_tokens=request.estimated_tokens,
        output_tokens=estimate_chars(partial.text + partial.reasoning),
        estimated=True,
    )
    lost = run.turn.take_lost() + replace(usage, api_calls=1)
    return {"lost": run.around.account_lost(lost, request.model)}


def reply_message(live: LiveSession, reply: Reply, model: ModelInfo, usage: Usage) -> Message:
    """The stored form of an answer."""
    metadata: dict[str, object] = {"model": model.name}
    if not usage.estimated:
        metadata["usage"] = {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "compactions": live.state.compactions,
        }
    if reply.reasoning:
        metadata["reasoning"] = reply.reasoning
    if reply.signed:
        metadata["reasoning_blocks"] = list(reply.signed)
    if reply.finish == "length":
        metadata["cut_by_length"] = True
    return live.message(
        role="assistant",
        content=reply.text,
        tool_calls=_unique_calls(live, reply),
        metadata=metadata,
    )


def _unique_calls(live: LiveSession, reply: Reply) -> tuple[ToolCall, ...]:
    """The reply's calls; an id that the session has had already (some servers count from 0
    in each reply) is made new, so that every stand-in's id leads to one result."""
    taken = {call.id for message in live.state.messages for call in message.tool_calls}
    return tuple(
        replace(call, id=new_id("call")) if call.id in taken else call for call in tool_calls(reply)
    )

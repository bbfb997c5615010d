"""A request refused as too long: what is tried, in which order, and when it is given up."""

from dataclasses import replace

from neocode.context.builder import BuildResult
from neocode.domain.errors import ContextTooLong
from neocode.provider.base import ModelRequest, Reply
from neocode.runtime.asking import ask
from neocode.runtime.run import Run

LEAST_ANSWER = 256


async def rescue(
    run: Run, built: BuildResult, request: ModelRequest, refusal: ContextTooLong
) -> tuple[Reply, BuildResult, ModelRequest]:
    """The answer after all, with the request that brought it.

    Where the refusal says that the prompt itself fits, only the room for the answer is
    made smaller. Else the context is compacted, once a run, and the request sent once
    more; a second refusal is the floor message (spec/context 6).
    """
    smaller = with_less_output(request, refusal)
    if smaller is not None:
        try:
            return await ask(run, smaller), built, smaller
        except ContextTooLong as again:
            refusal = again
    if not await run.shrinker.reactive(refusal):
        raise run.around.floor(built, run.around.current_model(), refusal.message) from refusal
    built, request = await run.around.build()
    try:
        return await ask(run, request), built, request
    except ContextTooLong as second:
        raise run.around.floor(built, run.around.current_model(), second.message) from second


def with_less_output(request: ModelRequest, refusal: ContextTooLong) -> ModelRequest | None:
    """The request with the room that is left for its answer; None when that is not the cause."""
    if not refusal.limit or not refusal.requested or refusal.requested >= refusal.limit:
        return None
    room = refusal.limit - refusal.requested - refusal.limit // 50
    asked = request.max_output_tokens
    if room < LEAST_ANSWER or (asked is not None and asked <= room):
        return None
    return replace(request, max_output_tokens=room)

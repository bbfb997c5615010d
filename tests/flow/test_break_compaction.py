"""Compaction where it was made to fail: after restarts, in odd histories, with odd replies."""

from neocode.domain.errors import ContextTooLong
from neocode.domain.events import CompactDone, CompactError, RunError, TokenUpdate
from neocode.domain.usage import Usage
from neocode.provider.base import FinishChunk, ModelRequest, TextChunk, UsageChunk
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.flow.flow import Bench, call, steps, text
from tests.flow.talks import SUMMARY, is_summary_request, talk

HANDOFF = """## Goal
rename the module core to kernel
## Constraints and preferences
- use relative imports
## Progress
### Done
- three files moved
### In progress
- imports
## Key decisions
- the old name stays as an alias
## Relevant files
- src/kernel.py: moved from core.py
## Next steps
- fix the imports
"""


def counting() -> ScriptedProvider:
    """A model that reports what it read, as every hosted one does."""

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        size = 3000 + sum(len(message.content) for message in request.messages) // 4
        usage = UsageChunk(Usage(input_tokens=size, output_tokens=60))
        return [TextChunk("understood " * 30), usage, FinishChunk("stop")]

    return ScriptedProvider(then=react)


async def test_a_measured_session_compacts_after_a_restart(bench: Bench) -> None:
    """The last reply's figure is of the old history: the new one is told by the difference."""
    async with bench.open(provider=counting()) as flow:
        await talk(flow, 12)
    async with bench.open(provider=counting(), latest=True) as flow:
        shown = flow.engine.figures().next_request
        flow.engine.compact()
        await flow.settle()
        assert not flow.of(CompactError)
        done = flow.of(CompactDone)[0]
        assert done.tokens_before == shown
        assert done.tokens_after < shown
        after = flow.of(TokenUpdate)[-1].used_tokens
        assert abs(after - done.tokens_after) < shown * 0.1


async def test_a_prune_that_frees_next_to_nothing_is_not_taken_for_enough(bench: Bench) -> None:
    """The summed input set it off and the request was small: clearing one result is no help."""
    (bench.root / "a.txt").write_text("line of text\n" * 20)
    bench.configure(
        context={
            "compact": {"manual_strategy": "token_budget", "tail_token_budget_ratio": 0.01},
            "auto_compact": {"enabled": True, "input_token_threshold": 20_000},
        }
    )

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return text(HANDOFF)
        if len(request.messages) == 1:
            return call("read", "r1", path="a.txt")
        return text("understood the whole thing " * 60)

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 12)
        assert flow.of(CompactDone)[0].method == "summary"
        assert not flow.engine.session.weak_compactions


async def test_the_floor_message_after_a_second_refusal_names_the_newest_message(
    bench: Bench,
) -> None:
    """Section 12: system, tools and the newest message, each in tokens, and what to do."""

    def react(request: ModelRequest) -> Scripted:
        if is_summary_request(request):
            return SUMMARY
        if len(request.messages) < 20 and "the last" not in request.messages[-1].content:
            return text("understood " * 30)
        return steps(ContextTooLong("prompt is too long"))

    async with bench.open(provider=ScriptedProvider(then=react)) as flow:
        await talk(flow, 9)
        await flow.say("the last words: " + "look at this part " * 100)
        error = flow.of(RunError)[-1]
        assert len(flow.of(CompactDone)) == 1
        for part in ("system", "tools", "newest message"):
            assert f"{part} " in error.message, error.message
        assert error.hint

"""Conversations and summaries that the whole-engine tests of compaction share."""

import json
from collections.abc import Callable

from neocode.domain.messages import SUMMARY_MARK
from neocode.provider.base import ModelRequest
from neocode.provider.fake import Scripted, ScriptedProvider
from tests.flow.flow import Flow, text

STATE = {
    "goal": "rename the module core to kernel",
    "progress": ["step 1: module renamed", "step 2: three files moved"],
    "open_items": ["step 5: fix imports", "step 6: run the tests"],
    "next_step": "step 5: fix imports",
    "blockers": [],
    "key_artifacts": ["src/kernel.py"],
    "decisions": ["keep the old name as an alias"],
    "user_constraints": ["use relative imports"],
}
SHOWN = (
    f"{SUMMARY_MARK}\n\ndone:\n- module renamed\n\nin_progress:\n- imports\n\n"
    "decisions:\n- alias kept\n\ncode_changes:\n- src/kernel.py\n\n"
    "constraints:\n- relative imports\n"
)
SUMMARY = json.dumps({"task_state": STATE, "display_summary": SHOWN})


def is_summary_request(request: ModelRequest) -> bool:
    """True for a request that asks for a summary (no tools offered, or their use forbidden)."""
    return not request.tools or request.tool_choice == "none"


def answering(summary: Scripted | Callable[[ModelRequest], Scripted] = SUMMARY) -> ScriptedProvider:
    """Answers chats with words and summary requests with a summary."""

    def react(request: ModelRequest) -> Scripted:
        if not is_summary_request(request):
            return text("understood " * 30)
        return summary(request) if callable(summary) else summary

    return ScriptedProvider(then=react)


async def talk(flow: Flow, turns: int) -> None:
    """A conversation of so many turns."""
    for turn in range(turns):
        await flow.say(f"request {turn}: " + "please look at this part of the code " * 10)


def summary_requests(flow: Flow) -> list[ModelRequest]:
    """What was asked of the summariser."""
    return [request for request in flow.requests if is_summary_request(request)]

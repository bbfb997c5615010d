"""From the calls of one reply to their results: decide, ask, run, and never lose one."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from neocode.domain.errors import NeoCodeError
from neocode.domain.events import (
    NoticeEvent,
    PermissionDecision,
    PermissionRequest,
    RuntimeEvent,
    TodoUpdate,
    ToolCallEvent,
    ToolOutput,
    ToolResultEvent,
)
from neocode.domain.messages import ToolCall
from neocode.domain.tooling import Access, ToolOutcome
from neocode.permissions.policy import Policy, Verdict, judge
from neocode.runtime.approvals import Decision, Tickets
from neocode.runtime.live import LiveSession
from neocode.tools.base import Tool, ToolContext, ToolError
from neocode.tools.registry import Registry, parse_arguments

REFUSED_WITHOUT_SCREEN = (
    "Refused: this needs the user's permission and nobody can be asked without a screen."
)
SHOWN_CHARS = 4000  # of the live output, for the result of a cancelled call
PLACE_CHARS = 300  # of a path in an error
CANCELLED = "Cancelled by the user before it finished."
SHARED_RESULTS = 2  # all results of one reply together get this many single limits


@dataclass(slots=True)
class Permissions:
    """The policy in force and the way to the user.

    interactive: false without a screen; then a question is a refusal that says so.
    save_rule: writes an "always" rule to the user's configuration.
    """

    policy: Policy
    tickets: Tickets[Decision]
    interactive: bool
    save_rule: Callable[[str], None]

    def remember(self, answer: str, rule: str) -> None:
        """After "session" or "always": the rule holds from now on."""
        if answer in ("session", "always") and rule:
            self.policy = self.policy.with_session_rule(rule)
        if answer == "always" and rule:
            self.save_rule(rule)


@dataclass(slots=True)
class ToolRunner:
    """Runs the calls of one reply in order; results are on disk one by one.

    make_context: builds the ToolContext of a call. malformed: calls in a row whose
    arguments could not be read; the loop ends the run at three.
    """

    registry: Registry
    live: LiveSession
    permissions: Permissions
    emit: Callable[[RuntimeEvent], None]
    make_context: Callable[[ToolCall, int], ToolContext]
    result_tokens: int
    malformed: int = 0
    done: int = 0
    _shown: str = ""
    _took: float = 0.0

    async def run_all(self, calls: tuple[ToolCall, ...]) -> None:
        """Every call gets exactly one result, in order, also when the run is cancelled."""
        share = min(self.result_tokens, self.result_tokens * SHARED_RESULTS // len(calls))
        for index, call in enumerate(calls):
            self._shown, self._took = "", 0.0
            try:
                outcome = await self._run(call, share)
            except asyncio.CancelledError:
                await self._store(call, _error(_cancelled(self._shown)), 0.0)
                for waiting in calls[index + 1 :]:
                    await self._store(waiting, _error(CANCELLED), 0.0)
                raise
            await self._store(call, outcome, self._took)

    async def _run(self, call: ToolCall, share: int) -> ToolOutcome:
        tool = self.registry.get(call.name)
        if tool is None:
            self.emit(ToolCallEvent(call=call, summary=call.name))
            known = ", ".join(spec.name for spec in self.registry.specs())
            return _error(f"There is no tool named {call.name!r}. Tools: {known}.")
        try:
            args = parse_arguments(call, tool.spec)
        except ToolError as fault:
            self.malformed += 1
            self.emit(ToolCallEvent(call=call, summary=call.name))
            return _error(str(fault))
        self.malformed = 0
        self.emit(ToolCallEvent(call=call, summary=tool.summary(args)))
        context = replace(self.make_context(call, share), emit=self._live_output(call))
        try:
            refusal = await self._permit(call, tool, args, context)
            if refusal is not None:
                return _error(refusal)
            self.done += 1
            return await self._timed(tool, args, context)
        except ToolError as fault:
            return _error(str(fault))
        except asyncio.CancelledError:
            raise
        except OSError as fault:
            return _error(_refused_by_system(fault))
        except Exception as fault:  # a tool's bug must not end the run; the model is told
            return _error(f"The tool failed: {type(fault).__name__}: {fault}")

    async def _timed(self, tool: Tool, args: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Run the tool; waiting for the user is not its time."""
        started = time.monotonic()
        try:
            return await tool.run(args, context)
        finally:
            self._took = time.monotonic() - started

    def _live_output(self, call: ToolCall) -> Callable[[str], None]:
        def show(text: str) -> None:
            self._shown = (self._shown + text)[-SHOWN_CHARS:]
            self.emit(ToolOutput(call_id=call.id, text=text))

        return show

    async def _permit(
        self, call: ToolCall, tool: Tool, args: dict[str, Any], context: ToolContext
    ) -> str | None:
        """None when the call may run, else the refusal for the model."""
        for access in tool.accesses(args, context):
            verdict = judge(access, self.permissions.policy)
            match verdict.kind:
                case "allow":
                    continue
                case "deny":
                    self._decided("", call, "no", verdict.decided_by)
                    return f"Refused: {verdict.reason}"
                case _:
                    refusal = await self._ask(
                        call, access, verdict, tool.preview(args, context) or access.target
                    )
                    if refusal is not None:
                        return refusal
        return None

    async def _ask(
        self, call: ToolCall, access: Access, verdict: Verdict, detail: str
    ) -> str | None:
        hard = verdict.kind == "hard"
        request_id = self.permissions.tickets.open()
        self.emit(
            PermissionRequest(
                request_id=request_id,
                call=call,
                access=access,
                reason=verdict.reason,
                detail=detail,
                hard=hard,
                rule="" if hard else verdict.rule,
            )
        )
        if not self.permissions.interactive:
            self.permissions.tickets.answer(request_id, Decision("no"))
        decision = await self.permissions.tickets.wait(request_id)
        if not self.permissions.interactive:
            self._decided(request_id, call, "no", "headless")
            return " ".join(
                (REFUSED_WITHOUT_SCREEN, verdict.reason, self._way_out(access, verdict))
            )
        self._decided(request_id, call, decision.answer, "user", decision.note)
        if decision.answer == "no":
            note = f" They say: {decision.note}" if decision.note else ""
            return f"The user refused this.{note}"
        if not hard:
            self._remember(decision.answer, verdict.rule)
        return None

    def _remember(self, answer: str, rule: str) -> None:
        """The call was allowed, whether its rule can be written or not."""
        try:
            self.permissions.remember(answer, rule)
        except NeoCodeError as fault:
            text = f"The rule holds for this session only: {fault.message}"
            self.emit(NoticeEvent(kind="rule_not_saved", message=text, level="warning"))

    def _way_out(self, access: Access, verdict: Verdict) -> str:
        """What would let a call run without a screen; only what really would."""
        ways = [f"the rule {verdict.rule} in permissions.allow"] if verdict.rule else []
        if judge(access, self.permissions.policy.with_mode("auto")).kind == "allow":
            ways.append("--mode auto")
        if verdict.kind == "hard" or not ways:
            return "No rule and no mode lets it run; only a person's answer on the screen does."
        return f"It runs with {' or '.join(ways)}."

    def _decided(
        self, request_id: str, call: ToolCall, answer: Any, by: str, note: str = ""
    ) -> None:
        self.emit(
            PermissionDecision(
                request_id=request_id, call_id=call.id, answer=answer, decided_by=by, note=note
            )
        )

    async def _store(self, call: ToolCall, outcome: ToolOutcome, duration_s: float) -> None:
        message = self.live.message(
            role="tool",
            content=outcome.content,
            tool_call_id=call.id,
            tool_name=call.name,
            is_error=outcome.is_error,
            images=outcome.images,
            metadata=dict(outcome.metadata),
        )
        await self.live.append(message)
        self.emit(ToolResultEvent(message=message, duration_s=duration_s))
        if "todos" in outcome.metadata:
            items = tuple((str(i["text"]), str(i["status"])) for i in outcome.metadata["todos"])
            self.emit(TodoUpdate(items=items))


def _refused_by_system(fault: OSError) -> str:
    """No room, no right, a name too long: the system's words and the place, cut."""
    place = f": {str(fault.filename)[:PLACE_CHARS]}" if fault.filename else ""
    return f"The system refused it: {fault.strerror or fault}{place}"


def _cancelled(shown: str) -> str:
    return f"{CANCELLED}\nIts output until then ended so:\n{shown}" if shown else CANCELLED


def _error(text: str) -> ToolOutcome:
    return ToolOutcome(content=text, is_error=True)

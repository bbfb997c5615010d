"""What a run needs anew at each step: the model, the request, the accounts, the figures."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from neocode.config.schema import ContextConfig
from neocode.context.budget import output_cap
from neocode.context.builder import BuildMetadata, BuildResult, ContextBuilder
from neocode.context.measure import Measured, measured_from
from neocode.context.placing import index_of
from neocode.context.sources import SystemParts
from neocode.context.tokens import TokenCounter
from neocode.domain.errors import NeoCodeError, PermanentError
from neocode.domain.events import NoticeEvent, NoticeLevel, RuntimeEvent, TokenUpdate
from neocode.domain.messages import Image, Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.tooling import ToolSpec
from neocode.domain.usage import Usage, cost_usd
from neocode.provider.base import ModelRequest, Reply
from neocode.provider.refusal.numbers import learned_window
from neocode.runtime.figures import spending_to_json
from neocode.runtime.inbox import Prompt
from neocode.runtime.live import LiveSession
from neocode.runtime.settings import Settings

RATIO_STEP = 0.02  # a learned ratio is stored again once it moved by this share
NO_MODEL = ModelInfo(name="", id="")
"""Stands in while no model is set up: sizes can be told, nothing can be asked."""


@dataclass(slots=True)
class Around:
    """Implements loop.Surroundings for the session in front.

    system: the parts of the system prompt, instructions read afresh.
    fill_in: the text with what its @path mentions name, and the pictures among them.
    remember: stores a learned value. auto_possible: the run may still compact by itself,
    so that a clearing due now is folded into that compaction (spec/context 5).
    """

    live: LiveSession
    settings: Settings
    counter: TokenCounter
    tools: tuple[ToolSpec, ...]
    system: Callable[[], SystemParts]
    fill_in: Callable[[str], tuple[str, tuple[Image, ...]]]
    remember: Callable[[str, str, object], None]
    emit: Callable[[RuntimeEvent], None]
    measured: Measured | None = None
    auto_possible: bool = True
    _builder: ContextBuilder | None = None
    _built_with: ContextConfig | None = None
    _stored_ratios: dict[str, float] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def current_model(self) -> ModelInfo:
        """The model that answers now."""
        return self.settings.need_model()

    def look(self, session: SessionState | None = None) -> BuildResult:
        """The next request as it stands; nothing is stored or said. Works without a model.

        session: what would come of the live one; told by its difference to that one.
        """
        if session is None or session is self.live.state:
            return self._look(self.live.state, self.measured)
        return self._look(session, self._anchored())

    def _look(self, session: SessionState, measured: Measured | None) -> BuildResult:
        auto = self.settings.config.context.auto_compact
        metadata = BuildMetadata(
            model=self.settings.model or NO_MODEL,
            system=self.system(),
            measured=measured,
            threshold_percent=auto.threshold_percent,
            may_compact=auto.enabled and not self.live.state.auto_paused and self.auto_possible,
        )
        return self._context_builder().build(session, metadata)

    def _anchored(self) -> Measured | None:
        """The measured figure with our own count of the request that it measured.

        After a restart that count is not known, and without it nothing that became smaller
        would be seen: it is what the live session counts, less what came since.
        """
        measured, state = self.measured, self.live.state
        if measured is None or measured.estimate is not None:
            return measured
        place = index_of(state.messages, measured.message_id)
        since = self.counter.count_messages(state.messages[place:], measured.model)
        return replace(measured, estimate=self._look(state, measured).raw_tokens - since)

    async def build(self) -> tuple[BuildResult, ModelRequest]:
        """The next request; a moved edge goes to disk with the next message."""
        built = await asyncio.to_thread(self.look)
        self.live.state = replace(
            self.live.state, micro_edge=built.micro_edge, micro_rent=built.micro_rent
        )
        self._warn_of_guessed_window()
        return built, self.request(built)

    def request(self, built: BuildResult) -> ModelRequest:
        """The built request as the provider takes it."""
        model = self.current_model()
        return ModelRequest(
            model=model,
            system=built.system,
            messages=built.messages,
            tools=built.tools,
            max_output_tokens=output_cap(model.window, model.max_output, built.total),
            idle_timeout_s=self.settings.config.retry.idle_timeout_s,
            cache_breakpoints=built.cache_breakpoints,
            estimated_tokens=built.total,
        )

    def account(self, reply: Reply, model: ModelInfo, built: BuildResult) -> Usage:
        """Usage of an answered call: the provider's, else our own count; added to the session."""
        usage = reply.usage
        if usage is None:
            written = reply.text + reply.reasoning + "".join(c.arguments for c in reply.calls)
            usage = Usage(
                input_tokens=built.total,
                output_tokens=self.counter.count_text(written, model.id),
                estimated=True,
            )
        else:
            self._learn(model, built, usage)
        usage = replace(usage, api_calls=1)
        cost = cost_usd(usage, model.price)
        self.live.state = self.live.state.count_call(usage, cost, model.name)
        return usage

    def account_lost(self, usage: Usage, model: ModelInfo) -> dict[str, object]:
        """Calls that brought no answer cost money all the same; stored with the message."""
        cost = cost_usd(usage, model.price)
        self.live.state = self.live.state.add_cost(usage, cost)
        return spending_to_json(usage, cost)

    def answered(
        self, message: Message, usage: Usage, model: ModelInfo, built: BuildResult
    ) -> None:
        """The reply is stored: its figure is the newest measured one."""
        self.measured = None
        if not usage.estimated:
            self.measured = Measured(
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                message_id=message.id,
                model=model.id,
                estimate=built.raw_tokens,
            )

    async def expand(self, prompt: Prompt) -> Prompt:
        """The prompt with a command of the user's spelled out, and its mentions filled in."""
        if "@" not in prompt.text and not prompt.text.startswith("/"):
            return prompt
        text, images = await asyncio.to_thread(self.fill_in, prompt.text)
        return Prompt(text, prompt.images + images)

    def measure_again(self) -> None:
        """After another session, model or history: what the stored replies still say."""
        model = self.settings.model
        self.measured = (
            None if model is None else measured_from(self.live.state, model.id, model.name)
        )

    def learn_window(self, model: ModelInfo, limit: int | None) -> None:
        """A refusal named the window: it holds from now on, unless the user configured one."""
        limit = learned_window(limit)
        if limit and model.window_source != "config" and limit != model.window:
            self.settings.windows[model.id] = limit
            self.remember("window", model.id, limit)
            self.say_once(
                f"window {model.id} {limit}",
                f"{model.name}: the window is {limit:,} tokens, as its refusal says.",
            )

    def floor(self, built: BuildResult, model: ModelInfo, refused: str = "") -> NeoCodeError:
        """The floor message: every fixed part in tokens, the largest by name, what to do.

        refused: the provider's own words, where it was asked (B14).
        """
        parts = built.floor.parts if built.floor else self._parts(built, model)
        largest = max(parts, key=parts.__getitem__)
        listed = ", ".join(
            f"{name.replace('_', ' ')} {tokens:,}" for name, tokens in parts.items() if tokens
        )
        return PermanentError(
            f"The request does not fit the window of {model.name} ({model.window:,} tokens). "
            + (f"It was refused: {refused.rstrip('.')}. " if refused else "")
            + f"Its parts in tokens: {listed}. The largest is {largest.replace('_', ' ')}.",
            kind="context_too_long",
            hint=f"{remedy(largest)} "
            "Or choose a model with a larger window (/model), or begin anew (/new).",
        )

    def _parts(self, built: BuildResult, model: ModelInfo) -> dict[str, int]:
        """The request's parts with the newest message apart from the other ones."""
        messages = self.live.state.messages
        told = (m for m in reversed(messages) if m.role == "user" and not m.is_compaction_summary)
        counted = self.counter.count_messages([*told][:1], model.id)
        newest = min(self.counter.scaled(model.id, counted), built.tokens["messages"])
        rest = built.tokens["messages"] - newest
        return built.tokens | {"messages": rest, "newest_message": newest}

    def refresh(self) -> None:
        """Publish the figures of the next request."""
        model = self.settings.model
        if model is None:
            return
        built = self.look()
        state = self.live.state
        percent = self.settings.config.context.auto_compact.threshold_percent
        self.emit(
            TokenUpdate(
                input_tokens=state.usage.input_tokens,
                output_tokens=state.usage.output_tokens,
                total_tokens=state.usage.total_tokens,
                api_calls=state.usage.api_calls,
                cached_tokens=state.usage.cached_tokens,
                used_tokens=built.total,
                max_tokens=model.window,
                percent=round(built.percent, 1),
                threshold_percent=percent,
                estimated=built.estimated,
                cost_usd=state.cost_usd,
                compactions=state.compactions,
            )
        )

    def _context_builder(self) -> ContextBuilder:
        config = self.settings.config.context
        if self._builder is None or config != self._built_with:
            self._builder = ContextBuilder(self.counter, config, self.tools)
            self._built_with = config
        return self._builder

    def _learn(self, model: ModelInfo, built: BuildResult, usage: Usage) -> None:
        self.counter.learn(model.id, built.raw_tokens, usage.input_tokens)
        ratio = self.counter.ratio(model.id)
        if abs(ratio - self._stored_ratios.get(model.id, 1.0)) > RATIO_STEP:
            self._stored_ratios[model.id] = ratio
            self.remember("ratio", model.id, ratio)

    def _warn_of_guessed_window(self) -> None:
        model = self.current_model()
        if model.window_source == "default":
            self.say_once(
                f"guess {model.id}",
                f"The window of {model.name} is not known; {model.window:,} tokens are assumed. "
                "Set context_window for it in the configuration.",
            )

    def say_once(
        self, key: str, message: str, *, kind: str = "window", level: NoticeLevel = "info"
    ) -> None:
        """A notice about a model, once while the program runs."""
        if key not in self._said:
            self._said.add(key)
            self.emit(NoticeEvent(kind=kind, message=message, level=level))


def remedy(part: str) -> str:
    """What makes this part of a request smaller, in a sentence."""
    return _REMEDIES.get(part, _REMEDIES["messages"])


_REMEDIES = {
    "instructions": "Shorten the project's AGENTS.md.",
    "newest_message": "Send less at once: put it in a file and mention the file.",
    "system": "The model's window is too small for this program.",
    "tools": "The model's window is too small for the tools' definitions.",
    "task_state": "Shorten the task state with /task.",
    "summary": "Set a smaller max_summary_chars or keep_user_words_tokens.",
    "tool_results": "Set a smaller tools.limits.result_tokens.",
    "messages": "Compact with /compact.",
}

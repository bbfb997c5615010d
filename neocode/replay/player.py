"""Plays a recording: every assistant message is one model call over all that stands before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from neocode.compact.result import CompactOrder, CompactResult, Measure, Measured
from neocode.compact.shrink import SHORTENED
from neocode.config.schema import ContextConfig
from neocode.context.builder import BuildMetadata, BuildResult, ContextBuilder
from neocode.context.sources import SystemParts
from neocode.context.tokens import TokenCounter
from neocode.domain.events import TriggerMode
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.usage import Usage
from neocode.provider.base import Provider
from neocode.replay.billing import Bill, PrefixCache
from neocode.replay.options import ReplayOptions, opening_state
from neocode.replay.outcome import Compacted, Event, Next, Outcome, Step, compacted
from neocode.replay.probes import Places, Probe, judge, text_of
from neocode.replay.recording import Recording
from neocode.replay.scratch import Scratch

_NO_SYSTEM = SystemParts(base="")


@dataclass(slots=True, kw_only=True)
class _Run:
    """What one prompt of the user may still do by itself, and what was done so far."""

    auto_left: int = 0
    reactive_left: int = 0


@dataclass(slots=True)
class Player:
    """Plays one recording once.

    emit: gets each step and compaction as it happens. The system prompt and the tools'
    definitions are left out: recordings hold none, and they are the same in every request.
    """

    recording: Recording
    options: ReplayOptions
    provider: Provider
    counter: TokenCounter
    scratch: Scratch
    emit: Callable[[Event], None] = lambda event: None
    _builder: ContextBuilder = field(init=False)
    _session: SessionState = field(init=False)
    _cache: PrefixCache = field(init=False)
    _run: _Run = field(default_factory=_Run)
    _played: int = 0
    _steps: int = 0
    _next: int = 0
    _bill: Bill = field(default_factory=Bill)
    _most: int = 0
    _compactions: list[Compacted] = field(default_factory=list)

    def __post_init__(self) -> None:
        model = self.options.model
        self._builder = ContextBuilder(self.counter, self.options.context)
        self._cache = PrefixCache(self.counter, model.id, model.price)
        self._session = self.scratch.begin(opening_state(self.recording.messages))

    async def play(self, probes: Sequence[Probe] = ()) -> Outcome:
        """Every step in order, then the request that would come next, and the probes there."""
        for index, message in enumerate(self.recording.messages):
            if message.role == "assistant":
                await self._step(index, message)
            self._append(message)
        if self.options.at == 0:
            self._next = self._steps + 1
            await self._compact("manual")
        last = self._build()
        sent = Next(messages=len(last.messages), tokens=last.total, preamble=_preamble_tokens(last))
        self.emit(sent)
        return Outcome(
            name=self.recording.name,
            messages=len(self.recording.messages),
            steps=self._steps,
            bill=self._bill,
            most_tokens=self._most,
            compactions=tuple(self._compactions),
            last=sent,
            verdicts=judge(probes, self._places(last)) if probes else (),
        )

    async def _step(self, index: int, reply: Message) -> None:
        """One model call."""
        self._steps = self._next = self._steps + 1
        if self.options.at == self._steps:
            await self._compact("manual")
        built = self._build()
        if (mode := self._due(built)) and await self._compact(mode):
            built = self._build()
        self._session = replace(
            self._session, micro_edge=built.micro_edge, micro_rent=built.micro_rent
        )
        output = self.counter.count_message(reply, self.options.model.id)
        bill = self._cache.bill(built.messages, output)
        self._bill += bill
        self._most = max(self._most, bill.tokens)
        self.emit(self._shown(index, built, bill))
        usage = Usage(
            input_tokens=bill.tokens, output_tokens=output, cached_tokens=bill.cached, api_calls=1
        )
        name = self.options.model.name
        self._session = self._session.count_call(replace(usage, estimated=True), None, name)

    def _shown(self, index: int, built: BuildResult, bill: Bill) -> Step:
        return Step(
            number=self._steps,
            index=index,
            messages=len(built.messages),
            bill=bill,
            cleared=len(built.cleared),
            freed=built.freed_tokens,
            edge_moved=built.edge_moved,
            archived=self._played - sum(not m.is_compaction_summary for m in self._live),
            over_window=bill.tokens > built.window,
        )

    @property
    def _live(self) -> tuple[Message, ...]:
        return self._session.messages

    def _append(self, message: Message) -> None:
        if message.role == "user":
            auto = self.options.context.auto_compact
            self._run = _Run(auto_left=auto.max_per_run, reactive_left=1)
        self._session = self._session.append(message)
        self._played += 1

    def _build(self) -> BuildResult:
        return self._builder.build(self._session, self._metadata())

    def _metadata(self) -> BuildMetadata:
        return BuildMetadata(
            model=self.options.model, system=_NO_SYSTEM, may_compact=self._may_compact
        )

    @property
    def _may_compact(self) -> bool:
        auto = self.options.context.auto_compact
        is_on = self.options.strategy is not None and auto.enabled
        return is_on and self._run.auto_left > 0 and not self._session.auto_paused

    def _due(self, built: BuildResult) -> TriggerMode | None:
        """As the runtime decides; a request over the window is one that was refused."""
        if built.auto_compact_suggested and self._may_compact:
            self._run.auto_left -= 1
            return "auto"
        may_rescue = self.options.strategy is not None and self._run.reactive_left > 0
        if may_rescue and built.total > self.options.model.window:
            self._run.reactive_left -= 1
            return "reactive"
        return None

    async def _compact(self, mode: TriggerMode) -> bool:
        """Compact as the product does; true when something was archived or shortened."""
        options = self.options
        self.scratch.keep(self._session, self.recording.messages[: self._played])
        order = CompactOrder(
            mode=mode,
            context=options.context,
            model=options.model,
            models=(options.model,),
            strategy=options.strategy,
            by_code=options.by_code,
        )
        measure = measure_by(self._builder, self._metadata())
        runner = self.scratch.runner(self.provider, self.counter, options.model.id, measure)
        result = await runner.run(self._session, order)
        self._session = result.session
        self._note(result)
        return result.applied

    def _note(self, result: CompactResult) -> None:
        done = compacted(result, self._next)
        self._compactions.append(done)
        self.emit(done)

    def _places(self, last: BuildResult) -> Places:
        """Where the probes are looked for: the store holds what the database would."""
        scratch, session = self.scratch, self._session
        scratch.keep(session, self.recording.messages)
        live = {message.id for message in session.messages}
        seen = {m.id for m in session.messages if SHORTENED not in m.metadata} - set(last.cleared)
        return Places(
            sent=_text(last),
            archived=[m for m in self.recording.messages if m.id not in live],
            kept=[m for m in self.recording.messages if m.id in live],
            search=lambda text: scratch.search(session.id, text, seen),
            record=lambda message_id: scratch.store.record(session.id, message_id),
        )


def measure_with(counter: TokenCounter, context: ContextConfig, model: ModelInfo) -> Measure:
    """Weighs sessions as a replay with these does."""
    metadata = BuildMetadata(model=model, system=_NO_SYSTEM)
    return measure_by(ContextBuilder(counter, context), metadata)


def measure_by(builder: ContextBuilder, metadata: BuildMetadata) -> Measure:
    """Weighs sessions by the request that this builder makes of them."""

    def measure(session: SessionState) -> Measured:
        built = builder.build(session, metadata)
        chars = sum(message.chars for message in built.messages)
        return Measured(tokens=built.total, fixed=0, chars=chars, text=_text(built))

    return measure


def _text(built: BuildResult) -> str:
    return "\n".join(map(text_of, built.messages))


def _preamble_tokens(built: BuildResult) -> int:
    return built.tokens["task_state"] + built.tokens["summary"]

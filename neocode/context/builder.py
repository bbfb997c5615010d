"""SessionState to request: ContextBuilder.build is a pure function (spec/context 4)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from neocode.config.schema import ContextConfig
from neocode.context.budget import (
    Suggestion,
    percent_of,
    suggestion,
    threshold_tokens,
    usable_window,
)
from neocode.context.floor import Floor, find_floor
from neocode.context.measure import Measured, Size, next_size
from neocode.context.micro import (
    EdgeStats,
    Projector,
    Survey,
    next_rent,
    relative_prices,
    should_move,
)
from neocode.context.parts import count_parts, spread
from neocode.context.placing import (
    archivable,
    breakpoints,
    index_of,
    insert_preamble,
    live_messages,
)
from neocode.context.preamble import Preamble, render_preamble
from neocode.context.sources import SystemParts, render
from neocode.context.tokens import TokenCounter
from neocode.context.validate import Repair, alternate, pair_up
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState
from neocode.domain.tooling import ToolSpec

PRESSURE = 0.9
"""Share of the usable window from which room counts for more than money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildMetadata:
    """What a build depends on besides the session.

    measured: the newest reply's figure, see measure.measured_from; None: all is estimated.
    threshold_percent: an agent profile's; None: the configuration's.
    may_compact: an automatic compaction would follow a suggestion, so that no clearing is
    paid for right before it (spec/context 5).
    """

    model: ModelInfo
    system: SystemParts
    measured: Measured | None = None
    threshold_percent: int | None = None
    may_compact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """The next request and what was decided about it.

    messages: valid for the strictest provider. tokens: by part (system, instructions,
    tools, task_state, summary, messages, tool_results); they add up to total.
    estimated: false when total is the provider's figure alone. raw_tokens: our own count
    without correction: Measured.estimate of the reply to come, and what learn() is told.
    cleared: ids of the results that stand-ins replace; freed_tokens: what that saves.
    micro_edge, micro_rent: to be stored with the session when the request is sent.
    floor: set when nothing may be sent (spec/context 4). repairs: stubs to be stored.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    tokens: dict[str, int]
    total: int
    estimated: bool
    raw_tokens: int
    window: int
    percent: float
    threshold_tokens: int
    auto_compact_suggested: Suggestion | None = None
    cleared: tuple[str, ...] = ()
    freed_tokens: int = 0
    micro_edge: str = ""
    micro_rent: float = 0.0
    edge_moved: bool = False
    floor: Floor | None = None
    cache_breakpoints: tuple[int, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A request being built."""

    session: SessionState
    metadata: BuildMetadata
    paired: list[Message]
    before_summary: frozenset[str]
    preamble: Preamble
    raw: dict[str, int] = field(default_factory=dict)

    @property
    def raw_total(self) -> int:
        return sum(self.raw.values())


class ContextBuilder:
    """Builds requests with one configuration and one set of tools.

    What it remembers (counts, stand-ins) only makes it fast. preserving: names of further
    tools whose results are never cleared, besides those whose spec says so.
    """

    def __init__(
        self,
        counter: TokenCounter,
        config: ContextConfig,
        tools: Sequence[ToolSpec] = (),
        preserving: Collection[str] = (),
    ) -> None:
        self._counter = counter
        self._config = config
        self._tools = tuple(tools)
        declared = {tool.name for tool in tools if tool.preserve_history}
        self._projector = Projector(
            counter,
            keep_blocks=config.compact.micro_compact_keep_recent_blocks,
            preserving=declared | set(preserving),
        )

    def build(self, session: SessionState, metadata: BuildMetadata) -> BuildResult:
        """The next request of the session. Changes nothing; same input, same bytes."""
        live, before, summary = live_messages(session.messages)
        paired, repairs = pair_up(live)
        words = self._config.compact.keep_user_words_tokens
        preamble = render_preamble(session.task_state, summary, words)
        draft = _Draft(session, metadata, paired, before, preamble)
        survey = self._survey(draft)
        stay = self._result(draft, survey, survey.messages, moved=False)
        result = self._moved(draft, survey, stay) or stay
        return replace(result, repairs=tuple(repairs))

    def _survey(self, draft: _Draft) -> Survey:
        """The projection, or the history as it is where micro compact does not act."""
        session = draft.session
        if self._config.compact.micro_compact_disabled or not session.task_state.is_established:
            return Survey(draft.paired, draft.paired)
        return self._projector.survey(draft.paired, session.micro_edge, draft.metadata.model.id)

    def _moved(self, draft: _Draft, survey: Survey, stay: BuildResult) -> BuildResult | None:
        """The request with a moved edge, when that is worth it and no compaction follows."""
        if not survey.newly:
            return None
        model = draft.metadata.model
        stats = self._edge_stats(draft, survey, stay)
        prices = relative_prices(model.price)
        if not should_move(stats, prices, self._config.compact.micro_compact_min_tokens):
            return replace(stay, micro_rent=next_rent(stats, prices))
        moved = self._result(draft, survey, survey.moved, moved=True)
        if moved.auto_compact_suggested and draft.metadata.may_compact:
            return stay
        return moved

    def _edge_stats(self, draft: _Draft, survey: Survey, stay: BuildResult) -> EdgeStats:
        messages, model_id = survey.messages, draft.metadata.model.id
        replies = [i for i, m in enumerate(messages) if m.role == "assistant"]
        between = messages[survey.first : survey.protected]
        tail = messages[survey.protected : replies[-1]]
        return EdgeStats(
            freed=survey.freed,
            request=stay.raw_tokens,
            between=self._counter.count_messages(between, model_id) - survey.freed,
            tail=self._counter.count_messages(tail, model_id),
            rent=draft.session.micro_rent,
            calls=len(replies),
            pressed=stay.total >= self._pressure(draft.metadata.model, stay),
        )

    def _pressure(self, model: ModelInfo, stay: BuildResult) -> float:
        """Tokens from which clearing is better than what comes next: compaction or refusal."""
        auto = self._config.auto_compact
        if auto.enabled and auto.trigger != "session_input":
            return stay.threshold_tokens
        return PRESSURE * usable_window(model.window, model.max_output)

    def _result(
        self, draft: _Draft, survey: Survey, messages: list[Message], *, moved: bool
    ) -> BuildResult:
        metadata, session = draft.metadata, draft.session
        model = metadata.model
        draft.raw = count_parts(
            self._counter, model.id, metadata.system, self._tools, draft.preamble, messages
        )
        size = self._size(draft, messages)
        percent = metadata.threshold_percent or self._config.auto_compact.threshold_percent
        threshold = threshold_tokens(model.window, percent)
        whole, place = insert_preamble(messages, draft.before_summary, draft.preamble, session)
        sent = alternate(whole)
        return BuildResult(
            system=render(metadata.system),
            messages=tuple(sent),
            tools=self._tools,
            tokens=spread(draft.raw, size.tokens),
            total=size.tokens,
            estimated=size.estimated,
            raw_tokens=draft.raw_total,
            window=model.window,
            percent=percent_of(size.tokens, model.window),
            threshold_tokens=threshold,
            auto_compact_suggested=self._suggest(draft, size.tokens, threshold),
            cleared=tuple(survey.cleared + (survey.newly if moved else [])),
            freed_tokens=survey.freed_before + (survey.freed if moved else 0),
            micro_edge=survey.new_edge if moved else session.micro_edge,
            micro_rent=0.0 if moved else session.micro_rent,
            edge_moved=moved,
            floor=find_floor(self._counter, model, draft.raw, draft.paired),
            cache_breakpoints=breakpoints(sent, place),
        )

    def _size(self, draft: _Draft, messages: list[Message]) -> Size:
        model_id = draft.metadata.model.id
        measured = draft.metadata.measured
        raw_reply = raw_added = 0
        if measured is not None:
            place = index_of(messages, measured.message_id)
            if place < 0 or measured.model != model_id:
                measured = None
            else:
                raw_reply = self._counter.count_message(messages[place], model_id)
                raw_added = self._counter.count_messages(messages[place + 1 :], model_id)
        ratio = self._counter.ratio(model_id)
        return next_size(
            measured, raw=draft.raw_total, raw_reply=raw_reply, raw_added=raw_added, ratio=ratio
        )

    def _suggest(self, draft: _Draft, total: int, threshold: int) -> Suggestion | None:
        if not archivable(draft.paired):
            return None
        auto = self._config.auto_compact
        return suggestion(
            auto.trigger,
            session_input=draft.session.input_tokens_since_compaction,
            input_threshold=auto.input_token_threshold,
            next_request=total,
            window_threshold=threshold,
        )

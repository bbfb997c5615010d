"""Retries and compactions as rows: each with its own clock."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from textual.timer import Timer

from neocode.domain import events as ev
from neocode.runtime.api import EngineApi
from neocode.tui.present import duration
from neocode.tui.rows.marks import CompactItem, NoticeItem

if TYPE_CHECKING:
    from neocode.tui.bridge import Stage


class Countdown:
    """The wait before a failed call is tried again, second by second."""

    def __init__(self, stage: "Stage", show: Callable[[str], None]) -> None:
        self._stage, self._show = stage, show
        self._clock: Timer | None = None
        self._head, self._left = "", 0.0

    def begin(self, event: ev.Retry) -> None:
        """Another wait begins; the words go to show."""
        self.end()
        self._left = event.wait_s
        self._head = f"{event.reason.rstrip('.')}. Try {event.attempt + 1} of {event.max_attempts}"
        self._tick()
        self._clock = self._stage.set_interval(1.0, self._tick)

    def end(self) -> None:
        """The next try is under way, or all is over."""
        if self._clock is not None:
            self._clock.stop()
            self._clock = None

    def _tick(self) -> None:
        left = f" in {duration(max(1, round(self._left)))}" if self._left > 0 else " now"
        self._show(f"{self._head}{left.replace('.0', '')}")
        self._left -= 1
        if self._left < -1:
            self.end()


class CompactionRows:
    """One per engine: what compact_start, compact_done, compact_error and retry show."""

    def __init__(self, engine: EngineApi, stage: "Stage", key: Callable[[], str]) -> None:
        self._engine, self._stage, self._key = engine, stage, key
        self._item: CompactItem | None = None
        self._clock: Timer | None = None
        self._retry: NoticeItem | None = None
        self._countdown = Countdown(stage, self._wait_words)

    @property
    def running(self) -> bool:
        """Whether a compaction is going on, by the events so far."""
        return self._item is not None

    def retry(self, event: ev.Retry) -> None:
        """A row that counts down; in a compaction its own row does."""
        if self._item is None:
            self._retry = NoticeItem(self._key(), "", "warning")
            self._stage.transcript.add(self._retry)
        self._countdown.begin(event)

    def settle(self) -> None:
        """The run has ended: nothing counts down any more."""
        self._countdown.end()
        self._retry = None

    def show(self, event: ev.CompactStart | ev.CompactDone | ev.CompactError) -> None:
        """A compaction begins or ends."""
        self.settle()
        if isinstance(event, ev.CompactStart):
            self._begin()
        else:
            self._end(event)
        self._stage.refresh_facts()

    def _begin(self) -> None:
        stage = self._stage
        self._stop_clock()
        self._item = CompactItem(self._key())
        stage.transcript.add(self._item)
        stage.activity.begin("Compacting context", restart=True)
        self._clock = stage.set_interval(1.0, self._second)

    def _end(self, event: ev.CompactDone | ev.CompactError) -> None:
        stage = self._stage
        self._stop_clock()
        item, self._item = self._item or CompactItem(self._key()), None
        if stage.transcript.find(item.key) is None:
            stage.transcript.add(item)
        payload = {key: value for key, value in asdict(event).items() if key != "session_id"}
        (item.done if isinstance(event, ev.CompactDone) else item.failed)(payload)
        stage.transcript.changed(item)
        if self._engine.busy == "run":
            stage.activity.begin("Working")
        else:
            stage.activity.end()
        if isinstance(event, ev.CompactDone) and event.applied:
            stage.mark_boundary()
        failed = isinstance(event, ev.CompactError) and event.reason != "cancelled"
        stage.attention("could not compact" if failed else "context compacted")

    def _second(self) -> None:
        if self._item is not None:
            self._item.tick(self._item.seconds + 1)
            self._stage.transcript.changed(self._item)

    def _wait_words(self, words: str) -> None:
        if self._item is not None:
            self._item.wait(words)
            self._stage.transcript.changed(self._item)
        elif self._retry is not None:
            self._retry.update(f"{words} · Esc stops")
            self._stage.transcript.changed(self._retry)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None

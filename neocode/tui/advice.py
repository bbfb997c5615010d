"""The one quiet hint: the context is over its threshold and nothing will shrink it."""

from neocode.runtime.api import EngineApi
from neocode.tui.present import Gauge
from neocode.tui.rows.marks import HintItem
from neocode.tui.widgets.transcript import Transcript


class AutoHint:
    """Says it once a session, when automatic mode is off and the threshold is crossed."""

    def __init__(self, engine: EngineApi, transcript: Transcript) -> None:
        self._engine, self._transcript = engine, transcript
        self._said: set[str] = set()

    def look(self, gauge: Gauge) -> None:
        """New figures."""
        auto = self._engine.config.context.auto_compact
        session = self._engine.session.id
        crossed = bool(gauge.maximum) and gauge.percent >= gauge.threshold
        if auto.enabled or not crossed or session in self._said:
            return
        self._said.add(session)
        self._transcript.add(
            HintItem(
                f"hint-{session}",
                f"The context is over {gauge.threshold:.0f} % of the window and automatic "
                "compaction is off.",
                (
                    ("compact now", "command:/compact", "F3"),
                    ("turn automatic on", "auto_on", "or /settings"),
                ),
            )
        )

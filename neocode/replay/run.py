"""Several recordings, one after another, each beside the same without any clearing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neocode.context.tokens import TokenCounter
from neocode.provider.base import Provider
from neocode.replay.billing import Bill
from neocode.replay.options import ReplayOptions
from neocode.replay.outcome import Event, Outcome
from neocode.replay.player import Player
from neocode.replay.probes import Probe
from neocode.replay.recording import Recording
from neocode.replay.scratch import Scratch


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A recording that was played. plain: the bill with everything sent every time."""

    recording: Recording
    outcome: Outcome
    plain: Bill


async def replay(
    recording: Recording,
    options: ReplayOptions,
    provider: Provider,
    counter: TokenCounter,
    *,
    probes: Sequence[Probe] = (),
    emit: Callable[[Event], None] = lambda event: None,
) -> Played:
    """Play one. emit: gets each step and compaction as it happens."""
    counter.warm(options.model.id)
    with Scratch() as scratch:
        outcome = await Player(recording, options, provider, counter, scratch, emit).play(probes)
    plain = options.plain()
    if plain == options:
        return Played(recording=recording, outcome=outcome, plain=outcome.bill)
    with Scratch() as scratch:
        whole = await Player(recording, plain, provider, counter, scratch).play()
    return Played(recording=recording, outcome=outcome, plain=whole.bill)

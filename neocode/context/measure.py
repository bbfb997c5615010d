"""The size of the next request: the provider's figure first, ours for the rest (spec/context 3)."""

from dataclasses import dataclass

from neocode.domain.messages import Message
from neocode.domain.session import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the provider reported for the newest reply.

    input_tokens: the whole prompt, cached part included once. message_id: the reply.
    model: litellm's id of the model that counted. estimate: our own raw count of the
    request it answered (BuildResult.raw_tokens), or None when that is not known any more,
    as after a restart.
    """

    input_tokens: int
    output_tokens: int
    message_id: str
    model: str
    estimate: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Tokens of a request. estimated: false when the figure is the provider's alone."""

    tokens: int
    estimated: bool


def next_size(
    measured: Measured | None, *, raw: int, raw_reply: int, raw_added: int, ratio: float
) -> Size:
    """Size of the next request.

    raw: our count of the whole of it; raw_reply: of the measured reply; raw_added: of what
    stands behind that reply. ratio: the model's correction. With the estimate of the
    request that was measured, the difference also covers what became smaller since
    (a moved edge, a compaction, other tools); without it only what was added is known.
    """
    if measured is None or measured.input_tokens <= 0:
        return Size(tokens=round(raw * ratio), estimated=True)
    known = measured.input_tokens + measured.output_tokens
    change = raw_added
    if measured.estimate is not None:
        change = raw - measured.estimate - raw_reply
    return Size(tokens=max(0, known + round(change * ratio)), estimated=change != 0)


def measured_from(session: SessionState, model_id: str, model_name: str) -> Measured | None:
    """The newest reply's figure as the session keeps it, or None where it says nothing.

    None when the provider reported nothing, another model wrote the reply, or a
    compaction came after it or was undone since.
    """
    reply = _newest_reply(session)
    if reply is None or reply.metadata.get("model") not in (model_id, model_name):
        return None
    usage = reply.metadata.get("usage") or {}
    tokens = usage.get("input_tokens") or 0
    summary = session.summary
    stale = summary is not None and summary.created_at > reply.created_at
    stale = stale or usage.get("compactions", session.compactions) != session.compactions
    if stale or usage.get("estimated") or tokens <= 0:
        return None
    return Measured(
        input_tokens=int(tokens),
        output_tokens=int(usage.get("output_tokens") or 0),
        message_id=reply.id,
        model=model_id,
    )


def _newest_reply(session: SessionState) -> Message | None:
    found = (m for m in reversed(session.messages) if m.role == "assistant")
    return next((m for m in found if not m.is_compaction_summary), None)

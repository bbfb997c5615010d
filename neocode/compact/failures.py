"""What is said when a compaction fails, and under which reason (spec/context 12). Pure."""

from neocode.compact.parse import InvalidSummary
from neocode.compact.result import CompactFailure
from neocode.domain.errors import ProviderError
from neocode.domain.events import CompactReason

UNCHANGED = "The conversation is unchanged"
STOPPED = f"Compaction stopped. {UNCHANGED}."


def no_transcript(error: Exception) -> CompactFailure:
    """The transcript could not be written."""
    return CompactFailure(
        "transcript_failed",
        f"The transcript could not be written ({error}). {UNCHANGED}; make room or mend the "
        "folder's permissions, then /compact again.",
    )


def not_stored(error: Exception) -> CompactFailure:
    """The swap was refused by the store."""
    return CompactFailure(
        "storage_failed", f"The compaction could not be stored ({error}). {UNCHANGED}."
    )


def no_gain() -> CompactFailure:
    """The new request would not be smaller than the old one."""
    return CompactFailure(
        "no_gain",
        "The summary and what must stay are not smaller than the conversation. "
        f"{UNCHANGED}; /context shows what takes the room.",
    )


def no_answer(error: InvalidSummary | ProviderError, model: str) -> CompactFailure:
    """An answer that cannot be used, or that never came."""
    if isinstance(error, InvalidSummary):
        return CompactFailure(
            "invalid_summary",
            f"{model} gave no usable summary: {error}. {UNCHANGED}. Try again, name another "
            "context.compact.auxiliary_model, or set context.compact.fallback: extractive.",
        )
    reason: CompactReason = "timeout" if error.kind == "timeout" else "provider_error"
    hint = f" {error.hint}" if error.hint else ""
    said = f"{model} could not be asked for a summary: {error.message.rstrip('. ')}.{hint}"
    return CompactFailure(reason, f"{said} {UNCHANGED}.")

"""The exception tree.

NeoCodeError                 message, hint: what happened, what to do next
├── ConfigError              exit status 2
├── StoreError               disk full, read-only, damaged, newer, locked
├── Cancelled                the user stopped it
└── ProviderError            kind: a stable word for events and scripts
    ├── ContextTooLong       the request is larger than the window
    ├── TransientError       may be retried: connection, 408, 429, 5xx, 529
    ├── StreamBroken         cut after something was received; partial text is kept
    └── PermanentError       401, 403, 404, 400: never retried
"""

from typing import Literal


class NeoCodeError(Exception):
    """An error with words for the user.

    hint: what to do next; "" when there is nothing to add.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def sentences(self) -> str:
        """Message and hint on one line, where there is no second one for the hint."""
        if not self.hint:
            return self.message
        stop = "" if self.message.endswith((".", "!", "?", ":")) else "."
        return f"{self.message}{stop} {self.hint}"


class ConfigError(NeoCodeError):
    """A configuration that cannot be used; names file, line, key, what is allowed."""


class StoreError(NeoCodeError):
    """Something could not be kept on disk, or read back from it."""


class Cancelled(NeoCodeError):
    """The user stopped what was going on. Not a failure."""


ProviderKind = Literal[
    "context_too_long",
    "rate_limit",
    "overloaded",
    "server_error",
    "connection",
    "timeout",
    "stream_broken",
    "auth",
    "not_found",
    "bad_request",
    "output_limit",
    "content_filter",
    "quota",
    "body_too_large",
    "no_model",
]


class ProviderError(NeoCodeError):
    """The model could not be asked, or its answer not be had.

    kind: a stable word. status: the HTTP status, or None.
    """

    def __init__(
        self, message: str, *, kind: ProviderKind, status: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind: ProviderKind = kind
        self.status = status


class ContextTooLong(ProviderError):
    """The request is larger than the model's window.

    limit, requested: tokens, as far as the refusal named them.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        limit: int | None = None,
        requested: int | None = None,
    ) -> None:
        super().__init__(message, kind="context_too_long", status=status)
        self.limit = limit
        self.requested = requested


class TransientError(ProviderError):
    """Worth another try. retry_after: seconds the server asked for, or None."""

    def __init__(
        self,
        message: str,
        *,
        kind: ProviderKind,
        status: int | None = None,
        retry_after: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, kind=kind, status=status, hint=hint)
        self.retry_after = retry_after


class StreamBroken(ProviderError):
    """The stream ended early after at least one chunk of content had come."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, kind="stream_broken", hint=hint)


class PermanentError(ProviderError):
    """Trying again would not help: the hint names the key or setting to mend."""

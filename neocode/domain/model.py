"""A model as the other layers know it."""

from dataclasses import dataclass
from typing import Literal

from neocode.domain.usage import Price

WindowSource = Literal["config", "catalogue", "server", "refusal", "default"]
DEFAULT_WINDOW = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A model that can be asked.

    name: what the user calls it. id: what litellm calls it.
    api_key: the expanded value, or None; never printed or stored.
    window: tokens; window_source says how far it can be trusted.
    max_output: tokens, or None when not known.
    price: None when not known.
    extra_headers, ssl_ca: passed on to the provider.
    """

    name: str
    id: str
    api_base: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    window: int = DEFAULT_WINDOW
    window_source: WindowSource = "default"
    max_output: int | None = None
    price: Price | None = None
    auxiliary: bool = False
    vision: bool = False

    def __repr__(self) -> str:
        return f"ModelInfo({self.name!r}, {self.id!r}, window={self.window})"

"""The Provider protocol: what the runtime asks of a model, and what it gets."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from neocode.domain.json_types import JsonObject
from neocode.domain.messages import Message
from neocode.domain.model import ModelInfo
from neocode.domain.tooling import ToolSpec
from neocode.domain.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request, already valid for the strictest provider (spec/context 4).

    max_output_tokens: None leaves it to the provider.
    reasoning: "off" asks for none where the model can be told so.
    response_schema: (name, JSON Schema) that the answer is held to, where the provider
        can; others ignore it.
    tool_choice: "none" offers the tools but forbids their use.
    idle_timeout_s: seconds of silence after which the call fails; length is unlimited.
    cache_breakpoints: indexes into messages after which a cache marker is set for
        providers that need one (Anthropic); the system prompt always has one.
    estimated_tokens: the builder's estimate of the whole request, 0 when it made none;
        a refusal without a reason is judged by it.
    """

    model: ModelInfo
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    max_output_tokens: int | None = None
    temperature: float | None = None
    reasoning: Literal["default", "off"] = "default"
    response_schema: tuple[str, JsonObject] | None = None
    idle_timeout_s: float = 120.0
    cache_breakpoints: tuple[int, ...] = ()
    estimated_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningChunk:
    """A piece of reasoning, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class CallChunk:
    """A piece of a tool call. index tells parallel calls apart; id and name come once."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class SignedReasoning:
    """A whole signed block, to be returned untouched with its reply."""

    block: JsonObject


@dataclass(frozen=True, slots=True)
class UsageChunk:
    """What the provider reports; the last one of a stream counts."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class FinishChunk:
    """The provider's end mark: stop, tool_calls, length, content_filter or its own word."""

    reason: str


Chunk: TypeAlias = (
    TextChunk | ReasoningChunk | CallChunk | SignedReasoning | UsageChunk | FinishChunk
)


class Provider(Protocol):
    """Something that answers requests.

    stream raises a ProviderError of domain/errors, before or between chunks, and
    makes exactly one request: retries are the caller's. Closing the iterator (aclose)
    or cancelling the task ends the request at once.
    """

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Ask, and yield what comes as it comes."""
        ...


@dataclass(slots=True)
class Reply:
    """A finished answer, put together from chunks."""

    text: str = ""
    reasoning: str = ""
    signed: list[JsonObject] = field(default_factory=list)
    calls: list[CallChunk] = field(default_factory=list)
    usage: Usage | None = None
    finish: str = ""

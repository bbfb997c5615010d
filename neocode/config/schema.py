"""The configuration: one dataclass a YAML section, names as in the file.

Every field carries its one line of documentation and, where there are any, its bounds;
config.example.yaml, the JSON Schema, the checks and the settings screen are made from
them. Frozen values, checked by config/load.py before they are built.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["ask", "accept-edits", "plan", "auto"]
Strategy = Literal["keep_recent", "full_replace", "token_budget"]
Trigger = Literal["session_input", "context_window", "either"]
Fallback = Literal["none", "extractive"]
RequestForm = Literal["auto", "cached_prefix", "flattened"]
Theme = Literal["auto", "dark", "light", "ansi", "high-contrast"]


def option(
    default: Any,
    doc: str,
    *,
    least: float | None = None,
    most: float | None = None,
    secret: bool = False,
    required: bool = False,
    user_only: bool = False,
) -> Any:
    """A field with its documentation and inclusive bounds; lists start empty.

    secret: never shown. required: must be given and not be empty. user_only: a
    project's file may not name it (spec/interface: keys, addresses, commands to run).
    """
    extra = {"doc": doc, "least": least, "most": most, "secret": secret}
    return field(default=default, metadata=extra | {"required": required, "user_only": user_only})


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceConfig:
    """models[].price, USD a million tokens."""

    input: float | None = option(None, "Price of fresh input.", least=0)
    output: float | None = option(None, "Price of output.", least=0)
    cached_input: float | None = option(None, "Price of input read from a cache.", least=0)
    cache_write: float | None = option(None, "Price of input written to a cache.", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """models[]: one model that can be asked."""

    name: str = option("", "What you call it.", required=True)
    id: str = option(
        "",
        "What litellm calls it, with its provider: anthropic/claude-sonnet-4-5.",
        required=True,
    )
    api_key_env: str | None = option(
        None, "Environment variable that holds the key.", user_only=True
    )
    api_key: str | None = option(
        None,
        "The key itself, best as ${VARIABLE}; none for a server without keys.",
        secret=True,
        user_only=True,
    )
    api_base: str | None = option(
        None, "Address of the server; the provider's own when left out.", user_only=True
    )
    context_window: int | None = option(
        None, "Most input tokens; looked up or learned when left out.", least=1024
    )
    max_output_tokens: int | None = option(None, "Most output tokens.", least=1)
    auxiliary: bool = option(False, "May be chosen to write summaries.")
    vision: bool | None = option(None, "Can be shown pictures; looked up when left out.")
    price: PriceConfig | None = option(None, "Prices; looked up when left out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactConfig:
    """context.compact: how a compaction is done (spec/context 2)."""

    manual_strategy: Strategy = option("keep_recent", "keep_recent, full_replace or token_budget.")
    manual_keep_recent_messages: int = option(
        10, "Newest messages that keep_recent leaves as they are.", least=1, most=1000
    )
    max_summary_chars: int = option(
        1200, "Longest display summary, in characters.", least=200, most=100_000
    )
    micro_compact_disabled: bool = option(
        False, "true: never clear old tool results at reading time."
    )
    micro_compact_keep_recent_blocks: int = option(
        6, "Newest tool blocks that are never cleared.", least=1, most=1000
    )
    micro_compact_min_tokens: int = option(
        4000, "A clearing frees at least this many tokens.", least=0, most=1_000_000
    )
    keep_user_words_tokens: int = option(
        2000, "Room for your archived messages, word for word; 0: none.", least=0, most=100_000
    )
    auxiliary_model: str | None = option(
        None, "Model that writes summaries; the session's own when left out."
    )
    protect_first_messages: int = option(
        3, "token_budget: first messages kept; the system prompt counts as one.", least=1, most=10
    )
    tail_token_budget_ratio: float = option(
        0.20, "token_budget: newest part kept, as a share of the threshold.", least=0.01, most=0.9
    )
    summary_ratio: float = option(
        0.20, "token_budget: size of the summary, as a share of the archive.", least=0.01, most=0.9
    )
    summary_min_tokens: int = option(
        2000, "token_budget: least size of the summary.", least=100, most=100_000
    )
    summary_max_tokens: int = option(
        12000, "token_budget: greatest size of the summary.", least=100, most=200_000
    )
    fallback: Fallback = option(
        "none", "extractive: without a usable summary, one is made by code alone."
    )
    request: RequestForm = option(
        "auto", "How the summary is asked for: auto, cached_prefix or flattened."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCompactConfig:
    """context.auto_compact: when a compaction starts by itself."""

    enabled: bool = option(False, "Compact by itself; the rescue after a refusal is always on.")
    trigger: Trigger = option("session_input", "session_input, context_window or either.")
    input_token_threshold: int = option(
        100_000, "session_input: input tokens summed since the last compaction.", least=1
    )
    threshold_percent: int = option(
        70, "context_window: share of the window, in percent.", least=30, most=95
    )
    max_per_run: int = option(1, "Automatic compactions in one run.", least=1, most=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """context: what is sent and when it shrinks."""

    compact: CompactConfig = field(
        default_factory=CompactConfig, metadata={"doc": "How a compaction is done."}
    )
    auto_compact: AutoCompactConfig = field(
        default_factory=AutoCompactConfig, metadata={"doc": "When one starts by itself."}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryConfig:
    """retry: how failed model calls are tried again."""

    max_attempts: int = option(5, "Tries of one call, the first included.", least=1, most=50)
    max_wait_s: float = option(
        60, "Longest wait between two tries; a server that asks for more ends the run.", least=0
    )
    idle_timeout_s: float = option(
        120, "Seconds of silence after which a call has failed.", least=1, most=3600
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """agents[]: a profile; what it leaves out it inherits."""

    name: str = option("", "What you call it.", required=True)
    model: str | None = option(None, "Model it uses.")
    mode: Mode | None = option(None, "Permission mode it starts in.")
    instructions: str | None = option(None, "Text added to the system prompt.")
    auxiliary_model: str | None = option(None, "Overrides context.compact.auxiliary_model.")
    manual_strategy: Strategy | None = option(None, "Overrides context.compact.manual_strategy.")
    threshold_percent: int | None = option(
        None, "Overrides context.auto_compact.threshold_percent.", least=30, most=95
    )
    protect_first_messages: int | None = option(
        None, "Overrides context.compact.protect_first_messages.", least=1, most=10
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionsConfig:
    """permissions: what may run without a question."""

    mode: Mode = option("ask", "ask, accept-edits, plan (read only) or auto.")
    allow: tuple[str, ...] = option((), "Rules that pass: bash(pytest *), edit(src/**).")
    deny: tuple[str, ...] = option((), "Rules that refuse; they win over allow.")
    sandbox: bool = option(False, "Run shell lines in bubblewrap where it is installed.")
    sandbox_network: bool = option(False, "Let sandboxed lines use the network.")


@dataclass(frozen=True, slots=True, kw_only=True)
class BashConfig:
    """tools.bash: the shell tool."""

    timeout_s: float = option(120, "Time limit of a shell line.", least=1, most=86_400)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsConfig:
    """tools.limits: what one result may take."""

    result_tokens: int = option(
        8000, "Most tokens of one result; the rest stays in a file.", least=200, most=200_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsConfig:
    """tools: the model's abilities."""

    bash: BashConfig = field(default_factory=BashConfig, metadata={"doc": "The shell tool."})
    limits: LimitsConfig = field(
        default_factory=LimitsConfig, metadata={"doc": "What one result may take."}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UiConfig:
    """ui: the screen."""

    theme: Theme = option("auto", "auto, dark, light, ansi or high-contrast.")
    mouse: bool = option(True, "Use the mouse; false leaves selection to the terminal.")
    bell: bool = option(True, "Ring when a run ends or asks while you look elsewhere.")
    show_reasoning: bool = option(False, "Show the model's reasoning unfolded.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole file."""

    model: str | None = option(None, "Name of the model to use; the first usable when left out.")
    models: tuple[ModelConfig, ...] = option((), "Models you have.")
    context: ContextConfig = field(
        default_factory=ContextConfig, metadata={"doc": "What is sent and when it shrinks."}
    )
    retry: RetryConfig = field(
        default_factory=RetryConfig, metadata={"doc": "How failed calls are tried again."}
    )
    agents: tuple[AgentConfig, ...] = option((), "Agent profiles.")
    permissions: PermissionsConfig = field(
        default_factory=PermissionsConfig, metadata={"doc": "What may run without a question."}
    )
    tools: ToolsConfig = field(
        default_factory=ToolsConfig, metadata={"doc": "The model's abilities."}
    )
    ui: UiConfig = field(default_factory=UiConfig, metadata={"doc": "The screen."})

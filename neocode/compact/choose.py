"""Which model summarises, and with which settings (spec/context 2 and 8). Pure."""

from collections.abc import Iterable
from dataclasses import replace

from neocode.compact.result import CompactFailure, CompactOrder
from neocode.config.schema import AgentConfig, ContextConfig
from neocode.domain.model import ModelInfo
from neocode.domain.session import SessionState


def effective(context: ContextConfig, agent: AgentConfig | None) -> ContextConfig:
    """The configuration with the agent profile's four overrides; the rest is inherited."""
    if agent is None:
        return context
    compact = context.compact
    compact = replace(
        compact,
        auxiliary_model=agent.auxiliary_model or compact.auxiliary_model,
        manual_strategy=agent.manual_strategy or compact.manual_strategy,
        protect_first_messages=agent.protect_first_messages or compact.protect_first_messages,
    )
    percent = agent.threshold_percent or context.auto_compact.threshold_percent
    auto = replace(context.auto_compact, threshold_percent=percent)
    return replace(context, compact=compact, auto_compact=auto)


KEYLESS = ("ollama", "ollama_chat", "lm_studio", "llamafile", "bedrock", "vertex_ai", "sagemaker")
"""Providers that take no key, or other credentials than a key."""


def has_key(model: ModelInfo) -> bool:
    """True when the model can be asked as far as keys go (api_key: none counts as one)."""
    return bool(model.api_key) or model.id.partition("/")[0] in KEYLESS


def choose_model(
    models: Iterable[ModelInfo],
    *,
    auxiliary: str | None,
    session_model: str,
    current: ModelInfo | None,
) -> ModelInfo:
    """The auxiliary model when one is named, else the session's last, else the current one.

    auxiliary: from `effective`, so the profile's comes first. Raises CompactFailure
    no_auxiliary_model when it is named and missing or without a key: nothing else is
    tried in its place.
    """
    known = {model.name: model for model in models}
    if current is not None:
        known.setdefault(current.name, current)
    if auxiliary:
        return _auxiliary(known.get(auxiliary), auxiliary)
    chosen = known.get(session_model) or current
    if chosen is None:
        raise CompactFailure(
            "provider_error",
            "No model is set up that could write the summary. Add one under models: in the "
            "configuration, or let code make it: neocode compact --strategy extractive.",
        )
    return chosen


def model_for(session: SessionState, order: CompactOrder) -> ModelInfo | None:
    """Who is asked for the summary; None when code makes it, with no model to be asked.

    So it is ordered, or no model is set up and the fallback is "extractive". Raises
    CompactFailure as choose_model does.
    """
    compact = order.context.compact
    if order.by_code:
        return None
    nobody = order.model is None and session.model not in {model.name for model in order.models}
    if nobody and not compact.auxiliary_model and compact.fallback == "extractive":
        return None
    return choose_model(
        order.models,
        auxiliary=compact.auxiliary_model,
        session_model=session.model,
        current=order.model,
    )


def _auxiliary(model: ModelInfo | None, name: str) -> ModelInfo:
    if model is None:
        raise CompactFailure(
            "no_auxiliary_model",
            f"The auxiliary model {name!r} is not usable: it is not configured or its key is "
            "not set (`neocode models` shows which). Mend that, or change "
            "context.compact.auxiliary_model or the agent profile.",
        )
    if not has_key(model):
        wanted = f" Set {model.api_key_env}." if model.api_key_env else " Give it an api_key_env."
        raise CompactFailure(
            "no_auxiliary_model", f"The auxiliary model {name!r} has no API key.{wanted}"
        )
    return model

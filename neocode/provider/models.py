"""Which models there are, which one is used, and what is known about each.

Windows, prices and limits: configuration before what a server says before the small
table before a cautious default (spec/context 3, B25). Nothing here imports litellm.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from neocode.config.expand import resolve_base, resolve_key, wants_no_key
from neocode.config.schema import Config, ModelConfig
from neocode.domain.errors import ConfigError
from neocode.domain.model import ModelInfo
from neocode.domain.usage import Price
from neocode.provider.catalogue.facts import is_loopback, with_facts
from neocode.provider.catalogue.local_servers import find_local_models
from neocode.provider.catalogue.table import facts_of
from neocode.provider.embedded import embedded_models

KeyState = Literal["present", "missing", "not needed"]
DEFAULTS = {
    "ANTHROPIC_API_KEY": "anthropic/claude-sonnet-5",
    "OPENAI_API_KEY": "openai/gpt-5.4",
    "GEMINI_API_KEY": "gemini/gemini-3.5-flash",
    "DEEPSEEK_API_KEY": "deepseek/deepseek-chat",
    "MISTRAL_API_KEY": "mistral/devstral-latest",
    "OPENROUTER_API_KEY": "openrouter/openrouter/auto",
    "GROQ_API_KEY": "groq/openai/gpt-oss-120b",
    "XAI_API_KEY": "xai/grok-code-fast-1",
}
"""Variable of a key: the model that is taken when nothing is configured, in this order."""
_ADDRESS = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_KEY_OF = {
    **{model.partition("/")[0]: variable for variable, model in DEFAULTS.items()},
    "moonshot": "MOONSHOT_API_KEY",
    "zai": "ZAI_API_KEY",
    "dashscope": "DASHSCOPE_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "fireworks_ai": "FIREWORKS_AI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "cerebras": "CEREBRAS_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "azure": "AZURE_API_KEY",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One model and whether it can be asked now. problem: ConfigError's words, or ""."""

    info: ModelInfo
    key: KeyState
    problem: str = ""
    hint: str = ""

    @property
    def is_usable(self) -> bool:
        """True when nothing is missing."""
        return not self.problem


def survey(
    config: Config, environ: Mapping[str, str], weights: Path, *, look: bool = True
) -> list[Entry]:
    """Every model there is: configured ones, or what is found when none is; embedded ones.

    weights: folder of the embedded models' files. look: ask the ports of local servers
    (up to a third of a second, in the calling thread) when no key is found.
    """
    entries = [_configured(model, environ) for model in config.models]
    if not entries:
        entries = [Entry(info, "present") for info in _from_keys(environ)]
    if not entries and look:
        entries = [Entry(info, "not needed") for info in find_local_models(environ)]
    return entries + [Entry(info, "not needed") for info in embedded_models(weights)]


def resolve_models(
    config: Config, environ: Mapping[str, str], weights: Path, *, look: bool = True
) -> list[ModelInfo]:
    """The models that could be asked now, in order of preference."""
    return [e.info for e in survey(config, environ, weights, look=look) if e.is_usable]


def pick(
    config: Config,
    environ: Mapping[str, str],
    weights: Path,
    name: str | None = None,
    *,
    look: bool = True,
) -> ModelInfo | None:
    """The model to use: name, else config.model, else the first usable; None without any.

    A name that is not known but looks like a litellm id (provider/model) is taken as one.
    Raises ConfigError when the named model is unknown or its key is missing (B55).
    """
    entries = survey(config, environ, weights, look=look)
    wanted = name or config.model
    if wanted:
        return _named(wanted, entries, environ)
    usable = next((entry.info for entry in entries if entry.is_usable), None)
    if usable is None and entries:
        raise ConfigError(entries[0].problem, hint=entries[0].hint)
    return usable


def info_of(model: ModelConfig, environ: Mapping[str, str]) -> ModelInfo:
    """A configured model with its key; ConfigError naming the variable when that is unset."""
    return with_key(describe(model), model, environ)


def with_key(info: ModelInfo, model: ModelConfig, environ: Mapping[str, str]) -> ModelInfo:
    """Info with key and address as they are sent."""
    base = resolve_base(model, environ)
    if base is not None and not _ADDRESS.match(base):
        raise ConfigError(
            f"models.{model.name}.api_base must begin with http:// or https://.",
            hint="Write the whole address, as in http://127.0.0.1:8080/v1.",
        )
    key, variable = resolve_key(model, environ), model.api_key_env
    if key is None and not wants_no_key(model) and not is_loopback(base):
        variable = _KEY_OF.get(model.id.partition("/")[0])
        key = environ.get(variable, "").strip() or None if variable else None
        if key is None and variable and base is None:
            raise ConfigError(
                f"models.{model.name} needs a key: {variable} is not set.",
                hint=f"Set it, as in: export {variable}=..., or name another variable in "
                "api_key_env.",
            )
    return replace(info, api_base=base, api_key=key, api_key_env=variable)


def describe(model: ModelConfig) -> ModelInfo:
    """A configured model without its key: what the file says, gaps filled from the table."""
    window = model.context_window
    info = ModelInfo(
        name=model.name,
        id=model.id,
        api_base=model.api_base,
        api_key_env=model.api_key_env,
        max_output=model.max_output_tokens,
        price=_price(model),
        auxiliary=model.auxiliary,
        vision=bool(model.vision),
    )
    if window is not None:
        info = replace(info, window=window, window_source="config")
    if not is_loopback(model.api_base):
        info = with_facts(info, facts_of(model.id))
    return info if model.vision is None else replace(info, vision=model.vision)


def _configured(model: ModelConfig, environ: Mapping[str, str]) -> Entry:
    try:
        info = info_of(model, environ)
    except ConfigError as error:
        return Entry(describe(model), "missing", error.message, error.hint)
    return Entry(info, "present" if info.api_key else "not needed")


def _from_keys(environ: Mapping[str, str]) -> Iterator[ModelInfo]:
    """A model for every key that the environment holds."""
    for variable, model_id in DEFAULTS.items():
        if key := environ.get(variable, "").strip():
            name = model_id.rpartition("/")[2]
            bare = ModelInfo(name=name, id=model_id, api_key=key, api_key_env=variable)
            yield with_facts(bare, facts_of(model_id))


def _named(name: str, entries: list[Entry], environ: Mapping[str, str]) -> ModelInfo:
    for entry in entries:
        if name in (entry.info.name, entry.info.id):
            if entry.problem:
                raise ConfigError(entry.problem, hint=entry.hint)
            return entry.info
    if name.startswith("embedded"):
        _refuse_embedded(name)
    if "/" in name:
        return info_of(ModelConfig(name=name, id=name), environ)
    names = [entry.info.name for entry in entries]
    near = difflib.get_close_matches(name, names, 1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names) or 'none'}."
    raise ConfigError(f"There is no model {name!r}.", hint=hint)


def _refuse_embedded(name: str) -> None:
    wanted = name.partition(":")[2] or "qwen-1.5b"
    raise ConfigError(
        f"The model {name!r} is not installed.",
        hint="It needs the engine (pip install 'neocode-cli[local]') and weights "
        f"(neocode models install {wanted}).",
    )


def _price(model: ModelConfig) -> Price | None:
    price = model.price
    if price is None:
        return None
    return Price(
        input=price.input,
        output=price.output,
        cached_input=price.cached_input,
        cache_write=price.cache_write,
    )

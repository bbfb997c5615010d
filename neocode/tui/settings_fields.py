"""What /settings shows: fields made from the schema and the configuration. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from neocode.config.schema import AgentConfig, Config, ModelConfig
from neocode.config.spec import Scalar, all_keys, allowed

_COMPACT = "context.compact."
_AUTO = "context.auto_compact."
_CONFIGURATION = (
    (f"{_AUTO}enabled", "automatic"),
    (f"{_AUTO}trigger", "trigger"),
    (f"{_AUTO}threshold_percent", "threshold"),
    (f"{_AUTO}input_token_threshold", "session input"),
    (f"{_COMPACT}auxiliary_model", "auxiliary model"),
    (f"{_COMPACT}manual_strategy", "strategy"),
    (f"{_COMPACT}manual_keep_recent_messages", "keep recent"),
    (f"{_COMPACT}protect_first_messages", "protected head"),
    (f"{_COMPACT}fallback", "fallback"),
)
_PROFILE = (
    ("auxiliary_model", f"{_COMPACT}auxiliary_model", "auxiliary model"),
    ("manual_strategy", f"{_COMPACT}manual_strategy", "strategy"),
    ("threshold_percent", f"{_AUTO}threshold_percent", "threshold"),
    ("protect_first_messages", f"{_COMPACT}protect_first_messages", "protected head"),
)
_SCREEN = (
    ("ui.theme", "theme"),
    ("ui.mouse", "mouse"),
    ("ui.bell", "bell"),
    ("ui.show_reasoning", "reasoning"),
    ("permissions.mode", "permission mode"),
)
_STEPS = {"threshold_percent": 5, "input_token_threshold": 10_000}
AT_START = ("ui.mouse",)
"""Keys that the program reads at its start only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One setting. key: as config.edit takes it.

    value: what is set, None for inherit. inherited: what holds then. choices: what Left and
    Right go through, () for a number. least, most, step: of a number; most is None where
    there is no bound. is_slider: drawn with its whole range.
    """

    key: str
    label: str
    value: Any
    inherited: Any = None
    can_inherit: bool = False
    choices: tuple[Any, ...] = ()
    least: int = 0
    most: int | None = None
    step: int = 1
    is_slider: bool = False
    doc: str = ""
    allowed: str = ""

    def moved(self, steps: int) -> Any:
        """The value so many steps on: round the choices, along the numbers by whole steps."""
        if self.choices:
            at = self.choices.index(self.value) if self.value in self.choices else -1
            return self.choices[(at + steps) % len(self.choices)]
        now = self.value if self.value is not None else self.inherited
        wanted = now + self.step * steps
        if now % self.step:  # 72 goes to 75 or 70, not to 77
            wanted = (now // self.step + (steps > 0)) * self.step
        top = wanted if self.most is None else min(wanted, self.most)
        return max(self.least, top)


@dataclass(frozen=True, slots=True)
class Scope:
    """One tab: a title, its fields, and words where there are none."""

    title: str
    fields: tuple[Field, ...]
    words: str = ""


def scopes(config: Config) -> list[Scope]:
    """The configuration, each profile (@name), the models, the screen."""
    made = [Scope("Configuration", tuple(_plain(config, *row) for row in _CONFIGURATION))]
    for agent in config.agents:
        rows = tuple(_of_profile(config, agent, *row) for row in _PROFILE)
        made.append(Scope(f"@{agent.name}", rows))
    models = tuple(_of_model(model) for model in config.models)
    none = "No model is named in config.yaml: `neocode config init` writes a first one."
    made.append(Scope("Models", models, "" if models else none))
    made.append(Scope("Screen", tuple(_plain(config, *row) for row in _SCREEN)))
    return made


def value_at(config: object, key: str) -> Any:
    """The value of a dotted key; entries of lists by their names, which may hold dots."""
    if not key:
        return config
    if isinstance(config, Sequence) and not isinstance(config, str):
        named = [entry for entry in config if key.startswith(f"{entry.name}.")]
        entry = max(named, key=lambda entry: len(entry.name), default=None)
        return None if entry is None else value_at(entry, key[len(entry.name) + 1 :])
    head, _, rest = key.partition(".")
    return value_at(getattr(config, head), rest)


def words_of(value: Any) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(config: Config, key: str, label: str) -> Field:
    is_model = key.endswith("auxiliary_model")
    return _field(key, key, label, value_at(config, key), config, can_inherit=is_model)


def _of_profile(config: Config, agent: AgentConfig, name: str, above: str, label: str) -> Field:
    key, path = f"agents.{agent.name}.{name}", f"agents[].{name}"
    value, inherited = getattr(agent, name), value_at(config, above)
    return _field(key, path, label, value, config, can_inherit=True, inherited=inherited)


def _of_model(model: ModelConfig) -> Field:
    key = f"models.{model.name}.auxiliary"
    doc = f"{model.id}: may be chosen to write summaries (auxiliary)."
    return Field(key=key, label=model.name, value=model.auxiliary, choices=(False, True), doc=doc)


def _field(
    key: str,
    path: str,
    label: str,
    value: Any,
    config: Config,
    *,
    can_inherit: bool = False,
    inherited: Any = None,
) -> Field:
    known = all_keys()[path]
    spec = known.spec
    if not isinstance(spec, Scalar):
        raise TypeError(f"{path} is not one value")
    choices = _choices(spec, path, value, config)
    if can_inherit and choices:
        choices = (None, *choices)
    name = path.rpartition(".")[2]
    return Field(
        key=key,
        label=label,
        value=value,
        inherited=inherited,
        can_inherit=can_inherit,
        choices=choices,
        least=int(spec.least or 0),
        most=None if spec.most is None else int(spec.most),
        step=_STEPS.get(name, 1),
        is_slider=name == "threshold_percent",
        doc=known.doc,
        allowed=allowed(spec),
    )


def _choices(spec: Scalar, path: str, value: Any, config: Config) -> tuple[Any, ...]:
    if path.endswith("auxiliary_model"):
        marked = [model.name for model in config.models if model.auxiliary]
        return tuple(dict.fromkeys([*marked, *([value] if value else [])]))
    if spec.kind == "flag":
        return (False, True)
    return spec.choices


def overlay(config: Config, pending: Iterable[tuple[str, Any]]) -> Config:
    """The configuration with values that are saved but not yet in force."""
    for key, value in pending:
        config = _with(config, key, value)
    return config


def _with(node: Any, key: str, value: Any) -> Any:
    if isinstance(node, tuple):
        named = [entry for entry in node if key.startswith(f"{entry.name}.")]
        entry = max(named, key=lambda entry: len(entry.name), default=None)
        if entry is None:
            return node
        changed = _with(entry, key[len(entry.name) + 1 :], value)
        return tuple(changed if other is entry else other for other in node)
    head, _, rest = key.partition(".")
    if not is_dataclass(node) or isinstance(node, type):
        return node
    inner = _with(getattr(node, head), rest, value) if rest else value
    if inner is None and not rest:  # removed: what the schema says holds again
        inner = next(f.default for f in fields(node) if f.name == head)
    return type(node)(**{f.name: getattr(node, f.name) for f in fields(node)} | {head: inner})

"""The configuration in force: read again at the next run when a file changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from neocode.config.profiles import for_agent
from neocode.config.schema import Config, Mode
from neocode.domain.errors import ConfigError, PermanentError
from neocode.domain.model import ModelInfo

NO_MODEL_HINT = "`neocode models` shows what is usable; `neocode config init` sets one up."


@dataclass(slots=True)
class Settings:
    """What the user chose: files, command line, and changes made while running.

    base: the configuration without an agent profile.
    reload: the new configuration when a file changed, None when none did; raises
        ConfigError when it cannot be used, and then the old one stays in force.
    resolve: every usable model of a configuration, keys expanded.
    find: the model of a name, or the first there is for None; raises ConfigError that says
        why it cannot be asked (an unset variable, B55). None when there is none at all.
    windows: windows learned from refusals, by model id, in tokens; they win over guesses.
    """

    base: Config
    config_file: Path
    reload: Callable[[], Config | None]
    resolve: Callable[[Config], Sequence[ModelInfo]]
    find: Callable[[Config, str | None], ModelInfo | None]
    agent: str = ""
    chosen_model: str | None = None
    chosen_mode: Mode | None = None
    windows: dict[str, int] = field(default_factory=dict)
    models: Sequence[ModelInfo] = ()
    config: Config = field(default_factory=Config)

    def __post_init__(self) -> None:
        self._apply()

    def refresh(self) -> bool:
        """Read changed files; true when something changed. Raises ConfigError."""
        fresh = self.reload()
        if fresh is None:
            return False
        self.base = fresh
        self._apply()
        return True

    def choose_agent(self, name: str) -> None:
        """Another agent profile, "" for none; raises ConfigError when unknown."""
        for_agent(self.base, name)
        self.agent = name
        self.chosen_model = self.chosen_mode = None
        self._apply()

    def choose_model(self, name: str) -> None:
        """Another model by name, or by its id; raises ConfigError when it cannot be asked."""
        found = self._named(name) or self.find(self.config, name)
        if found is not None and self._named(found.name) is None:
            self.models = (*self.models, found)
        self.chosen_model = found.name if found else name

    @contextmanager
    def overridden(self, model: str, mode: Mode | None) -> Iterator[None]:
        """Another model ("": none) or mode while the block runs; ConfigError when unknown.

        What the user chooses meanwhile stays.
        """
        before = (self.chosen_model, self.chosen_mode)
        if model:
            self.choose_model(model)
        self.chosen_mode = mode or self.chosen_mode
        during = (self.chosen_model, self.chosen_mode)
        try:
            yield
        finally:
            if self.chosen_model == during[0]:
                self.chosen_model = before[0]
            if self.chosen_mode == during[1]:
                self.chosen_mode = before[1]

    @property
    def mode(self) -> Mode:
        """The permission mode: as chosen, else as configured."""
        return self.chosen_mode or self.config.permissions.mode

    @property
    def model(self) -> ModelInfo | None:
        """The model that answers: chosen, configured, or the first usable."""
        wanted = self.chosen_model or self.config.model
        found = self._named(wanted) if wanted else next(iter(self.models), None)
        return None if found is None else self._with_window(found)

    def need_model(self) -> ModelInfo:
        """The model that answers; raises PermanentError "no_model" when there is none."""
        model = self.model
        if model is None:
            why, hint = "No model is set up.", NO_MODEL_HINT
            try:
                self.find(self.config, self.chosen_model or self.config.model)
            except ConfigError as fault:
                why, hint = fault.message, fault.hint
            raise PermanentError(why, kind="no_model", hint=hint)
        return model

    def _named(self, name: str) -> ModelInfo | None:
        return next((model for model in self.models if model.name == name), None)

    def _with_window(self, model: ModelInfo) -> ModelInfo:
        learned = self.windows.get(model.id)
        if learned is None or model.window_source == "config":
            return model
        return replace(model, window=learned, window_source="refusal")

    def _apply(self) -> None:
        self.config = for_agent(self.base, self.agent) if self.agent else self.base
        self.models = tuple(self.resolve(self.config))
        if self.chosen_model and self._named(self.chosen_model) is None:
            with suppress(ConfigError):  # said when it is asked
                self.choose_model(self.chosen_model)

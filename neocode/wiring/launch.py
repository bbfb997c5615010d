"""What a start asked for, and what it needs before an engine is built."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from neocode.config.load import Loaded, load_config
from neocode.config.paths import Paths, resolve_paths
from neocode.config.schema import Config
from neocode.config.trust import is_trusted
from neocode.domain.model import ModelInfo
from neocode.permissions.configured import check_rules
from neocode.provider.base import Provider
from neocode.runtime.run import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What the command line asked for.

    session: an id or its beginning; latest: the newest session of this folder.
    must_exist: without a session to go on with, fail instead of beginning one; also where
        another program has it and only a copy could be opened.
    read_only: nothing will be written, so another program may have the session.
    interactive: somebody can be asked. root: the project folder, the current one if None.
    provider: answers instead of litellm, for tests and demonstrations.
    """

    model: str | None = None
    agent: str | None = None
    mode: str | None = None
    session: str | None = None
    latest: bool = False
    must_exist: bool = False
    read_only: bool = False
    interactive: bool = True
    limits: Limits = field(default_factory=Limits)
    root: Path | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    provider: Provider | None = None


def load_settings(root: Path, environ: Mapping[str, str] = os.environ) -> tuple[Loaded, Paths]:
    """The configuration in force in a folder; raises ConfigError."""
    paths = resolve_paths(environ)
    loaded = load_config(paths, root, environ, {}, is_trusted(paths, root))
    check_rules(loaded.config.permissions, loaded.origins)
    return loaded, paths


def usable_models(
    config: Config, paths: Paths, environ: Mapping[str, str] = os.environ
) -> Sequence[ModelInfo]:
    """Every model that could be asked now, configured ones first, what is known filled in."""
    from neocode.provider.catalogue.facts import from_bundle
    from neocode.provider.catalogue.local_servers import with_server_window
    from neocode.provider.models import resolve_models

    found = resolve_models(config, environ, paths.cache / "models")
    return [from_bundle(with_server_window(model)) for model in found]


def find_model(
    config: Config, paths: Paths, environ: Mapping[str, str], name: str | None
) -> ModelInfo | None:
    """The model of a name, what is known filled in; raises ConfigError that says what lacks."""
    from neocode.provider.catalogue.facts import from_bundle
    from neocode.provider.models import pick

    found = pick(config, environ, paths.cache / "models", name, look=False)
    return None if found is None else from_bundle(found)


def real_provider(environ: Mapping[str, str]) -> Provider:
    """The real one; litellm starts to load in a thread at once."""
    from neocode.provider.embedded import EmbeddedAware
    from neocode.provider.litellm_provider import LiteLLMProvider, start_loading

    paths = resolve_paths(environ)
    log = paths.logs / "litellm.log"
    start_loading(log)
    return EmbeddedAware(LiteLLMProvider(environ, log), paths.cache / "models", log)

"""Variables in api_key and api_base (field report B55): one path for every model call.

$NAME, ${NAME} and ${NAME:-default}; what comes out is not expanded again. A dollar
sign that begins none of these stands for itself. Saving keeps the placeholder, since
only these functions expand and their result is never written.
"""

import re
from collections.abc import Mapping

from neocode.config.schema import ModelConfig
from neocode.domain.errors import ConfigError

_VARIABLE = re.compile(r"\$(?:\{(?P<braced>[^{}]*)(?P<close>\}?)|(?P<bare>[A-Za-z_]\w*))")
_BRACED = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?::-(?P<default>[^$]*))?", re.ASCII)
NO_KEY = "none"


def resolve_key(model: ModelConfig, environ: Mapping[str, str]) -> str | None:
    """The key to send, or None: for `api_key: none`, and when the entry names no key.

    Call it when the model is about to be used. Raises ConfigError that names the
    variable when it is not set or blank. Blanks around the key are taken off.
    """
    where = f"models.{model.name}"
    if model.api_key_env is not None and model.api_key_env.strip():
        name = model.api_key_env.strip().removeprefix("$").strip("{}")
        return _variable(name, f"{where}.api_key_env", environ)
    if model.api_key is None or model.api_key.strip().lower() in ("", NO_KEY):
        return None
    return _expanded(model.api_key, f"{where}.api_key", environ)


def resolve_base(model: ModelConfig, environ: Mapping[str, str]) -> str | None:
    """The server's address with its variables filled in; None for the provider's own.

    Raises ConfigError as resolve_key does.
    """
    if model.api_base is None or not model.api_base.strip():
        return None
    return _expanded(model.api_base, f"models.{model.name}.api_base", environ)


def wants_no_key(model: ModelConfig) -> bool:
    """True for `api_key: none`: no key is sent, not even one the environment holds."""
    return model.api_key is not None and model.api_key.strip().lower() == NO_KEY


def _expanded(text: str, where: str, environ: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        bare = match["bare"]
        if bare is not None:
            return _variable(bare, where, environ)
        inner = _BRACED.fullmatch(match["braced"])
        if not match["close"] or inner is None:
            raise ConfigError(
                f"{where} holds a placeholder that cannot be read.",
                hint="Write ${NAME}, $NAME or ${NAME:-default}, with the braces closed.",
            )
        default = inner["default"]
        if default is not None and not environ.get(inner["name"], "").strip():
            return default.strip()
        return _variable(inner["name"], where, environ)

    whole = _VARIABLE.sub(value, text.strip()).strip()
    if not whole:
        raise ConfigError(f"{where} is empty once its variables are filled in.", hint=_hint(where))
    return whole


def _variable(name: str, where: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name, "").strip()
    if not value:
        state = "is empty" if name in environ else "is not set"
        raise ConfigError(
            f"The variable {name}, which {where} names, {state}.",
            hint=f"Set it, as in: export {name}=..., or choose another model.",
        )
    return value


def _hint(where: str) -> str:
    return f"Set the variable that {where} names, or write its value there."

"""Values that are keys, as far as we can know: to be masked in whatever leaves the program."""

from collections.abc import Iterable, Mapping

_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_LEAST_CHARS = 8


def secret_values(environ: Mapping[str, str], keys: Iterable[str | None] = ()) -> tuple[str, ...]:
    """Values of the environment's variables that are named like keys, and these keys."""
    values = [value for name, value in environ.items() if name.upper().endswith(_SECRET_NAMES)]
    values += [key for key in keys if key and key != "none"]
    return tuple({value for value in values if len(value) >= _LEAST_CHARS})

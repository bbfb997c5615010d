"""Variables in api_key and api_base (field report B55)."""

import pytest

from neocode.config.expand import resolve_base, resolve_key, wants_no_key
from neocode.config.schema import ModelConfig
from neocode.domain.errors import ConfigError


def model(
    *, api_key: str | None = None, api_key_env: str | None = None, api_base: str | None = None
) -> ModelConfig:
    return ModelConfig(
        name="lab", id="x/y", api_key=api_key, api_key_env=api_key_env, api_base=api_base
    )


@pytest.mark.parametrize(
    ("written", "environ", "sent"),
    [
        ("${KEY}", {"KEY": "sk-1"}, "sk-1"),
        ("$KEY", {"KEY": "sk-1"}, "sk-1"),
        ("  ${KEY}\n", {"KEY": " sk-1 \n"}, "sk-1"),
        ("${KEY:-x}", {"KEY": "sk-1"}, "sk-1"),
        ("${KEY:-x}", {}, "x"),
        ("${KEY:-x}", {"KEY": " "}, "x"),
        ("${KEY}", {"KEY": "a$OTHER${OTHER}", "OTHER": "no"}, "a$OTHER${OTHER}"),
        ("pre-${A}-${B}", {"A": "1", "B": "2"}, "pre-1-2"),
        ("sk-literal", {}, "sk-literal"),
        ("cost$5", {}, "cost$5"),
    ],
)
def test_a_placeholder_is_expanded_once(written: str, environ: dict[str, str], sent: str) -> None:
    """B55: set, defaulted, blanks around, a dollar sign in the value."""
    assert resolve_key(model(api_key=written), environ) == sent
    assert resolve_base(model(api_base=written), environ) == sent


@pytest.mark.parametrize("written", ["${KEY}", "$KEY", "x${KEY}"])
@pytest.mark.parametrize("environ", [{}, {"KEY": ""}, {"KEY": "  "}])
def test_a_missing_variable_is_named_before_any_request(
    written: str, environ: dict[str, str]
) -> None:
    """B55: unset or empty is a message that names the variable."""
    with pytest.raises(
        ConfigError, match=r"The variable KEY, which models\.lab\.api_key names, is"
    ):
        resolve_key(model(api_key=written), environ)


def test_api_key_env_goes_the_same_way() -> None:
    assert resolve_key(model(api_key_env="KEY"), {"KEY": " sk "}) == "sk"
    with pytest.raises(ConfigError, match=r"The variable KEY, which models\.lab\.api_key_env"):
        resolve_key(model(api_key_env="KEY"), {})


@pytest.mark.parametrize("written", ["${KEY", "${}", "${1A}", "${A:-${B}", "${A?no}", "${KEY:-}"])
def test_what_cannot_be_read_is_never_sent_as_it_stands(written: str) -> None:
    """B55: the text of the placeholder never goes out as the key."""
    with pytest.raises(ConfigError):
        resolve_key(model(api_key=written), {})


def test_none_means_no_key() -> None:
    assert resolve_key(model(api_key="none"), {}) is None
    assert wants_no_key(model(api_key=" None "))
    assert resolve_key(model(), {}) is None
    assert not wants_no_key(model())
    assert resolve_base(model(), {}) is None

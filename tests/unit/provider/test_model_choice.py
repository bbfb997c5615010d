"""Which model is used, and what is known about it."""

from pathlib import Path

import pytest

from neocode.config.schema import Config, ModelConfig, PriceConfig
from neocode.domain.errors import ConfigError
from neocode.domain.model import DEFAULT_WINDOW, ModelInfo
from neocode.domain.usage import Price
from neocode.provider.catalogue.facts import from_bundle, is_loopback, with_facts
from neocode.provider.catalogue.local_servers import find_local_models, with_server_window
from neocode.provider.catalogue.table import facts_of
from neocode.provider.models import DEFAULTS, describe, info_of, pick, resolve_models, survey
from neocode.provider.refusal.numbers import learned_window
from tests.http_server import LlmServer

NOWHERE = Path("/nonexistent")
SONNET = ModelConfig(name="sonnet", id="anthropic/claude-sonnet-4-5", api_key_env="THE_KEY")


def config(*models: ModelConfig, model: str | None = None) -> Config:
    return Config(models=models, model=model)


def test_without_configuration_the_first_key_decides() -> None:
    environ = {"GEMINI_API_KEY": " g ", "OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": " "}
    info = pick(config(), environ, NOWHERE, look=False)
    assert info is not None
    assert (info.id, info.api_key) == (DEFAULTS["OPENAI_API_KEY"], "o")
    assert info.window > DEFAULT_WINDOW
    assert [m.api_key for m in resolve_models(config(), environ, NOWHERE, look=False)] == ["o", "g"]


def test_without_anything_there_is_no_model() -> None:
    assert pick(config(), {}, NOWHERE, look=False) is None


def test_every_default_is_known() -> None:
    for variable, model_id in DEFAULTS.items():
        assert facts_of(model_id) or variable == "OPENROUTER_API_KEY"


def test_a_missing_key_names_its_variable_before_any_request() -> None:
    """B55."""
    with pytest.raises(ConfigError, match="THE_KEY"):
        pick(config(SONNET), {}, NOWHERE, look=False)
    (entry,) = survey(config(SONNET), {"THE_KEY": ""}, NOWHERE, look=False)
    assert entry.key == "missing"
    assert "THE_KEY" in entry.problem
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        info_of(ModelConfig(name="s", id="anthropic/claude-sonnet-5"), {})


def test_the_key_is_expanded_once() -> None:
    """B55: a dollar sign in the value stays."""
    model = ModelConfig(name="s", id="openai/x", api_key="${K}")
    assert info_of(model, {"K": " a$b "}).api_key == "a$b"


def test_a_server_without_keys_gets_none_from_the_environment() -> None:
    model = ModelConfig(name="lab", id="openai/x", api_base="http://127.0.0.1:1/v1")
    assert info_of(model, {"OPENAI_API_KEY": "secret"}).api_key is None


def test_the_users_window_stands_above_the_catalogue() -> None:
    """B25: 32768 in the configuration, a million in the catalogue."""
    model = ModelConfig(name="m", id="openai/gpt-4.1", context_window=32768)
    info = from_bundle(describe(model))
    assert (info.window, info.window_source) == (32768, "config")
    unknown = describe(ModelConfig(name="u", id="openai/own-name"))
    assert (unknown.window, unknown.window_source) == (DEFAULT_WINDOW, "default")


def test_a_known_name_on_this_machine_is_not_the_known_model() -> None:
    """B25: the catalogue says 128k, the server may say anything."""
    model = ModelConfig(name="lab", id="openai/gpt-4o", api_base="http://localhost:8080/v1")
    info = from_bundle(describe(model))
    assert info.window_source == "default"
    assert info.price is None


def test_a_limit_that_cannot_be_a_window_is_not_learned() -> None:
    assert learned_window(3) is None
    assert learned_window(None) is None
    assert learned_window(32768) == 32768


def test_prices_come_from_the_configuration_first_and_zero_is_not_guessed() -> None:
    """B60: an unknown price is None, never zero."""
    own = ModelConfig(name="m", id="openai/gpt-4o", price=PriceConfig(input=1, output=2))
    assert describe(own).price == Price(input=1, output=2)
    assert describe(ModelConfig(name="m", id="openai/unknown")).price is None
    bare = ModelInfo(name="x", id="y")
    assert with_facts(bare, {"input_cost_per_token": 0, "output_cost_per_token": 0}).price is None


def test_a_name_that_is_not_there_gets_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        pick(config(SONNET), {"THE_KEY": "k"}, NOWHERE, "sonet", look=False)
    assert "sonnet" in caught.value.hint


def test_a_litellm_id_can_be_named_directly() -> None:
    info = pick(config(), {"MISTRAL_API_KEY": "k"}, NOWHERE, "mistral/codestral-latest", look=False)
    assert info is not None
    assert (info.id, info.api_key) == ("mistral/codestral-latest", "k")


def test_the_embedded_model_that_is_not_there_says_how_to_get_it() -> None:
    with pytest.raises(ConfigError) as caught:
        pick(config(), {}, NOWHERE, "embedded", look=False)
    assert "neocode models install qwen-1.5b" in caught.value.hint


def test_a_llama_cpp_server_is_found_with_its_window() -> None:
    with LlmServer(models=("qwen",)) as server:
        server.props = {"default_generation_settings": {"n_ctx": 16384}}
        (found,) = find_local_models({}, {"llama.cpp": server.port})
        assert (found.id, found.window, found.window_source) == ("openai/qwen", 16384, "server")
        assert found.api_base == server.url
        asked = with_server_window(ModelInfo(name="x", id="openai/qwen", api_base=server.url))
        assert (asked.window, asked.window_source) == (16384, "server")


def test_ollama_without_a_told_window_is_taken_for_small() -> None:
    """It cuts longer prompts silently, so the catalogue's figure would be a lie."""
    with LlmServer(models=("llama", "nomic-embed-text")) as server:
        (found,) = find_local_models({}, {"ollama": server.port})
        assert (found.id, found.window) == ("openai/llama", 4096)
        (told,) = find_local_models({"OLLAMA_CONTEXT_LENGTH": "16000"}, {"ollama": server.port})
        assert told.window == 16000


def test_a_port_nobody_listens_on_finds_nothing() -> None:
    with LlmServer() as server:
        port = server.port
    assert find_local_models({}, {"lmstudio": port}) == []


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1/v1", True),
        ("https://api.example.com/127.0.0.1", False),
        (None, False),
    ],
)
def test_what_is_this_machine(address: str | None, here: bool) -> None:
    assert is_loopback(address) is here

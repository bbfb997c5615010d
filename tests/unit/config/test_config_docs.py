"""config.example.yaml, docs/configuration.md and the JSON Schema follow the schema."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from neocode.config.build import to_plain
from neocode.config.example import STARTER, example
from neocode.config.jsonschema_out import json_schema
from neocode.config.schema import Config
from neocode.config.spec import Many, Section, all_keys, allowed
from neocode.config.splice import inline
from tests.unit.config.config_builders import load

ROOT = Path(__file__).parents[3]
EXAMPLE = (ROOT / "config.example.yaml").read_text()
DOCS = (ROOT / "docs" / "configuration.md").read_text()


def uncommented(text: str) -> str:
    """The examples switched on: `#   - name` is `  - name`; the empty list above goes."""
    text = re.sub(r"^(\w+): \[\]\n# \1:$", r"\1:", text, flags=re.MULTILINE)
    return re.sub(r"^#( {3}.*)$", r"\1", text, flags=re.MULTILINE)


def test_the_example_is_the_schema_with_its_defaults(tmp_path: Path) -> None:
    assert example() == EXAMPLE
    loaded = load(tmp_path, EXAMPLE)
    assert loaded.config == Config()
    given = {key for key, origin in loaded.origins.items() if origin.kind == "user"}
    assert given == set(loaded.origins)


def test_the_example_shows_every_key_with_a_line_of_comment() -> None:
    for path, key in all_keys().items():
        name = path.rpartition(".")[2].removesuffix("[]")
        line = next(line for line in EXAMPLE.splitlines() if re.search(rf"\b{name}: ?", line))
        assert line
        if "[]" not in path or "price." not in path:
            assert f"# {key.doc}" in EXAMPLE


def test_the_examples_of_entries_are_valid(tmp_path: Path) -> None:
    config = load(tmp_path, uncommented(EXAMPLE)).config
    assert [model.name for model in config.models] == ["sonnet", "lab"]
    shown = [set(yaml.safe_load(uncommented(EXAMPLE))[name][0]) for name in ("agents",)]
    assert shown == [{path[9:] for path in all_keys() if path.startswith("agents[].")}]


def test_the_starter_is_valid_as_it_is_and_switched_on(tmp_path: Path) -> None:
    assert load(tmp_path, STARTER).config == Config()
    on = re.sub(r"^# (?=[a-z]+:|  )", "", STARTER, flags=re.MULTILINE)
    config = load(tmp_path, on).config
    assert (config.model, len(config.models)) == ("sonnet", 2)
    assert config.context.auto_compact.enabled


def test_the_docs_table_is_the_schema() -> None:
    rows = []
    for path, key in all_keys().items():
        spec = key.spec
        if isinstance(spec, Section) or (isinstance(spec, Many) and isinstance(spec.item, Section)):
            continue
        default = "required" if key.required else inline(to_plain(key.default))
        rows.append(f"| `{path}` | {allowed(spec)} | `{default}` | {key.doc} |")
    assert DOCS[DOCS.index("| `model` |") :].splitlines() == rows


def test_the_examples_of_the_docs_load(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", DOCS, flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        assert load(tmp_path, block).config.model


def test_the_json_schema_takes_what_the_loader_takes() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for text in (EXAMPLE, uncommented(EXAMPLE)):
        jsonschema.validate(yaml.safe_load(text), schema)
    jsonschema.validate(to_plain(Config()), schema)


@pytest.mark.parametrize(
    "wrong",
    [
        {"modl": "a"},
        {"models": [{"name": "a"}]},
        {"models": [{"name": "", "id": "b"}]},
        {"context": {"auto_compact": {"threshold_percent": 29}}},
        {"ui": {"theme": "pink"}},
        {"ui": {"mouse": 1}},
        {"agents": [{"name": "a", "mode": "all"}]},
    ],
)
def test_the_json_schema_refuses_what_the_loader_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, json_schema())

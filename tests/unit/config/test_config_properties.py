"""Rules with corners: edits keep other lines, valid configurations come back, garbage is named."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.config.build import to_plain
from neocode.config.edit import set_value
from neocode.config.expand import resolve_key
from neocode.config.problems import InvalidConfig
from neocode.config.schema import ModelConfig
from neocode.config.spec import Many, Scalar, Section, root_spec
from neocode.domain.errors import ConfigError
from tests.unit.config.config_builders import faults, load

QUICK = settings(max_examples=80, deadline=None)
TIED = ("api_key_env", "summary_min_tokens", "summary_max_tokens")
"""Keys whose values depend on one another; their rules have tests of their own."""
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029"))
printable = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=20)


def scalars(spec: Scalar) -> st.SearchStrategy[Any]:
    made: st.SearchStrategy[Any]
    if spec.choices:
        made = st.sampled_from(spec.choices)
    elif spec.kind == "text":
        made = printable
    elif spec.kind == "flag":
        made = st.booleans()
    elif spec.kind == "whole":
        least, most = int(spec.least or 0), int(spec.most or 10**9)
        made = st.integers(least, most)
    else:
        made = st.floats(spec.least or 0, spec.most or 1e9, allow_subnormal=False)
    return st.none() | made if spec.optional else made


def sections(section: Section, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    needed = {k.name: name for k in section.keys.values() if k.required}
    free = {
        key.name: values(key.spec, depth)
        for key in section.keys.values()
        if not key.required and key.name not in TIED
    }
    return st.fixed_dictionaries(dict(needed), optional=free)


def values(spec: Any, depth: int) -> st.SearchStrategy[Any]:
    if isinstance(spec, Section):
        return sections(spec, depth + 1)
    if isinstance(spec, Many):
        if isinstance(spec.item, Section):
            return st.lists(sections(spec.item), max_size=3, unique_by=lambda item: item["name"])
        return st.lists(printable, max_size=3)
    return scalars(spec)


name = printable.filter(lambda word: bool(word.strip()))


def referring(data: dict[str, Any]) -> dict[str, Any]:
    """Names of models made to name one that is there."""
    names = [model["name"] for model in data.get("models") or []]
    if not names:
        return data
    compact = (data.get("context") or {}).get("compact") or {}
    for holder, keys in [
        (data, ["model"]),
        (compact, ["auxiliary_model"]),
        *((agent, ["model", "auxiliary_model"]) for agent in data.get("agents") or []),
    ]:
        for key in keys:
            if holder.get(key) is not None:
                holder[key] = names[0]
    return data


configs = sections(root_spec()).map(referring)


def within(small: Any, large: Any) -> bool:
    """Everything the file said is in the configuration."""
    if isinstance(small, dict):
        return all(within(value, large[key]) for key, value in small.items())
    if isinstance(small, list):
        return len(small) == len(large) and all(map(within, small, large))
    return bool(small == large) and (small is None) == (large is None)


@QUICK
@given(configs, st.booleans())
def test_a_valid_configuration_comes_back_whole(data: dict[str, Any], flow: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dumped = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, width=60)
        config = load(Path(folder), dumped).config
        assert within({k: v for k, v in data.items() if v != {}}, to_plain(config))
        again = yaml.safe_dump(to_plain(config), sort_keys=False)
        assert load(Path(folder), again).config == config


@QUICK
@given(text | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_any_text_loads_or_is_named(words: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert all(problem.message for problem in faults(Path(folder), words))


@QUICK
@given(st.binary())
def test_any_bytes_load_or_are_named(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert all(problem.message for problem in faults(Path(folder), raw))


tokens = st.sampled_from(
    [*"[]{}:,-?&*!|>'\"%@`#~ \n\t", ": ", "- ", "\n  ", "<<: ", "*a", "&a ", "model", "models",
     "context", "compact", "name", "null", "1", "true", "permissions", "allow", "!!int "]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(tokens, max_size=30).map("".join))
def test_text_that_looks_like_yaml_loads_or_is_named(words: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert all(problem.message for problem in faults(Path(folder), words))


KEYS = [
    ("model", printable.filter(str.strip)),
    ("retry.max_attempts", st.integers(1, 50)),
    ("context.auto_compact.enabled", st.booleans()),
    ("context.compact.summary_ratio", st.floats(0.01, 0.9)),
    ("ui.theme", st.sampled_from(["dark", "light"])),
    ("models.lab.context_window", st.integers(1024, 10**6)),
    ("agents.a.instructions", printable),
]
changes = st.one_of(*(st.tuples(st.just(key), strategy | st.none()) for key, strategy in KEYS))
BASE = [
    "# head",
    "model: lab  # mine",
    "models:",
    "  - name: lab",
    "    # two",
    "    id: a/b",
    "  - {name: other, id: c/d }",
    "",
    "context:",
    "    auto_compact:",
    "        enabled: false # off",
    "        max_per_run:   2",
    "ui: { theme:  ansi }",
    "agents: [ {name: a}, ]",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(changes, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_an_edit_keeps_every_other_line(edits: list[tuple[str, Any]], newline: str) -> None:
    """Each edit changes at most one line or adds or takes a few; the others stay in order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_bytes((newline.join(BASE) + newline).encode())
        for key, value in edits:
            before = path.read_bytes().decode().split(newline)
            try:
                set_value(path, key, value)
            except InvalidConfig:  # such as a model that is not configured
                assert path.read_bytes().decode().split(newline) == before
                continue
            after = path.read_bytes().decode().split(newline)
            leaf = key.rpartition(".")[2]
            sections = ("context:", "compact:", "auto_compact:", "retry:", "ui:")
            gone = [line for line in before if line not in after]
            assert all(
                leaf in line or line.strip() in sections or "agents" in line for line in gone
            )
            kept = [line for line in before if line in after]
            remaining = iter(after)
            assert all(line in remaining for line in kept)


@QUICK
@given(text, st.dictionaries(st.sampled_from(["A", "KEY"]), text))
def test_a_key_is_never_sent_with_a_readable_placeholder_in_it(
    written: str, environ: dict[str, str]
) -> None:
    """B55: whatever is written, it is a key, no key, or a message."""
    with contextlib.suppress(ConfigError):
        key = resolve_key(ModelConfig(name="m", id="x/y", api_key=written + "${KEY}"), environ)
        assert key is not None
        assert key.endswith(environ["KEY"].strip())

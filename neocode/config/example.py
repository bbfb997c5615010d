"""config.example.yaml and the file that `config init` writes, made from the schema.

python -m neocode.config.example > config.example.yaml
"""

from collections.abc import Iterator
from typing import Any

from neocode.config.build import to_plain
from neocode.config.spec import Key, Many, Section, allowed, root_spec
from neocode.config.splice import inline

_HEAD = """\
# NeoCode: every key with its default. Made by: python -m neocode.config.example
# Where your own file is: neocode config path     Test it: neocode config check
# What a key means: docs/configuration.md         One change: neocode config set KEY VALUE
"""

STARTER = """\
# NeoCode's configuration. Take the # away from what you need; what is left out has its
# default. All keys: neocode config show     Test this file: neocode config check

# The model to use, by its name below. Without any, the first key in the environment counts.
# model: sonnet

# models:
#   - name: sonnet                      # what you call it
#     id: anthropic/claude-sonnet-4-5   # what litellm calls it
#     api_key_env: ANTHROPIC_API_KEY    # the variable that holds the key
#   - name: local
#     id: openai/qwen3-coder            # any server that speaks OpenAI's language
#     api_base: http://127.0.0.1:8080/v1
#     api_key: none
#     context_window: 32768

# Compact the conversation by itself before the window is full.
# context:
#   auto_compact:
#     enabled: true
#     trigger: context_window

# What may run without a question.
# permissions:
#   mode: ask
#   allow: ["bash(git status)"]
#   deny: ["read(**/.env)"]
"""

_EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "models": [
        {
            "name": "sonnet",
            "id": "anthropic/claude-sonnet-4-5",
            "api_key_env": "ANTHROPIC_API_KEY",
            "auxiliary": True,
        },
        {
            "name": "lab",
            "id": "openai/qwen3-coder",
            "api_base": "http://127.0.0.1:8080/v1",
            "api_key": "none",
            "context_window": 32768,
            "max_output_tokens": 4096,
            "vision": False,
            "price": {"input": 0, "output": 0, "cached_input": 0, "cache_write": 0},
        },
    ],
    "agents": [
        {
            "name": "reviewer",
            "model": "sonnet",
            "mode": "plan",
            "instructions": "Review only; change nothing.",
            "auxiliary_model": "lab",
            "manual_strategy": "full_replace",
            "threshold_percent": 60,
            "protect_first_messages": 2,
        }
    ],
}


def example() -> str:
    """The text of config.example.yaml."""
    return _HEAD + "\n".join(_lines(root_spec(), 0)) + "\n"


def _lines(section: Section, depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key in section.keys.values():
        if not depth:
            yield ""
        yield f"{indent}# {_comment(key)}"
        if isinstance(key.spec, Section):
            yield f"{indent}{key.name}:"
            yield from _lines(key.spec, depth + 1)
            continue
        yield f"{indent}{key.name}: {inline(to_plain(key.default))}"
        if isinstance(key.spec, Many) and isinstance(key.spec.item, Section):
            yield f"# {key.name}:"
            for entry in _EXAMPLES[key.name]:
                yield from _entry(key.spec.item, entry)


def _entry(section: Section, entry: dict[str, Any]) -> Iterator[str]:
    """A commented-out example; the comment of a key follows on its line."""
    for index, (name, value) in enumerate(entry.items()):
        mark = "- " if not index else "  "
        yield f"#   {mark}{name + ': ' + inline(value):<44} # {_comment(section.keys[name])}"


def _comment(key: Key) -> str:
    """The schema's line, and the bounds of a number."""
    words = allowed(key.spec).removesuffix(", or null")
    for noun in ("a whole number ", "a number "):
        if words.startswith(noun):
            return f"{key.doc} ({words.removeprefix(noun).removeprefix('of ')})"
    return key.doc


if __name__ == "__main__":
    print(example(), end="")

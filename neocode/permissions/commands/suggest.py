"""The rule that "always" would write for a command, and what such a rule lets in."""

import re
import shlex
from collections.abc import Sequence

from neocode.permissions.commands.interpreters import INTERPRETERS, SHELLS
from neocode.permissions.commands.wrappers import is_wrapper
from neocode.permissions.rules import Rule, RuleError, parse_rule
from neocode.permissions.shell.words import Word

_NEVER = frozenset({"rm", "rmdir", "unlink", "shred", "dd", "truncate", "mv", "chmod", "chown"})
_NEVER |= frozenset({"kill", "pkill", "killall", "export", "unset", "declare", "trap", "alias"})
_EXACT = frozenset(
    {
        "curl",
        "wget",
        "ssh",
        "scp",
        "rsync",
        "nc",
        "ncat",
        "cp",
        "tee",
        "ln",
        "install",
        "sed",
        "awk",
    }
    | {"find", "fd", "docker", "podman", "kubectl", "terraform", "psql", "mysql", "sqlite3", "tar"}
)
_WITH_VERB = frozenset(
    {"git", "cargo", "go", "pip", "pip3", "gh", "make", "just", "task", "brew", "apt", "dotnet"}
    | {"mvn", "gradle", "bundle", "rails", "mix", "composer", "helm", "systemctl", "conda", "deno"}
)
_WITH_TWO = frozenset({"npm", "yarn", "pnpm", "bun", "uv", "poetry", "pdm", "hatch", "pipenv"})
_MAX_CHARS = 160
_ANYTHING = frozenset({"make", "npm", "npx", "yarn", "pnpm", "bun", "just", "task", "awk", "vim"})


def suggest_command(words: Sequence[Word]) -> str:
    """The rule, as narrow as it is useful; "" when none is offered.

    Never for commands that delete; word for word for those that reach far.
    """
    front = 0
    while front < len(words) - 1 and re.match(r"[A-Za-z_]\w*=", words[front].text):
        front += 1
    if not words or not words[front].literal:
        return ""
    name = words[front].text.rsplit("/", 1)[-1]
    if name in _NEVER:
        return ""
    keep = _stem(name, words[front:])
    stem = words[: front + keep] if keep else words
    if not all(word.literal for word in stem):
        return ""
    body = " ".join(_quoted(word.text) for word in stem) + (" *" if keep else "")
    rule = f"bash({body})"
    if "\n" in rule or len(rule) > _MAX_CHARS:
        return ""
    try:
        parse_rule(rule)
    except RuleError:
        return ""
    return rule


def _stem(name: str, words: Sequence[Word]) -> int:
    """How many words the rule keeps before its "*"; 0: it is the exact command."""
    if name in _EXACT or name in SHELLS or is_wrapper(name):
        return 0
    if name in INTERPRETERS or name.rstrip("0123456789.") in INTERPRETERS:
        texts = [word.text for word in words[1:3]]
        if texts[:1] == ["-m"] and len(texts) == 2:
            return 3
        return 2 if texts and not texts[0].startswith("-") else 0
    if name in _WITH_VERB:
        return 2 if len(words) > 1 and not words[1].text.startswith("-") else 0
    if name in _WITH_TWO:
        plain = len(words) > 1 and not words[1].text.startswith("-")
        two = plain and len(words) > 2 and words[1].text in ("run", "exec", "x")
        return 3 if two else 2 if plain else 0
    return 1


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w@%+=:,./~^-]+", text) else shlex.quote(text)


def takes_anything(rule: Rule) -> bool:
    """True for "python *" and "*": whatever the arguments or the input are."""
    return any(token.any_words for token in rule.tokens[:2])


def rule_warning(rule: Rule) -> str:
    """What a rule lets in beyond its words: interpreters and shells allow everything."""
    if rule.subject != "bash":
        return ""
    if rule.tokens and rule.tokens[0].any_words:
        return "This rule allows every command."
    name = rule.pattern.split()[0].strip("'\"").rsplit("/", 1)[-1]
    base = name.rstrip("0123456789.")
    runs_any = name in INTERPRETERS | SHELLS | _ANYTHING or base in INTERPRETERS
    if not (runs_any or is_wrapper(name)):
        return ""
    if len(rule.tokens) == 1 or takes_anything(rule):
        return f"Careful: {name} runs any program it is given, so this rule allows everything."
    return ""

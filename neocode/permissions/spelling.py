"""The spellings of a command that rules are held against."""

import re

from neocode.permissions.commands.environment import calm_variable
from neocode.permissions.commands.git import read_git
from neocode.permissions.path_judge import denial
from neocode.permissions.rules import Rule, allows_command, matches_host, may_match_command
from neocode.permissions.shell.line import Part
from neocode.permissions.shell.words import Word, literal, make_word
from neocode.permissions.verdict import Policy, Verdict

_STANDARD = ("/bin/", "/usr/bin/", "/usr/local/bin/")


def denied_command(part: Part, policy: Policy) -> Verdict | None:
    """The refusal by a deny rule, a question where one may match, None where none does."""
    for rule in policy.deny:
        if rule.subject == "network" and any(matches_host(rule, host) for host in _hosts(part)):
            return denial(rule)
        for words in _spellings(part):
            if not may_match_command(rule, words):
                continue
            if all(word.literal for word in words) or allows_command(rule, words):
                return denial(rule)
            return Verdict(
                kind="deny" if policy.mode == "plan" else "ask",
                reason=f"It may be what the rule {rule.text} forbids: {shorten(part.source)}",
            )
    return None


def _hosts(part: Part) -> list[str]:
    """The hosts of the addresses among the arguments."""
    found = [re.match(r"\w+://(?:[^/@]*@)?([^/:?#]+)", word.text) for word in part.words]
    return [match.group(1) for match in found if match]


def _spellings(part: Part) -> list[tuple[Word, ...]]:
    """The ways to read the command: as written, by bare name, git without its options."""
    words = part.words
    if not words:
        return []
    found = [words]
    if "/" in words[0].text:
        found.append((literal(part.name), *words[1:]))
    if part.name == "git":
        call = read_git(words[1:])
        if call.sub:
            found.append((literal("git"), literal(call.sub), *call.args))
    return found


def spelled(part: Part) -> tuple[Word, ...]:
    """The words that rules are held against: variables in front that matter come first."""
    front = tuple(
        make_word([*literal(f"{name}=").pieces, *value.pieces])
        for name, value in part.assignments
        if not calm_variable(name)
    )
    first = part.words[0]
    if any(first.text == folder + part.name for folder in _STANDARD):
        first = literal(part.name)
    extra = _declared(part) if part.kind == "declare" else ()
    return (first, *extra) if extra else (*front, first, *part.words[1:])


def _declared(part: Part) -> tuple[Word, ...]:
    return (
        *part.words[1:],
        *(
            make_word([*literal(f"{name}=").pieces, *value.pieces])
            for name, value in part.assignments
        ),
    )


def allowing_rule(part: Part, policy: Policy) -> Rule | None:
    """The first rule that lets this very command pass."""
    words = spelled(part)
    return next((rule for rule in policy.granted if allows_command(rule, words)), None)


def shorten(source: str) -> str:
    """A command's source on one line of at most 200 characters."""
    line = " ".join(source.split())
    return line if len(line) <= 200 else line[:199] + "…"

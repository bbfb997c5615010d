"""Permission rules: "bash(git status)", "edit(src/**)", and what each of them matches.

A rule is SUBJECT(PATTERN). Subjects: bash, for one simple command; read, edit, for paths
(write, glob and grep narrow them to that tool); network, for hosts; mcp__SERVER__TOOL.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from neocode.permissions.globs import PathGlob, parse_path_glob
from neocode.permissions.shell.words import Word

PATH_SUBJECTS = ("read", "edit", "write", "glob", "grep")
SUBJECTS = ("bash", *PATH_SUBJECTS, "network")
_HEAD = re.compile(r"\s*([A-Za-z_][\w-]*)?")
_META = frozenset(";&|<>()$`\n")
_ALLOWED = "allowed: bash(COMMAND), read(PATH), edit(PATH), network(HOST)"


class RuleError(ValueError):
    """A rule that cannot be understood; the text names the place and what is allowed.

    position: index into the rule's text, from 0.
    """

    def __init__(self, rule: str, position: int, problem: str) -> None:
        super().__init__(f"rule {rule!r}, character {position + 1}: {problem}; {_ALLOWED}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a bash pattern; any_words: a "*" that stands alone."""

    regex: re.Pattern[str]
    any_words: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A parsed rule. text: as it was written; exactly one of tokens, path, host is used."""

    text: str
    subject: str
    pattern: str
    tokens: tuple[Token, ...] = ()
    path: PathGlob | None = None
    host: re.Pattern[str] | None = None

    def names(self, subject: str, tool: str) -> bool:
        """True when the rule speaks of this class ("edit") or of this very tool ("write")."""
        return self.subject in (subject, tool)


@cache
def parse_rule(text: str) -> Rule:
    """Read one rule. Raises RuleError (a ValueError) with the position and what is allowed."""
    subject, start = _subject(text)
    body = text.rstrip()
    if not body.endswith(")") or len(body) <= start:
        raise RuleError(text, len(body), 'a closing ")" is missing')
    pattern = body[start:-1]
    if not pattern.strip():
        raise RuleError(text, start, f'the pattern is empty, {subject}(*) would be "everything"')
    if subject == "bash":
        return Rule(text.strip(), subject, pattern, tokens=_tokens(text, start, pattern))
    if subject in PATH_SUBJECTS:
        try:
            return Rule(text.strip(), subject, pattern, path=parse_path_glob(pattern.strip()))
        except ValueError as error:
            raise RuleError(text, start, str(error)) from None
    regex = re.compile(re.escape(pattern.strip()).replace(r"\*", ".*"), re.IGNORECASE)
    return Rule(text.strip(), subject, pattern, host=regex)


def _subject(text: str) -> tuple[str, int]:
    head = _HEAD.match(text)
    name = (head.group(1) if head else None) or ""
    position = head.end() if head else 0
    if name not in SUBJECTS and not name.startswith("mcp__"):
        start = position - len(name)
        raise RuleError(text, start, f"{name!r} is not a subject" if name else "no subject")
    if text[position : position + 1] != "(":
        raise RuleError(text, position, f'"(" must follow, {name}(*) would be "everything"')
    return name, position + 1


def _tokens(rule: str, offset: int, pattern: str) -> tuple[Token, ...]:
    """Words of a bash pattern; quotes and backslashes as in the shell, "*" is the wildcard."""
    tokens: list[Token] = []
    current: list[str] | None = None
    quote = ""
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if quote:
            if char == quote:
                quote = ""
            elif current is not None:
                current.append(re.escape(char))
        elif char in "'\"":
            quote, current = char, current or []
        elif char in " \t":
            tokens += _token(current)
            current = None
        elif char in _META:
            raise RuleError(
                rule, offset + index, f"{char!r}: a rule names one command, without operators"
            )
        else:
            if char == "\\" and index + 1 < len(pattern):
                index += 1
                char = pattern[index]
                piece = re.escape(char)
            else:
                piece = "*" if char == "*" else re.escape(char)
            current = [*(current or []), piece]
        index += 1
    if quote:
        raise RuleError(rule, offset + len(pattern), f"a closing {quote} is missing")
    return tuple(tokens + _token(current))


def _token(pieces: list[str] | None) -> list[Token]:
    if pieces is None:
        return []
    if pieces == ["*"]:
        return [Token(re.compile(".*", re.DOTALL), any_words=True)]
    body = "".join(".*" if piece == "*" else piece for piece in pieces)
    return [Token(re.compile(body, re.DOTALL))]


def allows_command(rule: Rule, words: Sequence[Word]) -> bool:
    """True when a bash rule surely matches this simple command.

    A word whose text is not known (an expansion, a glob) is matched by a lone "*" only.
    """
    if rule.subject != "bash" or not words or not words[0].literal:
        return False
    return _matches(rule.tokens, words, unknown_matches=False)


def may_match_command(rule: Rule, words: Sequence[Word]) -> bool:
    """True when a bash rule could match: a word that is not known stands for any words."""
    return rule.subject == "bash" and _matches(rule.tokens, words, unknown_matches=True)


def _matches(tokens: Sequence[Token], words: Sequence[Word], *, unknown_matches: bool) -> bool:
    """Word by word; reached holds the tokens used up so far, so the work is tokens x words."""
    reached = _skip_any(tokens, {0})
    for word in words:
        after: set[int] = set()
        if unknown_matches and not word.literal:
            after = set(range(min(reached, default=0), len(tokens) + 1)) if reached else set()
        else:
            for index in reached:
                if index >= len(tokens):
                    continue
                token = tokens[index]
                if token.any_words:
                    after.add(index)
                elif word.literal and token.regex.fullmatch(word.text):
                    after.add(index + 1)
        reached = _skip_any(tokens, after)
        if not reached:
            return False
    return len(tokens) in reached


def _skip_any(tokens: Sequence[Token], reached: set[int]) -> set[int]:
    """Add the positions behind wildcards: a lone "*" may stand for no word at all."""
    closed: set[int] = set()
    for start in reached:
        index = start
        closed.add(index)
        while index < len(tokens) and tokens[index].any_words:
            index += 1
            closed.add(index)
    return closed


def matches_path(rule: Rule, path: str, *, root: str, home: str, fold_case: bool) -> bool:
    """True when a path rule matches this absolute path."""
    return rule.path is not None and rule.path.matches(
        PurePath(path), root=root, home=home, fold_case=fold_case
    )


def matches_host(rule: Rule, host: str) -> bool:
    """True when a network rule, or an MCP tool's rule, matches the host or target."""
    return rule.host is not None and rule.host.fullmatch(host) is not None


def split_rules(text: str) -> tuple[str, ...]:
    """The single rules of a Verdict's rule text ("bash(a *), bash(b *)"), in order."""
    found: list[str] = []
    start = 0
    for cut in [match.start() for match in re.finditer(r"\), ", text)] + [len(text)]:
        candidate = text[start : cut + 1].strip()
        try:
            parse_rule(candidate)
        except RuleError:
            continue
        found.append(candidate)
        start = cut + 3
    return tuple(found)

"""Rules: how they are written, what is said of a bad one, what each matches."""

import pytest

from neocode.permissions.commands.suggest import rule_warning
from neocode.permissions.rules import (
    RuleError,
    allows_command,
    matches_host,
    matches_path,
    may_match_command,
    parse_rule,
    split_rules,
)
from neocode.permissions.shell.words import Word, literal, unknown


def words(text: str) -> list[Word]:
    """Words of a line; $x is one that is not known."""
    return [unknown(word) if word.startswith("$") else literal(word) for word in text.split()]


@pytest.mark.parametrize(
    ("rule", "position", "said"),
    [
        ("", 0, "no subject"),
        ("git status", 0, "'git' is not a subject"),
        ("bsh(git status)", 0, "'bsh' is not a subject"),
        ("bash", 4, 'bash(*) would be "everything"'),
        ("bash(git", 8, 'a closing ")" is missing'),
        ("bash()", 5, "the pattern is empty"),
        ("bash(git status; rm x)", 15, "';'"),
        ("bash(git && ls)", 9, "'&'"),
        ("bash(echo $HOME)", 10, "'$'"),
        ("bash(echo 'x)", 12, "a closing ' is missing"),
        ("edit(../x)", 5, '".." cannot be used'),
        ("read([z-a])", 5, "the set in"),
    ],
)
def test_a_bad_rule_is_named_with_its_place(rule: str, position: int, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rule(rule)
    assert caught.value.position == position
    assert said in str(caught.value)
    assert f"character {position + 1}" in str(caught.value)
    assert "allowed: bash(COMMAND), read(PATH), edit(PATH), network(HOST)" in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "line", "matches"),
    [
        ("bash(git status)", "git status", True),
        ("bash(git status)", "git status -s", False),
        ("bash(git status)", "git statusx", False),
        ("bash(git status)", "git", False),
        ("bash(git *)", "git", True),
        ("bash(git *)", "git push -f origin", True),
        ("bash(git *)", "gitk", False),
        ("bash(git * --dry-run)", "git push x --dry-run", True),
        ("bash(git * --dry-run)", "git push x", False),
        ("bash(npm run test:*)", "npm run test:unit", True),
        ("bash(npm run test:*)", "npm run test:unit x", False),
        ("bash(echo 'a b')", "echo a", False),
        ("bash(echo '*')", "echo *", True),
        ("bash(echo '*')", "echo x", False),
        ("bash(pytest *)", "pytest $x", True),
        ("bash(pytest tests)", "pytest $x", False),
        ("bash(*)", "anything at all", True),
        ("bash(*)", "$x", False),
        ("bash(* push)", "git push", True),
        ("edit(**)", "git status", False),
    ],
)
def test_a_command_rule_matches_word_by_word(rule: str, line: str, matches: bool) -> None:
    assert allows_command(parse_rule(rule), words(line)) is matches


@pytest.mark.parametrize(
    ("rule", "line", "matches"),
    [
        ("bash(git push *)", "git push", True),
        ("bash(git push *)", "git $x", True),
        ("bash(git push *)", "$x origin", True),
        ("bash(git push *)", "git status", False),
        ("bash(rm -i x)", "rm $x -rf", False),
    ],
)
def test_an_unknown_word_may_be_what_is_forbidden(rule: str, line: str, matches: bool) -> None:
    assert may_match_command(parse_rule(rule), words(line)) is matches


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("edit(src/**)", "/p/src/a/b.py", True),
        ("edit(src/**)", "/p/src", True),
        ("edit(src/**)", "/p/srcx/a", False),
        ("edit(src/**)", "/src/a", False),
        ("edit(src/*)", "/p/src/a", True),
        ("edit(src/*)", "/p/src/a/b", False),
        ("edit(src/)", "/p/src/a/b", True),
        ("edit(./src/a)", "/p/src/a", True),
        ("edit(*)", "/p/a/b", True),
        ("edit(**)", "/q/a", False),
        ("read(**/.env)", "/p/.env", True),
        ("read(**/.env)", "/p/a/b/.env", True),
        ("read(**/.env)", "/p/a/x.env", False),
        ("read(**/*.py)", "/p/a.py", True),
        ("read(a/**/b)", "/p/a/b", True),
        ("read(a/**/b)", "/p/a/x/y/b", True),
        ("read(?.txt)", "/p/a.txt", True),
        ("read([ab].txt)", "/p/b.txt", True),
        ("read([!ab].txt)", "/p/b.txt", False),
        ("read(a+b.txt)", "/p/a+b.txt", True),
        ("read(~/notes/**)", "/h/notes/x", True),
        ("read(~)", "/h", True),
        ("read(/etc/*)", "/etc/hosts", True),
        ("read(/**)", "/anything", True),
        ("read(.ENV)", "/p/.env", False),
    ],
)
def test_a_path_rule_is_anchored(rule: str, path: str, matches: bool) -> None:
    assert matches_path(parse_rule(rule), path, root="/p", home="/h", fold_case=False) is matches


def test_case_is_folded_where_the_file_system_does() -> None:
    rule = parse_rule("read(**/.env)")
    assert matches_path(rule, "/p/.ENV", root="/p", home="/h", fold_case=True)


def test_hosts_match_with_wildcards() -> None:
    rule = parse_rule("network(*.example.com)")
    assert matches_host(rule, "docs.EXAMPLE.com")
    assert not matches_host(rule, "example.com.evil.net")


def test_rules_joined_for_an_answer_are_split_again() -> None:
    joined = "bash(a 'x), y' *), edit(src/**), bash(b)"
    assert split_rules(joined) == ("bash(a 'x), y' *)", "edit(src/**)", "bash(b)")
    assert split_rules("edit(a, b)") == ("edit(a, b)",)


@pytest.mark.parametrize(
    ("rule", "warned"),
    [
        ("bash(python *)", True),
        ("bash(python3.12 *)", True),
        ("bash(python)", True),
        ("bash(sudo *)", True),
        ("bash(env *)", True),
        ("bash(make *)", True),
        ("bash(*)", True),
        ("bash(python -m pytest *)", False),
        ("bash(pytest *)", False),
        ("edit(**)", False),
    ],
)
def test_a_rule_for_an_interpreter_is_warned_about(rule: str, warned: bool) -> None:
    """B44: allowing an interpreter warns that this allows everything."""
    warning = rule_warning(parse_rule(rule))
    assert bool(warning) is warned
    assert not warned or "every" in warning

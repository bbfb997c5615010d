"""The corpus of shell lines, line by line and mode by mode (B44, B45)."""

from collections.abc import Iterator

import pytest

from neocode.domain.tooling import Access
from neocode.permissions.policy import judge
from tests.unit.permissions.permission_world import ALLOW, DENY, MODES, World, make_world
from tests.unit.permissions.shell_corpus import GROUPS, Group

LETTERS = {"a": "allow", "q": "ask", "H": "hard", "d": "deny"}


def rows() -> Iterator[tuple[Group, str, str]]:
    for group in GROUPS:
        for row in group.rows.split("\n"):
            if row.strip():
                letters, _, line = row.strip(" ").partition(" ")
                yield group, letters, line


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))


def spell(line: str, world: World) -> str:
    for sign, text in (("⏎", "\n"), ("⇥", "\t"), ("␠", "\u00a0")):
        line = line.replace(sign, text)
    return line.replace("PROJECT", str(world.root)).replace("OUT", str(world.out))


@pytest.mark.parametrize(
    ("group", "letters", "line"), [pytest.param(*row, id=row[2][:60]) for row in rows()]
)
def test_every_line_is_decided_as_the_table_says(
    group: Group, letters: str, line: str, world: World
) -> None:
    """B44, B45: the decision in each of the four modes."""
    allow = ALLOW if group.allow is None else group.allow
    deny = DENY if group.deny is None else group.deny
    access = Access(kind="run", tool="bash", target=spell(line, world))
    verdicts = [judge(access, world.policy(mode, allow, deny)) for mode in MODES]
    assert [verdict.kind for verdict in verdicts] == [LETTERS[letter] for letter in letters], [
        verdict.reason for verdict in verdicts
    ]
    for verdict in verdicts:
        assert verdict.kind == "allow" or verdict.reason
        assert verdict.kind == "ask" or not verdict.rule


def test_the_corpus_is_large() -> None:
    """Issue "Safe and unbreakable": at least 150 lines."""
    lines = [line for _, _, line in rows()]
    assert len(set(lines)) >= 150

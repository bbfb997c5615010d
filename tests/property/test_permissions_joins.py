"""Joining commands never lets more through than each of them may do on its own (B44)."""

import functools
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.domain.tooling import Access
from neocode.permissions.policy import Verdict, judge
from tests.unit.permissions.permission_world import MODES, World, make_world

PLAIN = ("git status", "pytest -q", "ls src", "cat notes.txt", "echo hi")
ASKED = ("make", "curl x.example", "touch x", "git commit -m x", "python -c 'x'", "rm notes.txt")
HARD = ("rm -rf ..", "git push -f", "mkfs /dev/sda", "curl x | sh", "find / -delete")
JOINS = (" ; ", " && ", " || ", " | ", "\n", " & ", ";", "&&", "||", "|", "&", " |& ", " \\\n&& ")
FRAMES = (
    *("{}", "({})", "{{ {}; }}", "if true; then {}; fi", "for i in a b; do {}; done"),
    *("while false; do {}\ndone", "case x in x) {};; esac", "echo $({})", 'echo "`{}`"'),
    *("cat <({})", "! {}", "x=$({})", "cat <<EOF\n$({})\nEOF", "echo ${{X:-$({})}}", "time {}"),
    *("{} 2>&1", "{} </dev/null", "{} # done", "  {}  ", "true && {}", "{} || true"),
)
commands = st.sampled_from(PLAIN + ASKED + HARD)
RANK = {"allow": 0, "ask": 1, "hard": 2, "deny": 3}


@functools.cache
def world() -> World:
    return make_world(Path(tempfile.mkdtemp(prefix="neocode-joins-")))


def verdict(line: str, mode: str) -> Verdict:
    policy = world().policy(mode)  # type: ignore[arg-type]
    return judge(Access(kind="run", tool="bash", target=line), policy)


@st.composite
def joined(draw: st.DrawFn) -> tuple[list[str], str]:
    """Some commands, and a line that runs all of them."""
    parts = draw(st.lists(commands, min_size=1, max_size=4))
    frames = [draw(st.sampled_from(FRAMES)).format(part) for part in parts]
    line = frames[0]
    for frame in frames[1:]:
        glue = "\n" if "EOF" in line or "#" in line else draw(st.sampled_from(JOINS))
        line += glue + frame
    return parts, draw(st.sampled_from(FRAMES[:4])).format(line) if "EOF" not in line else line


@settings(max_examples=150, deadline=None)
@given(joined(), st.sampled_from(MODES))
def test_a_line_is_as_strict_as_its_strictest_part(made: tuple[list[str], str], mode: str) -> None:
    parts, line = made
    alone = max(RANK[verdict(part, mode).kind] for part in parts)
    assert RANK[verdict(line, mode).kind] >= alone, line


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=5), st.data())
def test_allowed_commands_may_be_chained(parts: list[str], data: st.DataObject) -> None:
    """Ordinary lines are not asked about for being chained."""
    line = parts[0]
    for part in parts[1:]:
        line += data.draw(st.sampled_from(JOINS[:12])) + part
    assert verdict(line, "ask").kind == "allow", line


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(PLAIN), st.sampled_from(HARD), st.sampled_from(JOINS))
def test_no_rule_takes_the_hard_question_away(plain: str, hard: str, join: str) -> None:
    """B45: not even bash(*) in the most permissive mode."""
    policy = world().policy("auto", allow=("bash(*)", "edit(**)", "read(**)"), deny=())
    found = judge(Access(kind="run", tool="bash", target=plain + join + hard), policy)
    assert found.kind == "hard"
    assert not found.rule

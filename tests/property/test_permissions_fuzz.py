"""Any text can be judged: no exception, and no pass for what bash would read differently."""

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from neocode.domain.tooling import Access, AccessKind
from neocode.permissions.policy import judge
from neocode.permissions.rules import RuleError, parse_rule
from tests.unit.permissions.permission_world import MODES, World, make_world

BITS = (
    *("git status", "ls", "cat notes.txt", "pytest -q", "echo hi", "EVIL", "EVIL now", "rm x"),
    *(";", "&&", "||", "|", "&", "\n", "\\\n", " ", "\t", "#", "'", '"', "`", "$(", ")", "("),
    *("{ ", "; }", "<(", ">(", "$((", "))", "${x:-", "}", "[[ ", " ]]", "$'", "\\'", "\\", '\\"'),
    *("<<EOF\n", "<<'EOF'\n", "<<-EOF\n", "\nEOF\n", "\n\tEOF\n", "<<<", ">", ">>", "&>", "2>&1"),
    *("if ", " then ", "; fi", "while ", "; do ", "; done", "for i in a; do ", "case x in x) "),
    *(";; esac", "f() { ", "! ", "~", "*", "$x", "{a,b}", "=", "x=", "time ", "eval ", "exec "),
    *("\u00a0", "\u2028", "\u202e", "\r", "\x0b", "\x00", "\ud800", "é", "env ", "command "),
)
lines = st.lists(st.one_of(st.sampled_from(BITS), st.text(max_size=3)), max_size=14).map("".join)
KINDS: tuple[AccessKind, ...] = ("none", "read", "edit", "run", "network")


@functools.cache
def world() -> World:
    return make_world(Path(tempfile.mkdtemp(prefix="neocode-fuzz-")))


@settings(max_examples=200, deadline=None)
@given(st.one_of(lines, st.text(max_size=60)), st.sampled_from(KINDS), st.sampled_from(MODES))
@example("((" * 500 + "x", "run", "auto")
@example("$(" * 300, "run", "auto")
@example("a" * 200_000, "run", "auto")
@example("/" + "x" * 5000, "edit", "auto")
@example("cat " + "[" * 200 + "*", "run", "ask")
@example("~\x00", "read", "ask")
@example("for a in 1;do " * 30 + "cd x" + ";done" * 30, "run", "ask")
@example("{" * 40 + "a,b" + "}" * 40, "run", "ask")
def test_any_text_is_judged_without_an_exception(text: str, kind: AccessKind, mode: str) -> None:
    policy = world().policy(mode)  # type: ignore[arg-type]
    verdict = judge(Access(kind=kind, tool="bash", target=text), policy)
    assert verdict.kind in ("allow", "ask", "hard", "deny")
    for rule in filter(None, [verdict.rule if ", " not in verdict.rule else ""]):
        parse_rule(rule)


def error_position(text: str) -> int:
    """Where the rule is wrong; 0 for a right one."""
    try:
        parse_rule(text)
    except RuleError as error:
        return error.position
    return 0


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="bashredi(t)*?[]~/.'\"\\ $;", max_size=20))
def test_a_rule_is_read_or_refused(text: str) -> None:
    assert 0 <= error_position(text) <= len(text)


@functools.cache
def stubs() -> Path:
    """A folder of commands that only write down that they were called."""
    folder = Path(tempfile.mkdtemp(prefix="neocode-stubs-"))
    for name in ("git", "ls", "cat", "pytest", "rm", "EVIL"):
        stub = folder / name
        stub.write_text(f'#!/bin/bash\necho "{name} $*" >> "$CALLS"\n')
        stub.chmod(0o755)
    (folder / "env").symlink_to("/usr/bin/env")
    return folder


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is the judge of the judge")
@settings(max_examples=80, deadline=None)
@given(lines)
@example("git status <<'EOF'\n EOF\nEVIL\nEOF")
@example("git sta\\\ntus")
@example("cat notes.txt\\\n; EVIL")
def test_what_passes_runs_nothing_else_in_the_real_bash(line: str) -> None:
    """Every line that passes is run by bash with harmless stand-ins for the commands."""
    verdict = judge(Access(kind="run", tool="bash", target=line), world().policy())
    if verdict.kind != "allow" or "\0" in line:
        return
    calls = stubs() / "calls"
    calls.write_text("")
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=world().root,
        env={"PATH": str(stubs()), "CALLS": str(calls), "HOME": os.devnull, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    for call in calls.read_text(errors="replace").splitlines():
        assert not call.startswith(("EVIL", "rm")), (line, call)

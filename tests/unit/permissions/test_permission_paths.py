"""Paths: resolved before they are judged; the tricks that must not work."""

from dataclasses import replace
from pathlib import Path

import pytest

from neocode.domain.tooling import Access
from neocode.permissions.paths import Ground, locate
from neocode.permissions.policy import judge
from neocode.permissions.sensitive import looks_secret
from tests.unit.permissions.permission_world import MODES, World, make_world

LETTERS = {"a": "allow", "q": "ask", "H": "hard", "d": "deny"}

# As in shell_corpus.py: the decision in ask, accept-edits, plan, auto; BASE is the folder
# that holds the project, "out", "other.txt" and "home".
READS = """
aaaa notes.txt
aaaa ./src/../notes.txt
aaaa BASE/project/notes.txt
aaaa src
aaaa .
aaaa missing.txt
aaaa src//app.py
aaaa .env.example
qqqq ..
qqqq ../other.txt
qqqq src/../../other.txt
qqqq BASE/project/../other.txt
qqqq BASE/project2/x
qqqq /etc/hosts
qqqq ~/docs/x
qqqq ~
qqqq link_out
qqqq link_out/x
qqqq link_out/../project/../other.txt
qqqq link_chain/x
qqqq loop/x
qqqq /proc/self/cwd/notes.txt
qqqq /proc/self/root/etc/hosts
qqqq link_proc/notes.txt
qqqq /dev/fd/3
qqqq \0/etc/hosts
qqqq /
aaaa link_in
aaaa link_back/notes.txt
dddd .env
dddd ./.env
dddd src/../.env
dddd link_env
dddd link_back/.env
dddd sub/.env
qqqa id_rsa
qqqa link_key
qqqa config/credentials.json
"""
EDITS = """
qada notes.txt
aada src/app.py
aada src/new/deep/file.py
qada src/../notes.txt
qada link_in
qada src/link_up/notes.txt
qqdq ../new.txt
HHdH ../other.txt
HHdH link_out/x
qqdq link_out/new
HHdH /etc/hosts
HHdH /etc/new
HHdH /usr/bin/x
HHdH ~/.bashrc
HHdH ~/.ssh/authorized_keys
HHdH ~/.config/neocode/config.yaml
HHdH ~/docs/x
qqdq ~/docs/new
HHdH .git/hooks/pre-commit
HHdH .git/config
HHdH .GIT/hooks/x
qqdq .git/index
qqdq .neocode/config.yaml
qqdq hard_link.txt
qqdq /proc/self/cwd/../missing-here
aada link_src/app.py
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = make_world(tmp_path_factory.mktemp("paths"))
    root = made.root
    (root / "link_in").symlink_to("notes.txt")
    (root / "link_key").symlink_to("id_rsa")
    (root / "link_src").symlink_to("src")
    (root / "link_back").symlink_to(root)
    (root / "src" / "link_up").symlink_to("..")
    (root / "link_chain").symlink_to("link_out")
    (root / "link_proc").symlink_to("/proc/self/cwd")
    (root / "loop").symlink_to("loop")
    return made


def rows(table: str) -> list[tuple[str, str]]:
    found = [row.partition(" ") for row in table.split("\n") if row]
    return [(letters, path) for letters, _, path in found]


@pytest.mark.parametrize(("letters", "path"), rows(READS))
def test_reads(letters: str, path: str, world: World) -> None:
    spelled = path.replace("BASE", str(world.root.parent))
    access = Access(kind="read", tool="read", target=spelled)
    kinds = [judge(access, world.policy(mode)).kind for mode in MODES]
    assert kinds == [LETTERS[letter] for letter in letters]


@pytest.mark.parametrize(("letters", "path"), rows(EDITS))
def test_edits(letters: str, path: str, world: World) -> None:
    access = Access(kind="edit", tool="write", target=path)
    verdicts = [judge(access, world.policy(mode)) for mode in MODES]
    assert [verdict.kind for verdict in verdicts] == [LETTERS[letter] for letter in letters]
    for verdict in verdicts:
        assert verdict.real_path
        assert verdict.kind in ("allow", "deny") or verdict.real_path in verdict.reason


def test_the_real_path_is_shown(world: World) -> None:
    """safety "Permissions": outside is asked with the real path."""
    access = Access(kind="read", tool="read", target="link_chain/x")
    verdict = judge(access, world.policy())
    assert verdict.real_path == str(world.out / "x")
    assert str(world.out / "x") in verdict.reason


def test_the_tools_outputs_may_be_read_but_not_changed(world: World) -> None:
    policy = world.policy()
    policy = replace(policy, ground=replace(policy.ground, readable=(str(world.out),)))
    path = str(world.out / "x")
    assert judge(Access(kind="read", tool="read", target=path), policy).kind == "allow"
    assert judge(Access(kind="edit", tool="write", target=path), policy).kind == "hard"


def test_a_relative_rule_never_reaches_outside(world: World) -> None:
    policy = world.policy(allow=("read(**)", "edit(**)"))
    read = Access(kind="read", tool="read", target="link_out/x")
    edit = Access(kind="edit", tool="write", target="link_out/new")
    assert judge(read, policy).kind == "ask"
    assert judge(edit, policy).kind == "ask"


def test_an_absolute_rule_grants_reads_but_never_edits_outside(world: World) -> None:
    policy = world.policy("auto", allow=(f"read({world.out}/**)", f"edit({world.out}/**)"))
    read = Access(kind="read", tool="read", target="link_out/x")
    edit = Access(kind="edit", tool="write", target="link_out/new")
    assert judge(read, policy).kind == "allow"
    assert judge(edit, policy).kind == "ask"


def test_a_tools_own_rule_holds_for_that_tool_only(world: World) -> None:
    policy = world.policy(allow=("write(notes.txt)",))
    assert judge(Access(kind="edit", tool="write", target="notes.txt"), policy).kind == "allow"
    assert judge(Access(kind="edit", tool="edit", target="notes.txt"), policy).kind == "ask"


def test_a_folder_whose_name_only_begins_alike_is_outside(tmp_path: Path) -> None:
    ground = Ground(str(tmp_path / "p"), str(tmp_path / "h"))
    assert not locate("../pp/x", ground).inside
    assert locate("../p/x", ground).inside


def test_another_case_is_inside_where_case_does_not_count(tmp_path: Path) -> None:
    """Only the very same folder counts: on this file system another case is another one."""
    (tmp_path / "Project").mkdir()
    (tmp_path / "PROJECT").mkdir(exist_ok=True)
    ground = Ground(str(tmp_path / "Project"), str(tmp_path), fold_case=True)
    same = (tmp_path / "Project").samefile(tmp_path / "PROJECT")
    assert locate(str(tmp_path / "Project" / "x"), ground).inside
    assert locate(str(tmp_path / "PROJECT" / "x"), ground).inside is same


def test_a_project_in_a_dotted_folder_is_an_ordinary_project(tmp_path: Path) -> None:
    """~/.config/nvim may be a project: its own files are not guarded for lying there."""
    made = make_world(tmp_path)
    root = made.home / ".config" / "nvim"
    root.mkdir(parents=True)
    policy = replace(made, root=root).policy("auto")
    assert judge(Access(kind="edit", tool="write", target="init.lua"), policy).kind == "allow"
    bashrc = Access(kind="edit", tool="write", target=str(made.home / ".bashrc"))
    assert judge(bashrc, policy).kind == "hard"


def test_the_home_as_project_keeps_its_settings_guarded(tmp_path: Path) -> None:
    made = make_world(tmp_path)
    policy = replace(made, root=made.home).policy("auto")
    assert judge(Access(kind="edit", tool="write", target="docs/x"), policy).kind == "allow"
    assert judge(Access(kind="edit", tool="write", target=".bashrc"), policy).kind == "hard"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *((name, True) for name in (".env", ".env.local", "prod.env", "id_rsa", "id_ed25519")),
        *((name, True) for name in ("server.pem", "tls.key", ".netrc", ".git-credentials")),
        *((name, True) for name in ("credentials", "credentials.json", ".aws/config", ".ENV")),
        *((name, True) for name in (".ssh/config", "secrets.yaml", "my-service-account-1.json")),
        *((name, False) for name in (".env.example", "id_rsa.pub", "env.py", "keys.py", "a.txt")),
        *((name, False) for name in ("secrets.py", "credentials.md", "environment", ".envrc.md")),
    ],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert looks_secret(f"/p/{name}") is secret

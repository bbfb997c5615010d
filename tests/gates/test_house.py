"""The house rules that no linter knows: sizes, doors, words."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "neocode").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_module_is_small_and_waives_nothing(path: Path) -> None:
    """style.md 7: at most 350 lines, and no rule waived in place."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 350
    assert "# noqa" not in text


def test_the_app_and_the_loop_stay_small() -> None:
    for name in ("tui/app.py", "runtime/loop.py"):
        assert (ROOT / "neocode" / name).read_text().count("\n") <= 250, name


def test_no_package_index_is_named() -> None:
    """An address of an index in a file would tie installs to one place."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    address = re.compile(r"index-url|registry *= *.https?:|simple/pypi|pypi\.org/simple")
    for name in filter(None, listed):
        path = ROOT / name
        if path.suffix in {".py", ".toml", ".txt", ".md", ".yaml", ".sh"} and path != Path(
            __file__
        ):
            assert not address.search(path.read_text(encoding="utf-8")), name


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["config", "path"], ["sessions", "list"]]
)
def test_quick_commands_import_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    """spec/performance: litellm and its kin load after the first paint, or never."""
    heavy = ("litellm", "openai", "pydantic", "mcp", "textual", "tiktoken")
    code = (
        f"import sys; sys.argv[1:] = {arguments!r}\n"
        "from neocode.__main__ import main\n"
        "try: main()\nexcept SystemExit as e: assert not e.code, e.code\n"
        f"found = set({heavy!r}) & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"NEOCODE_HOME": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr

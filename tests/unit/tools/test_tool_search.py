import os
from typing import Any

import pytest

from neocode.tools.base import ToolError
from neocode.tools.files import ripgrep
from neocode.tools.glob import GlobTool
from neocode.tools.grep import GrepTool
from neocode.tools.truncate import estimate_tokens

GLOB, GREP = GlobTool(), GrepTool()


@pytest.fixture(params=["rg", "python"])
def project(request: pytest.FixtureRequest, bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A small project, searched with ripgrep and without it."""
    if request.param == "python":
        monkeypatch.setattr(ripgrep, "find_rg", lambda: None)
    bench.write("src/app.py", "def main():\n    return rows[0]\n")
    bench.write("src/deep/x.js", "main()\n")
    bench.write("notes.md", "main thing\n[bold]open\n")
    bench.write(".hidden/h.py", "main = 1\n")
    bench.write("logs/a.log", "main log\n")
    bench.write("build/out.py", "main\n")
    bench.write("blob.bin", b"main\0\1")
    bench.write(".git/config", "main\n")
    bench.write(".gitignore", "*.log\nbuild/\n")
    return bench


async def test_glob_finds_newest_first_and_respects_ignores(project: Any) -> None:
    os.utime(project.root / "src/app.py", (2_000_000_000, 2_000_000_000))
    found = (await project.call(GLOB, pattern="*.py")).splitlines()
    assert found == ["src/app.py", ".hidden/h.py"]
    assert await project.call(GLOB, pattern="src/**/*.{js,ts}") == "src/deep/x.js"
    assert await project.call(GLOB, pattern="*.py", path="src") == "src/app.py"
    assert "No file matches" in await project.call(GLOB, pattern="*.log")


async def test_grep_groups_by_file(project: Any) -> None:
    answer = await project.call(GREP, pattern="main")
    assert "notes.md\n1:main thing" in answer
    assert "src/app.py\n1:def main():" in answer
    assert all(name not in answer for name in ("a.log", "build/", "blob.bin", ".git/"))
    assert await project.call(GREP, pattern=r"rows\[0\]", path="src/app.py") == (
        "src/app.py\n2:    return rows[0]"
    )
    assert "app.py" not in await project.call(GREP, pattern="main", glob="*.js")
    assert "x.js" in await project.call(GREP, pattern="main", glob="src/**/*.js")
    assert "No match" in await project.call(GREP, pattern="main", glob="*.log")


async def test_square_brackets_are_text(project: Any) -> None:
    """B43: what looks like markup goes through as it is."""
    assert "2:[bold]open" in await project.call(GREP, pattern=r"\[bold\]")


async def test_faults_are_named(project: Any) -> None:
    with pytest.raises(ToolError, match="Not a usable regular expression"):
        await project.call(GREP, pattern="(open")
    with pytest.raises(ToolError, match="does not exist"):
        await project.call(GREP, pattern="x", path="nowhere")
    with pytest.raises(ToolError, match="usable glob"):
        await project.call(GLOB, pattern="[z-a].py")


async def test_many_matches_are_limited_and_said(bench: Any) -> None:
    for number in range(300):
        bench.write(f"f{number}.txt", "needle " + "x" * 3000 + "\n")
    answer = await bench.call(GREP, {"result_tokens": 1000}, pattern="needle")
    assert estimate_tokens(answer) <= 1000
    assert "there are more" in answer
    outcome = await bench.outcome(GLOB, pattern="*.txt")
    assert "[100 newest of 300 files" in outcome.content
    assert outcome.metadata["matches"] == 300


async def test_links_out_of_the_project_are_not_followed(bench: Any) -> None:
    outside = bench.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("needle")
    (bench.root / "link").symlink_to(outside)
    assert "No match" in await bench.call(GREP, pattern="needle")
    assert "No file" in await bench.call(GLOB, pattern="secret*")
    (access,) = GREP.accesses({"pattern": "x", "path": "link"}, bench.context())
    assert (access.kind, access.target) == ("read", "link")

"""Where things are (spec/interface) and that folders are private (spec/safety)."""

import os
import sys
from pathlib import Path

import pytest

from neocode.config.paths import make_private_folder, project_key, resolve_paths
from neocode.domain.errors import StoreError


def test_one_folder_holds_everything_when_asked() -> None:
    paths = resolve_paths({"NEOCODE_HOME": "/x/y", "XDG_DATA_HOME": "/elsewhere"})
    assert paths.config_file == Path("/x/y/config.yaml")
    assert paths.db == Path("/x/y/sessions.db")
    assert paths.projects == Path("/x/y/projects")
    assert paths.logs == Path("/x/y/logs")
    assert resolve_paths({"NEOCODE_HOME": "~/n", "HOME": "/h"}).data == Path("/h/n")
    assert resolve_paths({"NEOCODE_HOME": "rel"}).data == Path.cwd() / "rel"


@pytest.mark.skipif(sys.platform != "linux", reason="the Linux places")
def test_the_places_on_linux() -> None:
    paths = resolve_paths({"HOME": "/h", "NEOCODE_HOME": " ", "XDG_STATE_HOME": "not/absolute"})
    assert paths.config_file == Path("/h/.config/neocode/config.yaml")
    assert paths.db == Path("/h/.local/share/neocode/sessions.db")
    assert paths.state == Path("/h/.local/state/neocode")
    assert resolve_paths({"XDG_DATA_HOME": "/d", "HOME": "/h"}).data == Path("/d/neocode")


def test_a_project_has_one_readable_key_whatever_link_leads_there(tmp_path: Path) -> None:
    root = tmp_path / "my project é"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    key = project_key(root)
    assert key == project_key(tmp_path / "link")
    assert key.startswith("my-project-é-")
    assert key != project_key(tmp_path)
    assert project_key(Path("/")).startswith("root-")
    assert len(os.fsencode(project_key(tmp_path / ("压" * 80)))) < 200
    assert "/" not in project_key(Path("/tmp/..x"))


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_folders_are_private_under_any_umask(tmp_path: Path, mask: int) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    old = os.umask(mask)
    try:
        make_private_folder(tmp_path / "there" / "a" / "b")
    finally:
        os.umask(old)
    for name, mode in (("there", 0o755), ("there/a", 0o700), ("there/a/b", 0o700)):
        assert (tmp_path / name).stat().st_mode & 0o777 == mode


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    for place in (tmp_path / "f", tmp_path / "f" / "below"):
        with pytest.raises(StoreError, match=r"The folder .* cannot be made"):
            make_private_folder(place)

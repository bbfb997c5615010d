"""Weights: the right bytes or nothing."""

import hashlib
from pathlib import Path

import pytest

from neocode.domain.errors import ConfigError, NeoCodeError
from neocode.provider.weights import CATALOGUE, Weights, install, is_installed, known, path_of

DATA = b"weights" * 1000


def weights(data: bytes = DATA) -> Weights:
    return Weights(
        name="tiny",
        about="",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        address="file:///nonexistent/tiny.gguf",
        packages=(),
        version="1",
        member=".bin",
    )


def quiet(what: str, done: int, whole: int) -> None:
    assert 0 < done <= whole


def test_a_file_at_hand_is_checked_and_kept(tmp_path: Path) -> None:
    source = tmp_path / "download"
    source.write_bytes(DATA)
    folder = tmp_path / "models"
    path = install(weights(), folder, progress=quiet, from_file=source)
    assert path == path_of(weights(), folder)
    assert path.read_bytes() == DATA
    assert is_installed(weights(), folder)
    assert [p.name for p in folder.iterdir()] == ["tiny.gguf"]


@pytest.mark.parametrize("bad", [DATA[:-1], DATA[:-1] + b"x", b""])
def test_a_wrong_file_leaves_nothing_behind(tmp_path: Path, bad: bytes) -> None:
    source = tmp_path / "download"
    source.write_bytes(bad)
    with pytest.raises(NeoCodeError, match="SHA-256"):
        install(weights(), tmp_path / "models", progress=lambda *_: None, from_file=source)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(NeoCodeError, match="No such file"):
        install(weights(), tmp_path, progress=quiet, from_file=tmp_path / "no")


def test_the_official_release_is_asked_first(tmp_path: Path) -> None:
    source = tmp_path / "release.gguf"
    source.write_bytes(DATA)
    here = Weights(
        **{f: getattr(weights(), f) for f in Weights.__slots__} | {"address": source.as_uri()}
    )
    assert install(here, tmp_path / "m", progress=quiet).read_bytes() == DATA


def test_when_every_source_fails_each_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(NeoCodeError) as caught:
        install(weights(), tmp_path, progress=quiet)
    assert "official release" in caught.value.message
    assert "Python packages" in caught.value.message
    assert "--from FILE" in caught.value.hint


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        known("gpt-7")
    assert all(name in caught.value.hint for name in CATALOGUE)

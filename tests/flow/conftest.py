"""The bench of the whole-run tests."""

from pathlib import Path

import pytest

from tests.flow.flow import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A fresh home and a fresh project."""
    return Bench(tmp_path)

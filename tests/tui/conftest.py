"""What the screen's tests share."""

import pytest

from tests.tui.story import StartStory, story


@pytest.fixture
def start() -> StartStory:
    """Starts a story."""
    return story

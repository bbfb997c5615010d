"""What the screen's tests share."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from fake_engine import FakeEngine
from textual.pilot import Pilot

from neocode.tui.app import NeoCodeApp
from neocode.tui.ports import Surroundings


class Story:
    """An app with a fake engine and a pilot, for tests that read as a story."""

    def __init__(self, app: NeoCodeApp, engine: FakeEngine, pilot: Pilot[None]) -> None:
        self.app, self.engine, self.pilot = app, engine, pilot
        self.chat = app.chat

    async def settle(self) -> None:
        """Let every event and every redraw happen."""
        for _ in range(6):
            await self.pilot.pause()
            if self.chat.stage is not None:
                self.chat.stage.bridge.flush()
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Press the keys of a text."""
        names = {" ": "space", "/": "slash", "@": "at", "!": "exclamation_mark", "\n": "ctrl+j"}
        await self.pilot.press(*(names.get(char, char) for char in text))
        await self.settle()

    async def press(self, *keys: str) -> None:
        """Press keys and wait."""
        await self.pilot.press(*keys)
        await self.settle()

    def screen_text(self) -> str:
        """What stands on the screen, one line a row, blanks at the end cut."""
        compositor = self.app.screen._compositor
        strips = compositor.render_strips(self.app.size)
        return "\n".join("".join(s.text for s in strip).rstrip() for strip in strips)


StartStory = Callable[..., AbstractAsyncContextManager[Story]]


@asynccontextmanager
async def story(
    engine: FakeEngine | None = None,
    *,
    size: tuple[int, int] = (80, 24),
    around: Surroundings | None = None,
) -> AsyncIterator[Story]:
    """A running app; the engine is attached and the first screen painted."""
    made = engine or FakeEngine()

    async def make() -> FakeEngine:
        return made

    app = NeoCodeApp(make, around or Surroundings(theme="dark", approval_guard_s=0.0))
    async with app.run_test(size=size) as pilot:
        told = Story(app, made, pilot)
        await app.workers.wait_for_complete(
            [worker for worker in app.workers if worker.name == "_start_engine"]
        )
        await told.settle()
        yield told


@pytest.fixture
def start() -> StartStory:
    """Starts a story."""
    return story

"""An app with a fake engine, driven as in a story."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic

from textual import events
from textual.pilot import Pilot

from neocode.tui.app import NeoCodeApp
from neocode.tui.ports import Surroundings
from tests.tui.fake_engine import FakeEngine


class Story:
    """An app with a fake engine and a pilot, for tests that read as a story."""

    def __init__(self, app: NeoCodeApp, engine: FakeEngine, pilot: Pilot[None]) -> None:
        self.app, self.engine, self.pilot = app, engine, pilot
        self.chat = app.chat

    async def settle(self) -> None:
        """Let every event and every redraw happen."""
        for _ in range(3):
            await self.pilot.pause(0.002)
            if self.chat.stage is not None:
                self.chat.stage.bridge.flush()
        await self.pilot.pause(0.002)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for work in a thread; the test's own time limit ends a vain wait."""
        end = monotonic() + 20
        while not condition():
            assert monotonic() < end, self.screen_text()
            await self.pilot.pause(0.01)
        await self.settle()

    async def type(self, text: str) -> None:
        """Press the first key of a text; the rest comes at once, as in a small paste."""
        names = {" ": "space", "/": "slash", "@": "at"}
        await self.pilot.press(names.get(text[0], text[0]))
        if text[1:]:
            target = self.app.focused or self.app.screen
            target.post_message(events.Paste(text[1:]))
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
        await told.until(lambda: app.chat.stage is not None)
        yield told

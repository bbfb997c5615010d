"""The one place that builds real objects and joins them."""

import asyncio
import os
from pathlib import Path

from neocode.config.paths import resolve_paths
from neocode.domain.errors import NeoCodeError
from neocode.domain.events import NoticeEvent
from neocode.runtime.engine import Engine
from neocode.store.logs import log_to
from neocode.wiring.builder import Builder
from neocode.wiring.launch import Launch, load_settings, real_provider, usable_models

__all__ = ["Launch", "load_settings", "open_engine", "usable_models"]


async def open_engine(launch: Launch) -> Engine:
    """Build everything, open the session asked for; raises NeoCodeError."""
    root = Path(os.path.realpath(launch.root or Path.cwd()))
    log_to(resolve_paths(launch.environ).logs)
    provider = launch.provider or real_provider(launch.environ)
    engine = await asyncio.to_thread(Builder(launch, root, provider).build)
    jobs = engine.jobs
    wanted = launch.session or (jobs.store_latest() if launch.latest else None)
    if wanted and launch.read_only:
        await jobs.view_session(wanted)
    elif wanted:
        await jobs.open_session(wanted, may_copy=not launch.must_exist)
    elif launch.must_exist:
        raise NeoCodeError(
            "There is no session in this folder.", hint="`neocode sessions list` shows all."
        )
    else:
        await jobs.new_session()
        if launch.latest:
            text = "There is no session in this folder yet; a new one begins."
            engine.bus.publish(NoticeEvent(kind="no_session", message=text))
    return engine

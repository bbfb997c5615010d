"""Process groups that end with everything they started (B52).

A group is found again by its session, by its process group, by the mark in its
environment, and by descent: what leaves one of them is still in another.
"""

import asyncio
import atexit
import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from neocode.tools.shell.environment import MARK, child_environment

GRACE_S = 1.0
_LAST_S = 4.0
_POLL_S = 0.03
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Group:
    """leader: pid of the first process, session and process group too. mark: its token."""

    leader: int
    mark: str


@dataclass(slots=True)
class Running:
    """A started group: its first process, and its output as one stream."""

    group: Group
    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    transport: asyncio.BaseTransport


_live: dict[str, Group] = {}


async def start(argv: list[str], cwd: Path, base: Mapping[str, str]) -> Running:
    """Start argv in a session of its own, without terminal or input.

    Standard output and error come through one pipe, in order. Raises OSError when it
    cannot be started, ValueError for a null byte. The caller owes it an end().
    """
    atexit.unregister(kill_all)  # once is enough, however many are started
    atexit.register(kill_all)
    mark = os.urandom(12).hex()
    read_end, write_end = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=write_end,
            stderr=write_end,
            cwd=cwd,
            env=child_environment(base, mark),
            start_new_session=True,
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    group = Group(process.pid, mark)
    _live[mark] = group
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_CHUNK)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", buffering=0)
    )
    return Running(group, process, reader, transport)


async def end(group: Group, grace_s: float = GRACE_S) -> int:
    """End whatever is left of a group: politely, then by force; returns how many there were.

    Comes back within grace_s + 4 s, whatever the processes do.
    """
    found = members(group)
    for pids, number, limit_s in (
        (found, signal.SIGTERM, grace_s),
        (None, signal.SIGKILL, _LAST_S),
    ):
        left = members(group) if pids is None else pids
        waited = 0.0
        while left and waited < limit_s:
            if number == signal.SIGKILL or waited == 0:
                _send(left, number)
            await asyncio.sleep(_POLL_S)
            waited += _POLL_S
            left = members(group)
        if not left:
            break
    _live.pop(group.mark, None)
    return len(found)


def kill_all() -> None:
    """End every live group at once, for the program's exit; callable from anywhere."""
    for group in list(_live.values()):
        for _ in range(5):
            left = members(group)
            if not left:
                break
            _send(left, signal.SIGKILL)
        _live.pop(group.mark, None)


def live_groups() -> tuple[Group, ...]:
    """Groups that were started and not yet ended."""
    return tuple(_live.values())


def members(group: Group) -> list[int]:
    """Process ids of the group that are alive (zombies are not), this process never."""
    if not Path("/proc/self/stat").exists():
        return [group.leader] if _group_exists(group.leader) else []
    children: dict[int, list[int]] = {}
    found: set[int] = set()
    for pid, parent, process_group, session in _processes():
        children.setdefault(parent, []).append(pid)
        if group.leader in (pid, process_group, session) or _has_mark(pid, group.mark):
            found.add(pid)
    todo = list(found)
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return sorted(found - {os.getpid()})


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """(pid, parent, process group, session) of every process but zombies."""
    for entry in os.scandir("/proc"):
        name = entry.name
        if not name.isdigit():
            continue
        try:
            status = Path(f"/proc/{name}/stat").read_bytes()
        except OSError:
            continue
        state, parent, process_group, session = status[status.rindex(b")") + 2 :].split()[:4]
        if state not in (b"Z", b"X"):
            yield int(name), int(parent), int(process_group), int(session)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment


def _group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except OSError:
        return False
    return True


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
        with contextlib.suppress(OSError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, number)

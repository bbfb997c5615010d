"""What code knows of an archive: files, commands, failing tests, errors (spec/context 10). Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from neocode.domain.messages import Message, ToolCall

FileUse = Literal["read", "write", "edit"]

_READ = frozenset(("read", "read_file", "view", "cat", "open_file"))
_WRITE = frozenset(("write", "write_file", "create", "create_file"))
_EDIT = frozenset(("edit", "edit_file", "multiedit", "multi_edit", "notebookedit", "replace"))
_EDITOR_EDIT = frozenset(("str_replace", "insert", "undo_edit"))
_SHELL = frozenset(
    ("bash", "shell", "exec_command", "execute_bash", "run_shell_command", "run_command", "exec")
)
_PATH_KEYS = ("path", "file_path", "filename", "file", "notebook_path")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXIT = re.compile(
    r"\[?exit (?:code|status):? (-?\d+)|Exit code:? (-?\d+)|exited with (-?\d+)", re.I
)
_FAILED = (
    re.compile(r"^FAILED (\S+::\S+)", re.MULTILINE),
    re.compile(r"^(\S+::\S+) FAILED", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED", re.MULTILINE),
    re.compile(r"^(?:FAIL|ERROR): (\w+ \([\w.]+\))", re.MULTILINE),
)
_PASSED = re.compile(r"^(\S+::\S+) PASSED|^\s*--- PASS: (\S+)|^test (\S+) \.\.\. ok", re.MULTILINE)
_GREEN = re.compile(r"^=* ?\d+ passed(?!.*(?:failed|error))|^PASS$|^ok\s+\S+", re.MULTILINE)
MAX_LINE = 300


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file that tools touched: how often, and when last (a running number)."""

    path: str
    reads: int = 0
    writes: int = 0
    edits: int = 0
    last: int = 0

    @property
    def changes(self) -> int:
        """Writes and edits together."""
        return self.writes + self.edits


@dataclass(frozen=True, slots=True)
class Command:
    """A shell line that ran. status: exit status, None when the result does not say."""

    line: str
    status: int | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Ledger:
    """Facts of an archive. files: oldest use first; commands, errors: in order.

    failing: tests whose last seen outcome was a failure.
    """

    files: tuple[FileFact, ...] = ()
    commands: tuple[Command, ...] = ()
    failing: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def files_to_json(self) -> list[list[Any]]:
        """Files as JSON rows, carried from summary to summary."""
        return [[f.path, f.reads, f.writes, f.edits] for f in self.files]


def ledger_of(messages: Sequence[Message], earlier: Sequence[Any] = ()) -> Ledger:
    """The facts of these messages, added to the file rows of an earlier ledger."""
    files = _Files(earlier)
    commands: list[Command] = []
    failing: dict[str, None] = {}
    errors: list[str] = []
    results = {m.tool_call_id: m for m in messages if m.role == "tool"}
    for message in messages:
        for call in message.tool_calls:
            result = results.get(call.id)
            _note_call(call, result, files, commands)
        if message.role == "tool":
            _note_tests(message.content, failing)
            if message.is_error and message.content.strip():
                errors.append(_last_line(message.content))
    return Ledger(files.facts(), tuple(commands), tuple(failing), tuple(errors))


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The call's arguments; {} when they are malformed or no object."""
    try:
        data = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def call_path(call: ToolCall) -> str:
    """The file that a call is about, or ""."""
    args = arguments_of(call)
    return next((str(args[k]) for k in _PATH_KEYS if isinstance(args.get(k), str)), "")


class _Files:
    """Counts by path; dict order is the order of the last use."""

    def __init__(self, earlier: Sequence[Any]) -> None:
        self._counts: dict[str, dict[FileUse, int]] = {}
        for row in earlier:
            if isinstance(row, (list, tuple)) and len(row) == 4:
                path, reads, writes, edits = row
                counts: dict[FileUse, int] = {"read": reads, "write": writes, "edit": edits}
                self._counts[str(path)] = counts

    def note(self, path: str, use: FileUse) -> None:
        counts = self._counts.pop(path, {"read": 0, "write": 0, "edit": 0})
        counts[use] += 1
        self._counts[path] = counts

    def facts(self) -> tuple[FileFact, ...]:
        return tuple(
            FileFact(path, c["read"], c["write"], c["edit"], last)
            for last, (path, c) in enumerate(self._counts.items())
        )


def _note_call(
    call: ToolCall, result: Message | None, files: _Files, commands: list[Command]
) -> None:
    name = call.name.lower()
    if name in _SHELL:
        line = shell_line(arguments_of(call))
        if line:
            commands.append(Command(line[:MAX_LINE], _status(result), _is_error(result)))
            for path, use in _patched(line):
                files.note(path, use)
        return
    if _is_error(result):
        return
    for path, use in _uses(name, call):
        files.note(path, use)


def _uses(name: str, call: ToolCall) -> Iterator[tuple[str, FileUse]]:
    if name == "apply_patch":
        yield from _patched(str(arguments_of(call).get("input", call.arguments)))
        return
    use = _use_of(name, call)
    path = call_path(call) if use else ""
    if use and path:
        yield path, use


def _use_of(name: str, call: ToolCall) -> FileUse | None:
    if name == "str_replace_editor":
        name = str(arguments_of(call).get("command", "view"))
    if name in _READ:
        return "read"
    if name in _WRITE:
        return "write"
    return "edit" if name in _EDIT or name in _EDITOR_EDIT else None


def _patched(text: str) -> Iterator[tuple[str, FileUse]]:
    for kind, path in _PATCH_FILE.findall(text):
        yield path.strip(), "write" if kind == "Add" else "edit"


def shell_line(args: Mapping[str, Any]) -> str:
    """The shell line of a call's arguments, whatever the tool calls it."""
    line = args.get("command", args.get("cmd", ""))
    if isinstance(line, list):
        parts = [str(part) for part in line]
        line = parts[-1] if parts[:2] in (["bash", "-lc"], ["bash", "-c"]) else " ".join(parts)
    return str(line).strip()


def _status(result: Message | None) -> int | None:
    if result is None:
        return None
    status = result.metadata.get("exit_status")
    if isinstance(status, int):
        return status
    ends = result.content[:200] + "\n" + result.content[-200:]
    found = _EXIT.search(ends)
    return int(next(group for group in found.groups() if group)) if found else None


def _is_error(result: Message | None) -> bool:
    return result is not None and result.is_error


def _note_tests(content: str, failing: dict[str, None]) -> None:
    if "FAIL" not in content and "ERROR" not in content:
        if failing and _GREEN.search(content):
            failing.clear()
        return
    for match in _PASSED.finditer(content):
        failing.pop(next(group for group in match.groups() if group), None)
    for pattern in _FAILED:
        for name in pattern.findall(content):
            failing[name] = None


def _last_line(content: str) -> str:
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    return lines[-1][:MAX_LINE]


def artifacts(ledger: Ledger, room: int) -> list[str]:
    """Lines for key_artifacts: changed files newest first, most edited when room is short.

    room: lines at most. Files that were only read share the last lines.
    """
    changed = [f for f in ledger.files if f.changes]
    if len(changed) > room:
        changed = sorted(changed, key=lambda f: (f.changes, f.last))[-room:]
    lines = [_artifact(f) for f in sorted(changed, key=lambda f: -f.last)]
    read = [f.path for f in reversed(ledger.files) if not f.changes]
    return lines + _joined("read: ", read, max(0, min(4, room - len(lines))))


def _artifact(fact: FileFact) -> str:
    counts = (("written", fact.writes), ("edited", fact.edits), ("read", fact.reads))
    said = ", ".join(f"{word} {n}x" if n > 1 else word for word, n in counts if n)
    return f"{fact.path} ({said})"


def _joined(prefix: str, paths: Sequence[str], lines: int, width: int = 390) -> list[str]:
    made: list[str] = []
    for path in paths:
        if made and len(made[-1]) + len(path) + 2 <= width:
            made[-1] += ", " + path
        elif len(made) < lines:
            made.append(prefix + path)
        else:
            break
    return made

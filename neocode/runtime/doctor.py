"""Is everything there, and how to mend what is not: the checks of `neocode doctor`, /doctor."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neocode.domain.errors import NeoCodeError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. ok: false when something needs mending, which `mend` tells."""

    what: str
    ok: bool
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is to be examined. configuration, models: read afresh; may raise NeoCodeError."""

    environ: Mapping[str, str]
    database: Path
    configuration: Callable[[], Path]
    models: Callable[[], Sequence[str]]


def examine(patient: Patient) -> Iterator[Finding]:
    """Every check, cheapest first; none needs the network beyond this machine."""
    for check in (_python, _terminal, _configuration, _models, _database, _ripgrep, _git, _sandbox):
        yield _guarded(check, patient)


def findings_text(findings: Sequence[Finding]) -> str:
    """A line a finding, and what to do below those that need it."""
    lines = []
    for finding in findings:
        lines.append(f"{'ok  ' if finding.ok else 'MEND'} {finding.what:14} {finding.found}")
        if finding.mend:
            lines.append(f"     {'':14} {finding.mend}")
    return "\n".join(lines)


def _guarded(check: Callable[[Patient], Finding], patient: Patient) -> Finding:
    name = check.__name__.strip("_")
    try:
        return check(patient)
    except NeoCodeError as error:
        return Finding(name, False, error.message, error.hint)


def _python(_: Patient) -> Finding:
    return Finding("python", True, f"{sys.version.split()[0]} at {sys.executable}")


def _terminal(patient: Patient) -> Finding:
    term = patient.environ.get("TERM", "")
    stream = sys.__stdout__  # the screen puts another one in the place of sys.stdout
    if stream is None or not stream.isatty():
        return Finding("terminal", True, "none here; `neocode run` works without one")
    size = shutil.get_terminal_size()
    usable = term not in ("", "dumb") and size.columns >= 60 and size.lines >= 15
    return Finding(
        "terminal",
        usable,
        f"{term or 'TERM is not set'}, {size.columns}x{size.lines}",
        "" if usable else "Set TERM (xterm-256color) and use at least 60x15.",
    )


def _configuration(patient: Patient) -> Finding:
    path = patient.configuration()
    return Finding("configuration", True, f"{path}{'' if path.exists() else ' (not there)'}")


def _models(patient: Patient) -> Finding:
    names = patient.models()
    return Finding(
        "models",
        bool(names),
        ", ".join(names) or "none usable",
        ""
        if names
        else "Set a key such as ANTHROPIC_API_KEY, start a local server, or run "
        "`neocode models install qwen-1.5b`.",
    )


def _database(patient: Patient) -> Finding:
    from neocode.store.sessions import SessionStore

    path = patient.database
    if not path.exists():
        return Finding("database", True, f"{path} (made at the first message)")
    store = SessionStore.open(path)
    try:
        count = len(store.list(limit=100_000))
    finally:
        store.close()
    return Finding("database", True, f"{path}, {count} sessions")


def _ripgrep(_: Patient) -> Finding:
    from neocode.tools.files.ripgrep import find_rg

    found = find_rg()
    return Finding("ripgrep", True, str(found) if found else "not there; a slower search is used")


def _git(_: Patient) -> Finding:
    found = shutil.which("git")
    return Finding("git", True, found or "not there; branch and ignore files are not known")


def _sandbox(_: Patient) -> Finding:
    found = shutil.which("bwrap")
    return Finding(
        "sandbox", True, found or "bubblewrap is not installed; permissions.sandbox needs it"
    )

"""When something goes wrong with the program itself: a readable cause and a saved report."""

import contextlib
import platform
import re
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from neocode import __version__

_SECRETS = re.compile(
    r"\b(?:sk|pk|rk)-[\w-]{12,}|\bgh[pousr]_\w{20,}|\bAIza[\w-]{20,}|\bxox[abp]-[\w-]{10,}"
    r"|(?i:(?:api[_-]?key|token|secret|password|authorization)['\"]?\s*[:=]\s*['\"]?)[^\s'\"]{6,}"
)


def report_text(error: BaseException) -> str:
    """The report of an error: version, system, trace; known shapes of keys are masked."""
    trace = "".join(traceback.format_exception(error))
    head = f"NeoCode {__version__} · Python {platform.python_version()} · {platform.platform()}"
    return f"{head}\n\n{_SECRETS.sub('[masked]', trace)}"


def save_report(error: BaseException, logs_dir: Path | None) -> Path | None:
    """Write the report (0600) and return its path; None when it cannot be kept."""
    if logs_dir is None:
        return None
    name = f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    try:
        logs_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = logs_dir / name
        path.touch(mode=0o600)
        path.write_text(report_text(error), encoding="utf-8")
    except OSError:
        return None
    return path


def farewell(error: BaseException, report: Path | None) -> str:
    """What stands in the terminal after a crash."""
    cause = _SECRETS.sub("[masked]", f"{type(error).__name__}: {error}".strip(": \n"))
    lines = [
        f"NeoCode stopped because of a fault of its own: {cause}",
        "The session is kept: neocode --continue goes on with it.",
    ]
    if report is not None:
        lines.append(f"A report was saved to {report}")
    return "\n".join(lines)


def say_farewell(error: BaseException, logs_dir: Path | None) -> None:
    """Save the report and print the cause to standard error; never raises."""
    with contextlib.suppress(OSError, ValueError):
        print(farewell(error, save_report(error, logs_dir)), file=sys.stderr)

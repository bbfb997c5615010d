"""What a question to the user looks like: a permission request, the model's question."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.code import code_lines
from neocode.tui.text.lines import Block, Line, Span, lines
from neocode.tui.text.side_by_side import Diff

if TYPE_CHECKING:
    from neocode.domain.events import Answer, PermissionRequest, Question

_VERBS = {
    "read": "Read",
    "edit": "Change",
    "run": "Run this command",
    "network": "Go to the network",
}


class Option(NamedTuple):
    """One answer: the key that gives it, its words, what it stands for.

    answer: "once", "session", "always", "no", "reason" for permissions; the text itself, or
    "" for an answer of one's own, for questions.
    """

    key: str
    words: str
    answer: str


def permission_options(rule: str, *, hard: bool) -> list[Option]:
    """The answers to a permission request; a hard question has no lasting ones."""
    if hard:
        return [
            Option("1", "No (default)", "no"),
            Option("2", "No, and tell the model why…", "reason"),
            Option("3", "Yes, this once", "once"),
        ]
    options = [
        Option("1", "Yes, this once", "once"),
        Option("2", "Yes, for this session", "session"),
    ]
    if rule:
        options.append(Option("3", f"Always: writes the rule {one_line(rule, 200)}", "always"))
    count = len(options)
    options.append(Option(str(count + 1), "No", "no"))
    options.append(Option(str(count + 2), "No, and tell the model why…", "reason"))
    return options


def letter_answer(key: str, options: Sequence[Option]) -> Option | None:
    """The option a key stands for: its digit, or y (once), a (always), n (no)."""
    wanted = {"y": "once", "a": "always", "n": "no"}.get(key)
    return next((o for o in options if o.key == key or o.answer == wanted), None)


def permission_blocks(request: "PermissionRequest", root: Path) -> list[Block]:
    """The whole command or the diff, the reason, the real path."""
    access = request.access
    verb = _VERBS.get(access.kind, f"Use {access.tool}")
    target = one_line(access.target, 1000) if access.kind != "run" else ""
    style = "error b" if request.hard else "accent b"
    head = f"{'DANGER: ' if request.hard else ''}{verb}{' ' + target if target else ''}?"
    out: list[Block] = [Line((Span(head, style),))]
    if access.kind in ("read", "edit") and access.target:
        real = real_path(root, access.target)
        if real and real != str(root / access.target):
            out.append(Line((Span("real path ", "muted"), Span(clean(real), "warn b"))))
    if request.reason:
        out += lines(clean(request.reason).strip(), "error" if request.hard else "muted")
    if request.detail.strip() and request.detail.strip() != access.target.strip():
        out += [Line(), *_detail(request.detail)]
    elif access.kind == "run":
        out += [Line(), *code_lines(clean(access.target), "bash", (Span("  "),))]
    return out


def _detail(detail: str) -> Sequence[Block]:
    if detail.startswith("--- ") or "\n@@ " in f"\n{detail}":
        return [Diff(detail)]
    return code_lines(clean(detail).strip("\n"), "bash", (Span("  "),))


def real_path(root: Path, target: str) -> str:
    """Where a path leads when links and ".." are followed; "" when that cannot be said."""
    try:
        return str((root / Path(target).expanduser()).resolve())
    except (OSError, RuntimeError, ValueError):
        return ""


def question_blocks(question: "Question") -> list[Block]:
    """The model's question, as it was put."""
    first, *rest = clean(question.question).strip().split("\n")
    head: list[Block] = [Line((Span("? ", "accent b"), Span(first, "b")), (), (Span("  "),))]
    return head + [Line((Span(row),), (Span("  "),), (Span("  "),)) for row in rest]


def question_options(question: "Question") -> list[Option]:
    """The options offered, and an answer of one's own."""
    offered = [
        Option(str(i) if i < 9 else "", one_line(text, 300), text)
        for i, text in enumerate(question.options, 1)
    ]
    return [*offered, Option("o", "Something else…", "")]


def answer_of(option: Option) -> "Answer":
    """A permission option as the engine takes it."""
    return "no" if option.answer == "reason" else option.answer  # type: ignore[return-value]

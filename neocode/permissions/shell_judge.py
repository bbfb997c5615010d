"""Judging a shell line: each part on its own, the strictest answer for the whole."""

from collections.abc import Sequence

from neocode.permissions.commands.effects import EDITORS
from neocode.permissions.commands.environment import calm_variable
from neocode.permissions.commands.forbidding import smells
from neocode.permissions.commands.harmless import safe_in_place
from neocode.permissions.commands.suggest import rule_warning, suggest_command, takes_anything
from neocode.permissions.examine import examine
from neocode.permissions.layers import Under, bomb_text, under
from neocode.permissions.path_judge import (
    PLAN_REFUSAL,
    denial,
    path_rule,
    plan_denial,
    suggest_path,
)
from neocode.permissions.reading import first_denied
from neocode.permissions.report import Report
from neocode.permissions.rules import parse_rule
from neocode.permissions.shell.line import Part
from neocode.permissions.shell.parse import parse
from neocode.permissions.spelling import allowing_rule, denied_command, shorten, spelled
from neocode.permissions.streams import judge_redirects
from neocode.permissions.verdict import Policy, Verdict

_MAX_LAYERS = 6
_MAX_OFFERS = 3
_RANK = {"allow": 0, "ask": 1, "hard": 2, "deny": 3}


def judge_shell(line: str, policy: Policy) -> Verdict:
    """Decide a whole shell line; never raises."""
    if not line.strip():
        return Verdict(kind="allow", decided_by="project")
    parsed = parse(line, policy.ground)
    verdicts = [judge_part(part, policy) for part in parsed.parts]
    if parsed.bombs:
        verdicts.append(_hard([bomb_text(parsed)], policy))
    if parsed.problems:
        verdicts.append(_unclear(line, parsed.problems, policy))
    if not verdicts:
        return Verdict(kind="allow", decided_by="project")
    return _combine(verdicts)


def judge_part(part: Part, policy: Policy, depth: int = 0) -> Verdict:
    """Decide one simple command with what it runs in turn."""
    refusal = denied_command(part, policy)
    if refusal and refusal.kind == "deny":
        return refusal
    report = examine(part, policy)
    streams = judge_redirects(part, policy)
    beneath = under(part, policy.ground) if depth < _MAX_LAYERS else _too_deep()
    inner = [judge_part(piece, policy, depth + 1) for piece in beneath.parts]
    named = first_denied(beneath.paths, part.state, policy)
    if named and not report.denied:
        report.refuse(*named)
    if report.denied:
        return denial(report.denied, report.real_path)
    worst = _combine(inner + streams) if inner or streams else Verdict(kind="allow")
    if worst.kind == "deny":
        return worst
    hard = [*report.hard, *beneath.hard]
    if hard or worst.kind == "hard":
        return _hard([*hard, *([worst.reason] if worst.kind == "hard" else [])], policy, report)
    own = _own(part, policy, report, beneath, inner)
    return _combine([own, *streams, *([refusal] if refusal else [])])


def _own(
    part: Part, policy: Policy, report: Report, beneath: Under, inner: Sequence[Verdict]
) -> Verdict:
    """The command itself, when nothing about it is hard or forbidden."""
    doubts = [*report.doubts, *beneath.doubts]
    asks = [verdict for verdict in inner if verdict.kind == "ask"]
    calm = all(calm_variable(name) for name, _ in part.assignments)
    sets = part.kind == "assign" or not part.words
    looks = report.looks and calm and not beneath.notes
    passes = beneath.whole and calm and not beneath.notes and bool(beneath.parts)
    if doubts:
        reads = (looks or passes) and not sets
        if policy.mode == "plan" and not reads:
            return plan_denial()
        return _ask(doubts, report)
    if sets or (passes and not asks and (looks or not report.looks)):
        return Verdict(kind="allow", decided_by="project")
    if looks and not asks:
        return _secrets(report, policy)
    if passes and asks:
        return _combine(asks)
    if policy.mode == "plan":
        return plan_denial()
    rule = allowing_rule(part, policy)
    covered = rule is not None and (takes_anything(rule) or not beneath.fed)
    if rule and covered and all(verdict.rule for verdict in asks):
        return Verdict(kind="allow", decided_by=rule.text, reason=rule_warning(rule))
    return _by_mode(part, policy, report, beneath, asks)


def _by_mode(
    part: Part, policy: Policy, report: Report, beneath: Under, asks: Sequence[Verdict]
) -> Verdict:
    """What no rule allows: edits may pass, auto lets pass what is plain, the rest is asked."""
    if not asks and not report.secrets and not part.assignments and _only_edits(part):
        rules = [path_rule(policy.granted, "edit", "bash", p, policy) for p in report.edits]
        if report.edits and (policy.mode == "accept-edits" or all(rules)):
            by = rules[0].text if rules[0] else "mode"
            return Verdict(kind="allow", decided_by=by)
    known = part.words[0].literal and part.words[0].text.isascii()
    if policy.mode == "auto" and known and not beneath.notes and not asks:
        return Verdict(kind="allow", decided_by="mode")
    reasons = [f"Running `{shorten(part.source)}`.", *beneath.notes]
    if not known:
        reasons.append("Which program it runs cannot be told for sure.")
    reasons += [verdict.reason for verdict in asks]
    offered = known and not beneath.fed and all(verdict.rule for verdict in asks)
    rule = suggest_command(spelled(part)) if offered else ""
    if rule:
        reasons.append(rule_warning(parse_rule(rule)))
    text = " ".join(dict.fromkeys(filter(None, reasons)))
    return Verdict(kind="ask", reason=text, rule=rule, real_path=report.real_path)


def _only_edits(part: Part) -> bool:
    """True for a command that does nothing but change the files it names."""
    return part.name in EDITORS or (part.name == "sed" and safe_in_place(part.words[1:]))


def _secrets(report: Report, policy: Policy) -> Verdict:
    if not report.secrets or policy.mode == "auto":
        return Verdict(kind="allow", decided_by="project")
    place = report.secrets[0]
    offers = {suggest_path("read", secret, policy) for secret in report.secrets}
    return Verdict(
        kind="ask",
        reason=f"{place.real} looks like a file with secrets; its text would go to the model.",
        rule=offers.pop() if len(offers) == 1 else "",
        real_path=place.real,
    )


def _too_deep() -> Under:
    return Under(doubts=("It wraps commands too deeply to be told.",))


def _unclear(line: str, problems: Sequence[str], policy: Policy) -> Verdict:
    """A line that cannot be read for sure: asked, or hard when it smells of deletion."""
    text = "The line is not clear: " + "; ".join(problems) + "."
    if smells(line):
        return _hard([text, "It looks as if it deletes or overwrites."], policy)
    return plan_denial() if policy.mode == "plan" else Verdict(kind="ask", reason=text)


def _ask(reasons: Sequence[str], report: Report) -> Verdict:
    text = " ".join(dict.fromkeys(reasons))
    return Verdict(kind="ask", reason=text, real_path=report.real_path)


def _hard(reasons: Sequence[str], policy: Policy, report: Report | None = None) -> Verdict:
    text = " ".join(dict.fromkeys(reasons))
    path = report.real_path if report else ""
    if policy.mode == "plan":
        return Verdict(kind="deny", reason=f"{text} {PLAN_REFUSAL}", real_path=path)
    return Verdict(kind="hard", reason=text, decided_by="danger", real_path=path)


def _combine(verdicts: Sequence[Verdict]) -> Verdict:
    """The strictest of several; the questions of one kind are asked together."""
    rank = max(_RANK[verdict.kind] for verdict in verdicts)
    worst = [verdict for verdict in verdicts if _RANK[verdict.kind] == rank]
    rules = list(dict.fromkeys(verdict.rule for verdict in worst))
    offered = all(rules) and len(rules) <= _MAX_OFFERS and worst[0].kind == "ask"
    first = next((verdict for verdict in worst if verdict.decided_by != "project"), worst[0])
    return Verdict(
        kind=worst[0].kind,
        reason=" ".join(dict.fromkeys(verdict.reason for verdict in worst if verdict.reason)),
        rule=", ".join(rules) if offered else "",
        decided_by=first.decided_by,
        real_path=next((verdict.real_path for verdict in worst if verdict.real_path), ""),
    )

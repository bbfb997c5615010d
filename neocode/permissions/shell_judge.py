"""Judging a shell line: each part on its own, the strictest answer for the whole."""

import re
from collections.abc import Sequence
from dataclasses import replace

from neocode.permissions.effects import EDITORS
from neocode.permissions.environment import calm_variable
from neocode.permissions.examine import Report, examine
from neocode.permissions.git import read_git
from neocode.permissions.layers import Under, bomb_text, under
from neocode.permissions.line import Part
from neocode.permissions.path_judge import (
    PLAN_REFUSAL,
    denial,
    edit_danger,
    edit_doubt,
    path_rule,
    suggest_path,
)
from neocode.permissions.resolve import target
from neocode.permissions.rules import Rule, allows_command, may_match_command
from neocode.permissions.shell import parse
from neocode.permissions.suggest import rule_warning, suggest_command, takes_anything
from neocode.permissions.verdict import Policy, Verdict
from neocode.permissions.words import Word, literal, make_word

_MAX_LAYERS = 6
_MAX_OFFERS = 3
_STANDARD = ("/bin/", "/usr/bin/", "/usr/local/bin/")
_SMELLS = re.compile(
    r"\brm\s+(-\w+\s+)*-\w*[rRf]|\bmkfs|\bdd\s.*of=|\bgit\s+push\b.*(-f|--force|\s\+)|>\s*/dev/[sh]d"
    r"|\bshred\b|\bfind\b.*-delete|\brmtree\b|:\(\)\s*\{"
)
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
    refusal = _denied_command(part, policy)
    if refusal:
        return refusal
    report = examine(part, policy)
    streams = [verdict for verdict in _redirects(part, policy) if verdict.kind != "allow"]
    beneath = under(part, policy.ground) if depth < _MAX_LAYERS else _too_deep()
    inner = [judge_part(piece, policy, depth + 1) for piece in beneath.parts]
    if report.denied:
        return denial(report.denied, report.real_path)
    worst = _combine(inner + streams) if inner or streams else Verdict(kind="allow")
    if worst.kind == "deny":
        return worst
    hard = [*report.hard, *beneath.hard]
    if hard or worst.kind == "hard":
        return _hard([*hard, *([worst.reason] if worst.kind == "hard" else [])], policy, report)
    own = _own(part, policy, report, beneath, inner)
    return _combine([own, *streams]) if streams else own


def _own(
    part: Part, policy: Policy, report: Report, beneath: Under, inner: Sequence[Verdict]
) -> Verdict:
    """The command itself, when nothing about it is hard or forbidden."""
    doubts = [*report.doubts, *beneath.doubts]
    inner_asks = [verdict for verdict in inner if verdict.kind == "ask"]
    outside = [verdict.reason for verdict in inner_asks if not verdict.rule]
    calm = all(calm_variable(name) for name, _ in part.assignments)
    if part.kind == "assign" or not part.words:
        return (
            _ask(doubts, policy, report) if doubts else Verdict(kind="allow", decided_by="project")
        )
    looks = report.looks and calm and not beneath.notes
    passes = beneath.whole and calm and not beneath.notes and (beneath.parts or not report.looks)
    if doubts:
        writes = not (report.looks or passes) and policy.mode == "plan"
        return _plan() if writes else _ask(doubts, policy, report)
    if passes and beneath.parts and not inner_asks:
        return Verdict(kind="allow", decided_by="project")
    if looks and not inner_asks:
        return _secrets(report, policy)
    if policy.mode == "plan" and not (passes and inner_asks):
        return _plan()
    rule = _allowing_rule(part, policy)
    if rule and beneath.fed and not takes_anything(rule):
        rule = None
    if rule and not outside:
        return Verdict(kind="allow", decided_by=rule.text, reason=rule_warning(rule))
    return _by_mode(part, policy, report, beneath, inner_asks)


def _by_mode(
    part: Part, policy: Policy, report: Report, beneath: Under, inner_asks: Sequence[Verdict]
) -> Verdict:
    if part.name in EDITORS and not inner_asks and report.edits and not part.assignments:
        if policy.mode == "accept-edits" and not report.secrets:
            return Verdict(kind="allow", decided_by="mode")
        rules = [path_rule(policy.granted, "edit", "bash", p, policy) for p in report.edits]
        granted = [rule for rule in rules if rule]
        if len(granted) == len(rules) and not report.secrets:
            return Verdict(kind="allow", decided_by=granted[0].text)
    if beneath.whole and inner_asks and not beneath.notes:
        return _combine(inner_asks)
    known = bool(part.words) and part.words[0].literal and part.words[0].text.isascii()
    if policy.mode == "auto" and known and not beneath.notes and not inner_asks:
        return Verdict(kind="allow", decided_by="mode")
    reasons = [*beneath.notes, *(verdict.reason for verdict in inner_asks)]
    unsafe = [verdict for verdict in inner_asks if not verdict.rule]
    if not known:
        reasons.insert(0, "Which program it runs cannot be told for sure.")
    offer = "" if unsafe or beneath.fed or not known else suggest_command(_spelled(part))
    warning = rule_warning_of(offer)
    text = " ".join(dict.fromkeys([f"Running `{_short(part.source)}`.", *reasons, *warning]))
    return Verdict(kind="ask", reason=text, rule=offer, real_path=report.real_path)


def rule_warning_of(offer: str) -> list[str]:
    """The warning that goes with an offered rule, as a list of none or one."""
    from neocode.permissions.rules import parse_rule

    if not offer:
        return []
    warning = rule_warning(parse_rule(offer))
    return [warning] if warning else []


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


def _redirects(part: Part, policy: Policy) -> list[Verdict]:
    """Each redirection as the read or edit that it is."""
    found: list[Verdict] = []
    for redirect in part.redirects:
        word = redirect.target
        if word is None or (word.pieces and word.pieces[0].text.startswith((">(", "<("))):
            continue
        there = target(word, part.state, policy.ground)
        if not there.sure:
            text = f"Which file {word.text!r} is, is not known before it runs."
            plan = policy.mode == "plan" and redirect.writes
            found.append(_plan() if plan else Verdict(kind="ask", reason=text))
        for place in there.places:
            if not place.stream:
                piece = replace(part, words=(literal("cat"), literal(place.real)), redirects=())
                reading = not redirect.writes
                found.append(
                    _own(piece, policy, examine(piece, policy), Under(), ())
                    if reading
                    else _edit(place.real, policy, append=redirect.op in (">>", "&>>"))
                )
    return found


def _edit(path: str, policy: Policy, *, append: bool) -> Verdict:
    from neocode.permissions.path_judge import denying_rule
    from neocode.permissions.paths import locate

    place = locate(path, policy.ground)
    rule = denying_rule("edit", "bash", place, policy)
    if rule:
        return denial(rule, place.real)
    if policy.mode == "plan":
        return _plan()
    danger = edit_danger(place, policy, append=append)
    if danger:
        return Verdict(kind="hard", reason=danger, decided_by="danger", real_path=place.real)
    doubt = edit_doubt(place, policy)
    if doubt:
        return Verdict(kind="ask", reason=doubt, real_path=place.real)
    granted = path_rule(policy.granted, "edit", "bash", place, policy)
    if granted or policy.mode in ("accept-edits", "auto"):
        return Verdict(kind="allow", decided_by=granted.text if granted else "mode")
    offer = suggest_path("edit", place, policy)
    return Verdict(
        kind="ask", reason=f"It writes to {place.real}.", rule=offer, real_path=place.real
    )


def _denied_command(part: Part, policy: Policy) -> Verdict | None:
    for rule in policy.deny:
        for words in _spellings(part):
            if not may_match_command(rule, words):
                continue
            if all(word.literal for word in words) or allows_command(rule, words):
                return denial(rule)
            return Verdict(
                kind="deny" if policy.mode == "plan" else "ask",
                reason=f"It may be what the rule {rule.text} forbids: {_short(part.source)}",
            )
    return None


def _spellings(part: Part) -> list[tuple[Word, ...]]:
    """The ways to read the command: as written, by bare name, git without its options."""
    words = part.words
    if not words:
        return []
    found = [words]
    if "/" in words[0].text:
        found.append((literal(part.name), *words[1:]))
    if part.name == "git":
        call = read_git(words[1:])
        if call.sub:
            found.append((literal("git"), literal(call.sub), *call.args))
    return found


def _spelled(part: Part) -> tuple[Word, ...]:
    """The words that rules are held against: variables in front that matter come first."""
    front = tuple(
        make_word([*literal(f"{name}=").pieces, *value.pieces])
        for name, value in part.assignments
        if not calm_variable(name)
    )
    first = part.words[0]
    if any(first.text == folder + part.name for folder in _STANDARD):
        first = literal(part.name)
    extra = _declared(part) if part.kind == "declare" else ()
    return (first, *extra) if extra else (*front, first, *part.words[1:])


def _declared(part: Part) -> tuple[Word, ...]:
    return (
        *part.words[1:],
        *(
            make_word([*literal(f"{name}=").pieces, *value.pieces])
            for name, value in part.assignments
        ),
    )


def _allowing_rule(part: Part, policy: Policy) -> Rule | None:
    words = _spelled(part)
    return next((rule for rule in policy.granted if allows_command(rule, words)), None)


def _too_deep() -> Under:
    return Under(doubts=("It wraps commands too deeply to be told.",))


def _unclear(line: str, problems: Sequence[str], policy: Policy) -> Verdict:
    """A line that cannot be read for sure: asked, or hard when it smells of deletion."""
    text = "The line is not clear: " + "; ".join(problems) + "."
    if _SMELLS.search(line):
        return _hard([text, "It looks as if it deletes or overwrites."], policy)
    return _plan() if policy.mode == "plan" else Verdict(kind="ask", reason=text)


def _plan() -> Verdict:
    return Verdict(kind="deny", reason=PLAN_REFUSAL)


def _ask(reasons: Sequence[str], policy: Policy, report: Report) -> Verdict:
    text = " ".join(dict.fromkeys(reasons))
    return Verdict(kind="ask", reason=text, real_path=report.real_path)


def _hard(reasons: Sequence[str], policy: Policy, report: Report | None = None) -> Verdict:
    text = " ".join(dict.fromkeys(reasons))
    path = report.real_path if report else ""
    if policy.mode == "plan":
        return Verdict(kind="deny", reason=f"{text} {PLAN_REFUSAL}", real_path=path)
    return Verdict(kind="hard", reason=text, decided_by="danger", real_path=path)


def _short(source: str) -> str:
    line = " ".join(source.split())
    return line if len(line) <= 200 else line[:199] + "…"


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

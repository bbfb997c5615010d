"""Redirections, judged as the reads and edits that they are."""

from neocode.permissions.path_judge import judge_edit_place, judge_read_place, plan_denial
from neocode.permissions.shell.line import Part, Redirect
from neocode.permissions.shell.resolve import target
from neocode.permissions.verdict import Policy, Verdict


def judge_redirects(part: Part, policy: Policy) -> list[Verdict]:
    """One verdict or more for each redirection to or from a file."""
    return [
        verdict
        for redirect in part.redirects
        for verdict in _judge(redirect, part, policy)
        if verdict.kind != "allow"
    ]


def _judge(redirect: Redirect, part: Part, policy: Policy) -> list[Verdict]:
    word = redirect.target
    if word is None or (word.pieces and word.pieces[0].text.startswith((">(", "<("))):
        return []
    there = target(word, part.state, policy.ground)
    found: list[Verdict] = []
    if not there.sure:
        text = f"Which file {word.text!r} is, is not known before it runs."
        refused = policy.mode == "plan" and redirect.writes
        found.append(plan_denial() if refused else Verdict(kind="ask", reason=text))
    for place in there.places:
        if place.stream:
            continue
        if redirect.writes:
            append = redirect.op in (">>", "&>>")
            found.append(judge_edit_place(place, "bash", policy, append=append))
        else:
            found.append(judge_read_place(place, "bash", policy))
    return found

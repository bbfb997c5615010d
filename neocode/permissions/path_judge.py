"""Judging reads and edits of one path (spec/safety "Permissions")."""

from neocode.domain.tooling import Access
from neocode.permissions.paths import Place, is_below, locate
from neocode.permissions.rules import Rule, matches_path
from neocode.permissions.sensitive import guarded, looks_secret
from neocode.permissions.verdict import Policy, Verdict

PLAN_REFUSAL = (
    "Plan mode is read only: nothing may be changed or run. "
    "Describe the change instead; the user can switch the mode with Shift+Tab."
)


def judge_read(access: Access, policy: Policy) -> Verdict:
    """A read: passes inside the project, but for files that look like secrets."""
    place = locate(access.target, policy.ground)
    refused = _denied(access, place, policy)
    if refused:
        return refused
    rule = path_rule(policy.granted, "read", access.tool, place, policy)
    if rule:
        return Verdict(kind="allow", decided_by=rule.text, real_path=place.real)
    if place.readable and (policy.mode == "auto" or not looks_secret(place.real)):
        return Verdict(kind="allow", decided_by="project", real_path=place.real)
    if place.readable:
        reason = f"{place.real} looks like a file with secrets; its text would go to the model."
    else:
        reason = f"Reading outside the project: {place.real}."
    offer = suggest_path("read", place, policy) if place.sure else ""
    return Verdict(kind="ask", reason=reason, rule=offer, real_path=place.real)


def judge_edit(access: Access, policy: Policy) -> Verdict:
    """An edit: outside the project it is always a question, by mode and rules inside."""
    place = locate(access.target, policy.ground)
    refused = _denied(access, place, policy)
    if refused:
        return refused
    why_hard = edit_danger(place, policy)
    if policy.mode == "plan":
        return Verdict(kind="deny", reason=PLAN_REFUSAL, real_path=place.real)
    if why_hard:
        return Verdict(kind="hard", reason=why_hard, decided_by="danger", real_path=place.real)
    doubt = edit_doubt(place, policy)
    if doubt:
        return Verdict(kind="ask", reason=doubt, real_path=place.real)
    rule = path_rule(policy.granted, "edit", access.tool, place, policy)
    if rule:
        return Verdict(kind="allow", decided_by=rule.text, real_path=place.real)
    if policy.mode in ("accept-edits", "auto"):
        return Verdict(kind="allow", decided_by="mode", real_path=place.real)
    return Verdict(
        kind="ask",
        reason=f"Changing {place.real}.",
        rule=suggest_path("edit", place, policy),
        real_path=place.real,
    )


def edit_danger(place: Place, policy: Policy, *, append: bool = False) -> str:
    """Why writing there is a hard question; "" when it is not."""
    if place.stream:
        return ""
    guard = guarded(place, policy.ground)
    if guard:
        return f"Writing to {place.real}: {guard}."
    if not place.inside and place.exists and not place.is_dir and not append:
        return f"Overwriting a file outside the project: {place.real}."
    return ""


def edit_doubt(place: Place, policy: Policy) -> str:
    """Why writing there is asked about in every mode; "" when it is not."""
    if place.stream:
        return ""
    if not place.inside:
        return f"Writing outside the project: {place.real}."
    if place.links > 1:
        return f"{place.real} has {place.links} hard links: another file changes with it."
    names = place.real[len(policy.ground.root) :].casefold().split("/")
    if ".git" in names:
        return f"{place.real} is git's own data."
    if ".neocode" in names:
        return f"{place.real} is a setting of NeoCode."
    return ""


def path_rule(
    rules: tuple[Rule, ...], subject: str, tool: str, place: Place, policy: Policy
) -> Rule | None:
    """The first rule that matches the real path."""
    ground = policy.ground
    for rule in rules:
        if rule.names(subject, tool) and matches_path(
            rule, place.real, root=ground.root, home=ground.home, fold_case=ground.fold_case
        ):
            return rule
    return None


def denying_rule(subject: str, tool: str, place: Place, policy: Policy) -> Rule | None:
    """The first deny rule that matches the path as given or as it really is."""
    ground = policy.ground
    for rule in policy.deny:
        if rule.names(subject, tool) and any(
            matches_path(rule, path, root=ground.root, home=ground.home, fold_case=ground.fold_case)
            for path in (place.real, place.given)
        ):
            return rule
    return None


def _denied(access: Access, place: Place, policy: Policy) -> Verdict | None:
    subject = "read" if access.kind == "read" else "edit"
    rule = denying_rule(subject, access.tool, place, policy)
    return denial(rule, place.real) if rule else None


def denial(rule: Rule, real_path: str = "") -> Verdict:
    """The refusal by a deny rule, with words for the model."""
    reason = f"The user's rule {rule.text} forbids this. Do not try it another way."
    return Verdict(kind="deny", reason=reason, decided_by=rule.text, real_path=real_path)


def suggest_path(subject: str, place: Place, policy: Policy) -> str:
    """The rule that "always" would write: a secret's own path, else its top folder.

    "" where a name holds characters that a pattern would misread.
    """
    root = policy.ground.root
    relative = place.real[len(root.rstrip("/")) + 1 :] if is_below(place.real, root) else ""
    if any(char in place.real for char in "*?[]()\n") or place.real != place.real.strip():
        return ""
    if not relative or looks_secret(place.real):
        return f"{subject}({relative or place.real})"
    top = relative.split("/")
    return f"{subject}({top[0]}/**)" if len(top) > 1 else f"{subject}({relative})"

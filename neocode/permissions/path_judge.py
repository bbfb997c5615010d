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
    """A read by a tool, or of a file that the user mentions."""
    return judge_read_place(locate(access.target, policy.ground), access.tool, policy)


def judge_edit(access: Access, policy: Policy) -> Verdict:
    """An edit by a tool."""
    return judge_edit_place(locate(access.target, policy.ground), access.tool, policy)


def judge_read_place(place: Place, tool: str, policy: Policy) -> Verdict:
    """A read: passes inside the project, but for files that look like secrets."""
    refused = denying_rule("read", tool, place, policy)
    if refused:
        return denial(refused, place.real)
    rule = path_rule(policy.granted, "read", tool, place, policy)
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


def judge_edit_place(place: Place, tool: str, policy: Policy, *, append: bool = False) -> Verdict:
    """An edit: outside the project it is always a question, by mode and rules inside.

    append: what is there now is kept.
    """
    refused = denying_rule("edit", tool, place, policy)
    if refused:
        return denial(refused, place.real)
    if policy.mode == "plan":
        return plan_denial(place.real)
    danger = edit_danger(place, policy, append=append)
    if danger:
        return Verdict(kind="hard", reason=danger, decided_by="danger", real_path=place.real)
    doubt = edit_doubt(place, policy)
    if doubt:
        return Verdict(kind="ask", reason=doubt, real_path=place.real)
    rule = path_rule(policy.granted, "edit", tool, place, policy)
    if rule or policy.mode in ("accept-edits", "auto"):
        by = rule.text if rule else "mode"
        return Verdict(kind="allow", decided_by=by, real_path=place.real)
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


def edit_doubt(place: Place, policy: Policy, *, links: bool = True) -> str:
    """Why writing there is asked about in every mode; "" when it is not.

    links: hard links count; deleting one of them leaves the others alone.
    """
    if place.stream:
        return ""
    if not place.inside:
        return f"Writing outside the project: {place.real}."
    if links and place.links > 1:
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


def plan_denial(real_path: str = "") -> Verdict:
    """The refusal of anything but looking, in plan mode."""
    return Verdict(kind="deny", reason=PLAN_REFUSAL, real_path=real_path)


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

"""The judge: what may pass, what is asked, what is refused (spec/safety "Permissions").

Pure but for looks at the file system; never raises on any text; text that came from
files, tools or the web has no way in, for only rules and the mode are asked.
"""

from urllib.parse import urlsplit

from neocode.domain.tooling import Access
from neocode.permissions.path_judge import denial, judge_edit, judge_read
from neocode.permissions.rules import matches_host
from neocode.permissions.shell_judge import judge_shell
from neocode.permissions.verdict import Policy, Verdict, VerdictKind, make_policy

__all__ = ["Policy", "Verdict", "VerdictKind", "judge", "make_policy"]


def judge(access: Access, policy: Policy) -> Verdict:
    """Decide one access. A call passes only when each of its accesses does."""
    match access.kind:
        case "none":
            return Verdict(kind="allow", decided_by="project")
        case "read":
            return judge_read(access, policy)
        case "edit":
            return judge_edit(access, policy)
        case "run" if not access.tool.startswith("mcp__"):
            return judge_shell(access.target, policy)
        case _:
            return _judge_target(access, policy)


def _judge_target(access: Access, policy: Policy) -> Verdict:
    """A host, or a call of an MCP server's tool."""
    target = _host(access.target)
    subject = "network" if access.kind == "network" else access.tool
    named = access.tool if access.tool.startswith("mcp__") else subject
    for rule in policy.deny:
        if rule.names(subject, named) and matches_host(rule, target):
            return denial(rule)
    for rule in policy.granted:
        if rule.names(subject, named) and matches_host(rule, target):
            return Verdict(kind="allow", decided_by=rule.text)
    if policy.mode == "auto":
        return Verdict(kind="allow")
    if policy.mode == "plan" and access.kind == "run":
        return Verdict(kind="deny", reason="Plan mode is read only: this tool may not run.")
    offer = f"{named}({target if subject == 'network' and target else '*'})"
    plain = target and not any(char in target for char in "()*\n ")
    what = f"Reaching {target} over the network." if subject == "network" else f"Calling {named}."
    return Verdict(kind="ask", reason=what, rule=offer if plain or named != "network" else "")


def _host(target: str) -> str:
    if "://" not in target:
        return target.strip()
    try:
        return urlsplit(target).hostname or target
    except ValueError:
        return target

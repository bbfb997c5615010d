"""Judging a shell line, part by part."""

from neocode.permissions.verdict import Policy, Verdict


def judge_shell(line: str, policy: Policy) -> Verdict:
    """Decide a whole shell line."""
    if policy.mode == "plan":
        return Verdict(kind="deny", reason="Plan mode is read only: this may not run.")
    return Verdict(kind="ask", reason=f"Running: {line}")

"""What a judgement starts from and what it says."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from neocode.config.schema import Mode, PermissionsConfig
from neocode.permissions.paths import Ground, make_ground
from neocode.permissions.rules import Rule, parse_rule, split_rules

VerdictKind = Literal["allow", "ask", "hard", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision about one access.

    kind: allow, it passes; ask, an ordinary question; hard, a question in every mode with
        default no and without "always"; deny, refused, and reason is for the model.
    reason: whole sentences for the question, or for the model; "" for a plain pass.
    rule: what "always" would write, "" where it is not offered; for a line of several
        commands it may be several rules joined by ", " (see split_rules).
    decided_by: "mode", "project" (a harmless or inside access), "danger", or a rule's text.
    real_path: where the access really leads, "" for accesses without one place.
    """

    kind: VerdictKind
    reason: str = ""
    rule: str = ""
    decided_by: str = "mode"
    real_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules in force. deny wins over allow and session, hard questions over all."""

    mode: Mode
    ground: Ground
    allow: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    session: tuple[Rule, ...] = ()

    @property
    def granted(self) -> tuple[Rule, ...]:
        """Every rule that lets pass: configured ones, then those of this session."""
        return self.allow + self.session

    def with_mode(self, mode: Mode) -> "Policy":
        """The same rules in another mode."""
        return replace(self, mode=mode)

    def with_session_of(self, other: "Policy") -> "Policy":
        """With the rules that were granted to another policy for this session."""
        return replace(self, session=other.session)

    def with_session_rule(self, rule: str) -> "Policy":
        """With a Verdict's rule granted for this session; raises RuleError when unreadable."""
        texts = split_rules(rule) or (rule,)
        return replace(self, session=self.session + tuple(map(parse_rule, texts)))


def make_policy(
    config: PermissionsConfig,
    root: Path,
    *,
    mode: Mode | None = None,
    session: Iterable[str] = (),
    readable_extra: Iterable[Path] = (),
    home: Path | None = None,
) -> Policy:
    """The policy of a project folder. mode: overrides the configured one.

    Raises RuleError (a ValueError) for a rule that cannot be read.
    """
    return Policy(
        mode=mode or config.mode,
        ground=make_ground(root, home, tuple(readable_extra)),
        allow=tuple(map(parse_rule, config.allow)),
        deny=tuple(map(parse_rule, config.deny)),
        session=tuple(map(parse_rule, session)),
    )

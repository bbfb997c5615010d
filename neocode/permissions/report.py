"""What was found out about one command."""

from dataclasses import dataclass, field

from neocode.permissions.paths import Place
from neocode.permissions.rules import Rule


@dataclass(slots=True)
class Report:
    """Findings about one command.

    hard: why it is a hard question. doubts: why it is asked about whatever the rules say.
    edits: places inside that it changes. secrets: places inside that look like secrets.
    denied: the deny rule that a place matches. real_path: the first place that matters.
    looks: it only reads, and everything it reads is known.
    """

    hard: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    edits: list[Place] = field(default_factory=list)
    secrets: list[Place] = field(default_factory=list)
    denied: Rule | None = None
    real_path: str = ""
    looks: bool = False

    def point(self, place: Place) -> None:
        """Remember the place for the question, if it is the first."""
        self.real_path = self.real_path or place.real

    def refuse(self, rule: Rule | None, place: Place) -> None:
        """A deny rule matches the place; the first one counts."""
        if rule and not self.denied:
            self.denied, self.real_path = rule, place.real

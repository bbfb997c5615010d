"""TaskState: the durable state of the task, beside the chat (spec/context 1 and 10)."""

from dataclasses import asdict, dataclass
from typing import Any

from neocode.domain.json_types import JsonObject

TEXT_FIELDS = ("goal", "next_step")
LIST_FIELDS = (
    "progress",
    "open_items",
    "blockers",
    "key_artifacts",
    "decisions",
    "user_constraints",
)
MAX_FIELD_CHARS = 2000
MAX_ITEMS = 32
MAX_ITEM_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """What the agent must still know when the chat is gone.

    Lists are oldest first, but key_artifacts, which are newest first.
    last_updated_at: RFC 3339, UTC; "" while the state was never written.
    pinned: the user's rules, word for word; each stands in user_constraints too and
        survives every compaction unchanged until it is unpinned.
    """

    goal: str = ""
    progress: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()
    next_step: str = ""
    blockers: tuple[str, ...] = ()
    key_artifacts: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    user_constraints: tuple[str, ...] = ()
    last_updated_at: str = ""
    pinned: tuple[str, ...] = ()

    @property
    def is_established(self) -> bool:
        """True when any field but the time is non-empty."""
        return any(getattr(self, name) for name in TEXT_FIELDS + LIST_FIELDS)

    @property
    def richness(self) -> int:
        """How many facts the state holds: non-empty texts plus list items."""
        texts = sum(bool(getattr(self, name).strip()) for name in TEXT_FIELDS)
        return texts + sum(len(getattr(self, name)) for name in LIST_FIELDS)

    def to_json(self) -> dict[str, Any]:
        """Every field, as JSON values."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }


def task_state_from_json(data: JsonObject) -> TaskState:
    """Read back what to_json wrote; missing keys are empty, unknown ones are ignored."""
    texts = {name: str(data.get(name, "")) for name in (*TEXT_FIELDS, "last_updated_at")}
    lists = {name: tuple(map(str, data.get(name, ()))) for name in (*LIST_FIELDS, "pinned")}
    return TaskState(**texts, **lists)  # type: ignore[arg-type]

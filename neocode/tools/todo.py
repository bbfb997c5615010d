"""todo: the plan of a longer task, shown beside the chat."""

from typing import Any

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError

_STATUSES = ("pending", "in_progress", "done")
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}
_MOST = 50


class TodoTool:
    """Replaces the list of what is to be done."""

    spec = ToolSpec(
        name="todo",
        description="Replace the task list shown to the user. For work of three or more steps.",
        parameters={
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string"},
                            "status": {"type": "string", "enum": list(_STATUSES)},
                        },
                        "required": ["text", "status"],
                    },
                }
            },
            "required": ["items"],
        },
        preserve_history=True,
    )

    def summary(self, args: JsonObject) -> str:
        """todo 2/5"""
        items = args.get("items", ())
        done = sum(isinstance(item, dict) and item.get("status") == "done" for item in items)
        return f"todo {done}/{len(items)}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """Nothing is touched."""
        return []

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """The list as it now is; metadata "todos" holds it for the screen."""
        items = [_item(item) for item in args.get("items", ())]
        if len(items) > _MOST:
            raise ToolError(f"At most {_MOST} items; join the small ones.")
        lines = [f"{_MARKS[item['status']]} {item['text']}" for item in items]
        return ToolOutcome(
            content="\n".join(lines) or "The list is empty.", metadata={"todos": items}
        )


def _item(item: Any) -> dict[str, str]:
    text, status = str(item.get("text", "")).strip(), item.get("status", "pending")
    if not text:
        raise ToolError("Every item needs a text.")
    if status not in _STATUSES:
        raise ToolError(f"status must be one of {', '.join(_STATUSES)}.")
    return {"text": " ".join(text.split()), "status": status}

"""ask_user: a question that only the user can answer."""

from neocode.domain.json_types import JsonObject
from neocode.domain.tooling import Access, ToolOutcome, ToolSpec
from neocode.tools.base import ToolContext, ToolError, text_arg

_FEWEST, _MOST = 2, 4


class AskUserTool:
    """Asks the user and waits; they choose an option or write freely."""

    spec = ToolSpec(
        name="ask_user",
        description="Ask the user when only they can decide. 2-4 options; they may answer freely.",
        parameters={
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "options": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["question"],
        },
        preserve_history=True,
    )

    def summary(self, args: JsonObject) -> str:
        """ask: the question"""
        return f"ask: {args.get('question', '')}"

    def accesses(self, args: JsonObject, context: ToolContext) -> list[Access]:
        """Nothing is touched."""
        return []

    def preview(self, args: JsonObject, context: ToolContext) -> str:
        """Nothing to show."""
        return ""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """The answer in the user's words; raises ToolError when nobody can be asked."""
        question = text_arg(args, "question").strip()
        options = tuple(str(option).strip() for option in args.get("options") or ())
        if not question:
            raise ToolError("The question is empty.")
        if options and not _FEWEST <= len(set(options)) == len(options) <= _MOST:
            raise ToolError("options must be 2 to 4 different texts, or be left out.")
        answer = await context.ask(question, options)
        return ToolOutcome(content=f"The user answers: {answer}")

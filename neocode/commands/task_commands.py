"""/pin, /unpin, /task."""

from collections.abc import Callable

from neocode.commands.result import CommandResult
from neocode.domain.errors import NeoCodeError
from neocode.domain.task_state import TaskState
from neocode.runtime import tasks
from neocode.runtime.api import EngineApi

USAGE = "/task [set FIELD TEXT | add FIELD TEXT | drop FIELD NUMBER]"


async def pin(engine: EngineApi, argument: str) -> CommandResult:
    """Pin a rule; without one, list those that are pinned."""
    if not argument:
        rules = engine.session.task_state.pinned
        listed = "\n".join(f"{number}. {rule}" for number, rule in enumerate(rules, 1))
        return CommandResult(text=listed or "No rule is pinned. /pin TEXT pins one.")
    state = await engine.edit_task_state(lambda state: tasks.pin(state, argument))
    return CommandResult(
        text=f"Pinned as number {len(state.pinned)}: it goes with every request, word for word, "
        "until /unpin."
    )


async def unpin(engine: EngineApi, argument: str) -> CommandResult:
    """Take a pinned rule away, by its number or words."""
    before = engine.session.task_state.pinned
    state = await engine.edit_task_state(lambda state: tasks.unpin(state, argument))
    gone = next((rule for rule in before if rule not in state.pinned), argument)
    return CommandResult(text=f"No longer pinned: {gone}")


async def task(engine: EngineApi, argument: str) -> CommandResult:
    """Show the TaskState, or edit one field of it."""
    if not argument:
        return CommandResult(show="task", text=tasks.describe(engine.session.task_state))
    state = await engine.edit_task_state(_edit(argument))
    return CommandResult(text=tasks.describe(state))


def _edit(argument: str) -> Callable[[TaskState], TaskState]:
    verb, _, rest = argument.partition(" ")
    field, _, value = rest.strip().partition(" ")
    match verb:
        case "set" if field:
            return lambda state: tasks.set_text(state, field, value)
        case "add" if field:
            return lambda state: tasks.add_item(state, field, value)
        case "drop" if value.strip().isdecimal():
            return lambda state: tasks.drop_item(state, field, int(value))
        case _:
            raise NeoCodeError(f"That is no edit of the task state. {USAGE}")

"""/init, /doctor."""

from importlib.resources import files

from neocode.commands.result import CommandResult
from neocode.runtime.api import EngineApi
from neocode.runtime.doctor import findings_text

INSTRUCTIONS = "AGENTS.md"


async def init(engine: EngineApi, argument: str) -> CommandResult:
    """Have the model write a first AGENTS.md; `force` when there is one already."""
    path = engine.root / INSTRUCTIONS
    if argument not in ("", "force"):
        return CommandResult(text="/init, or /init force", level="error")
    if argument != "force" and (path.exists() or path.is_symlink()):
        return CommandResult(
            text=f"{path} is there already. `/init force` has it written anew; /rewind brings "
            "the old one back.",
            level="error",
        )
    engine.submit(init_prompt())
    return CommandResult()


def init_prompt() -> str:
    """What the model is asked, from prompts/init.md."""
    return (files("neocode.commands") / "prompts" / "init.md").read_text("utf-8").strip()


async def doctor(engine: EngineApi, _: str) -> CommandResult:
    """The checks of `neocode doctor`."""
    return CommandResult(show="doctor", text=findings_text(await engine.examine()))

"""A summary made by code alone: what the user said, files, commands, errors (spec/context 11).

Pure. It is marked as such, and holds only what stands in the archive.
"""

import re
from collections.abc import Sequence

from neocode.compact.cut import shorten
from neocode.compact.ledger import Command, Ledger
from neocode.compact.parse import Summary
from neocode.compact.plan import Plan
from neocode.compact.summary import Bullets, render, shape
from neocode.compact.user_words import run_answers
from neocode.config.schema import CompactConfig
from neocode.domain.messages import Message
from neocode.domain.task_state import TaskState

MADE_BY_CODE = "made by code alone; no model wrote this summary"
MAX_ITEM = 380
_RULE = re.compile(
    r"\b(?:must|never|always|only|don't|do not|make sure|instead of|prefer|avoid|ensure)\b"
    r"|必须|不要|不能|只能|只用|禁止|务必|请勿|别用|统一用|してください|しないで",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\w)[^.!?。！？\n]+)*[.!?。！？]?")
MAX_RULE_SOURCE = 3000
"""Longer user messages are mostly pasted text: no rules are read out of them."""


def extract(plan: Plan, ledger: Ledger, earlier: TaskState) -> Summary:
    """What a summariser would be asked for, from the archive: the state, and no text yet."""
    archived, kept = plan.archived, plan.kept
    prompts = [m.content.strip() for m in archived if _is_prompt(m)]
    waiting = [m.content.strip() for m in kept if _is_prompt(m)]
    answers = run_answers(archived)
    state = TaskState(
        goal=earlier.goal or _first(prompts + waiting),
        progress=earlier.progress + tuple(shorten(_gist(text), MAX_ITEM) for text in answers[-8:]),
        open_items=earlier.open_items or tuple(f"failing test: {t}" for t in ledger.failing[-8:]),
        next_step=_next_step(waiting, earlier),
        blockers=earlier.blockers or tuple(shorten(e, MAX_ITEM) for e in ledger.errors[-2:]),
        key_artifacts=tuple(_command(c) for c in _newest_commands(ledger.commands)),
        decisions=earlier.decisions,
        user_constraints=earlier.user_constraints + tuple(rules_of(prompts)),
    )
    return Summary(state=state, text="")


def text_of(summary: Summary, plan: Plan, ledger: Ledger, compact: CompactConfig) -> str:
    """The text for the merged state: a display summary, or a handoff for token_budget."""
    if plan.strategy == "token_budget":
        return _handoff(summary.state, ledger)
    prompts = [m.content.strip() for m in plan.archived if _is_prompt(m)]
    bullets = _bullets(summary.state, prompts, ledger)
    return shape(render(bullets), compact.max_summary_chars)


def rules_of(prompts: Sequence[str]) -> list[str]:
    """Sentences of the user that give a rule, word for word, oldest first."""
    rules: list[str] = []
    for prompt in prompts:
        if len(prompt) > MAX_RULE_SOURCE:
            continue
        for sentence in _SENTENCE.findall(prompt):
            text = sentence.strip()
            if 5 <= len(text) <= 300 and _RULE.search(text) and not text.endswith(("?", "？")):
                rules.append(text)
    return list(dict.fromkeys(rules))[-16:]


def _handoff(state: TaskState, ledger: Ledger) -> str:
    """The same facts in Markdown."""
    parts = (
        ("## Goal", [state.goal]),
        ("## Constraints and preferences", state.user_constraints),
        ("## Progress\n### Done", state.progress),
        ("### In progress", state.open_items),
        ("### Blocked", state.blockers),
        ("## Key decisions", state.decisions),
        ("## Relevant files", [fact.path for fact in reversed(ledger.files)][:60]),
        ("## Next steps", [state.next_step]),
        ("## Critical context", [MADE_BY_CODE, *ledger.errors[-6:]]),
        ("## Tools and patterns", [_command(c) for c in ledger.commands[-12:]]),
    )
    return "\n\n".join(
        heading + "\n" + "\n".join(f"- {text}" for text in items if text)
        for heading, items in parts
    )


def _bullets(state: TaskState, prompts: Sequence[str], ledger: Ledger) -> Bullets:
    def some(items: Sequence[str]) -> list[str]:
        return [re.sub(r"\s+", " ", item) for item in items if item.strip()] or ["none recorded"]

    changed = [fact for fact in reversed(ledger.files) if fact.changes]
    commands = [_command(command) for command in _newest_commands(ledger.commands)[-6:]]
    asked = [f"asked: {shorten(text, 200)}" for text in prompts[-4:]]
    return {
        "done": [f"({MADE_BY_CODE})", *some([*state.progress[-4:], *commands])],
        "in_progress": some([*asked, state.next_step, *state.open_items[:4]]),
        "decisions": some(state.decisions[-6:]),
        "code_changes": some([f"{f.path}: {f.changes} changes" for f in changed[:12]]),
        "constraints": some([*state.user_constraints[-8:], *state.blockers[-2:]]),
    }


def _is_prompt(message: Message) -> bool:
    is_user = message.role == "user" and not message.is_compaction_summary
    return is_user and bool(message.content.strip())


def _first(prompts: Sequence[str]) -> str:
    return shorten(prompts[0], 1000) if prompts else ""


def _next_step(waiting: Sequence[str], earlier: TaskState) -> str:
    return shorten(f"the newest request: {waiting[-1]}", 400) if waiting else earlier.next_step


def _gist(answer: str) -> str:
    """An answer's first paragraph that is more than a heading."""
    for paragraph in answer.split("\n\n"):
        text = re.sub(r"\s+", " ", paragraph).strip("# ").strip()
        if len(text) > 30:
            return text
    return re.sub(r"\s+", " ", answer)


def _newest_commands(commands: Sequence[Command]) -> list[Command]:
    """The last run of each command line, newest last, at most 10."""
    last = {command.line: index for index, command in enumerate(commands)}
    return [commands[index] for index in sorted(last.values())][-10:]


def _command(command: Command) -> str:
    ended = "failed" if command.is_error else "ran"
    said = ended if command.status is None else f"exit {command.status}"
    return f"{shorten(' '.join(command.line.split()), 200)} -> {said}"

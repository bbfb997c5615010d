"""@path mentions in a prompt: found, and answered with what stands at the path."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from neocode.domain.messages import Image
from neocode.domain.tooling import ToolOutcome
from neocode.tools.base import ToolContext, ToolError
from neocode.tools.files.paths import resolve, shown
from neocode.tools.output import save_text
from neocode.tools.read import read_path
from neocode.tools.truncate import share

_MENTION = re.compile(
    r"""(?<![^\s(\[{<"'`,;:])@"""
    r"""(?:"(?P<double>[^"\n]+)"|'(?P<single>[^'\n]+)'|(?P<plain>(?:\\[ ]|[^\s"'`<>|])+))"""
)
_TRAILING = ".,;:!?)]}>*_\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u3001\uff09"
_MOST = 20


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention. candidates: paths it may mean, the longest first. start: of its "@"."""

    candidates: tuple[str, ...]
    start: int
    stop: int


def mentions(text: str) -> list[Mention]:
    """Every @path in text, in order; pure.

    The "@" stands at the beginning or after a blank, bracket or quote: an e-mail address
    is no mention. Blanks need quotes or a backslash. Trailing punctuation may belong to
    the sentence, so a shorter candidate follows.
    """
    return [
        Mention(tuple(_candidates(match)), match.start(), match.end())
        for match in _MENTION.finditer(text)
    ]


def _candidates(match: "re.Match[str]") -> Iterator[str]:
    quoted = match["double"] or match["single"]
    if quoted:
        yield quoted
        return
    path = match["plain"].replace("\\ ", " ")
    yield path
    while path and path[-1] in _TRAILING:
        path = path[:-1]
        if path:
            yield path


def expand_mentions(text: str, context: ToolContext) -> str:
    """The prompt followed by a section for each path it mentions that exists.

    All sections share context.result_tokens; the files count as read. What does not
    exist, or cannot be read, is left as it is.
    """
    found = _read_all(text, context)
    if not found:
        return text

    def save(whole: str) -> str:
        return save_text(context.outputs, "mention", whole)

    outcomes = share([outcome for _, outcome in found], context.result_tokens, save)
    sections = [
        f'<file path="{name}">\n{outcome.content}\n</file>'
        for (name, _), outcome in zip(found, outcomes, strict=True)
    ]
    return "\n\n".join([text, *sections])


def mentioned_images(text: str, context: ToolContext) -> tuple[Image, ...]:
    """The pictures among the mentioned files, for a model that sees them."""
    if not context.see_images:
        return ()
    return tuple(image for _, outcome in _read_all(text, context) for image in outcome.images)


def _read_all(text: str, context: ToolContext) -> list[tuple[str, ToolOutcome]]:
    """(name, content) of each existing path, once, at most 20."""
    results: dict[str, ToolOutcome] = {}
    for mention in mentions(text)[:_MOST]:
        outcome = _read_first(mention, context)
        if outcome is not None:
            name, content = outcome
            results.setdefault(name, content)
    return list(results.items())


def _read_first(mention: Mention, context: ToolContext) -> tuple[str, ToolOutcome] | None:
    """What the first candidate that exists holds, or None."""
    for candidate in mention.candidates:
        try:
            path = resolve(context.root, candidate)
            if not path.exists():
                continue
            outcome = read_path(candidate, context)
        except (ToolError, OSError):
            continue
        return shown(context.root, path), replace(outcome, metadata={})
    return None

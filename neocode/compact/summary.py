"""The display summary: its shape, and how it is made shorter (spec/context 9). Pure."""

import re

from neocode.compact.cut import shorten
from neocode.compact.parse import InvalidSummary, is_none_word
from neocode.domain.messages import SUMMARY_MARK

SECTIONS = ("done", "in_progress", "decisions", "code_changes", "constraints")
LEAST_BULLET_CHARS = 12
"""A bullet is shortened down to this before others of its section are dropped."""
MOST_BULLETS = 200
"""More of one section are never read; without a bound a runaway answer would take minutes."""
_BULLET = re.compile(r"^\s*[-*•]\s*(.*)$")

Bullets = dict[str, list[str]]


def check(text: str) -> Bullets:
    """The bullets of each section; raises InvalidSummary with the first fault found."""
    lines = text.strip().splitlines()
    if not lines or not lines[0].lstrip().startswith(SUMMARY_MARK):
        raise InvalidSummary(f"display_summary must start with {SUMMARY_MARK}")
    lines[0] = lines[0].lstrip().removeprefix(SUMMARY_MARK)
    bullets: Bullets = {}
    current = ""
    for line in lines:
        name = line.strip().strip("#* ").removesuffix(":").removesuffix("：").strip()
        bullet = _BULLET.match(line)
        if name in SECTIONS and line.strip() != name:
            if name in bullets:
                raise InvalidSummary(f"display_summary has the section {name} twice")
            current = name
            bullets[current] = []
        elif bullet and current:
            bullets[current].append(_said(bullet.group(1)))
        elif line.strip() and current and bullets[current]:
            bullets[current][-1] += " " + line.strip()
    _check_sections(bullets)
    return bullets


def _said(bullet: str) -> str:
    """The bullet's words; the dots of the form, which small models leave standing, say none."""
    words = bullet.strip()
    return "none" if words and not words.strip(".… ") else words


def _check_sections(bullets: Bullets) -> None:
    missing = [name for name in SECTIONS if name not in bullets]
    if missing:
        raise InvalidSummary(f"display_summary lacks the section {', '.join(missing)}")
    if tuple(bullets) != SECTIONS:
        raise InvalidSummary(f"the sections must stand in this order: {', '.join(SECTIONS)}")
    for name in SECTIONS:
        bullets[name] = [text for text in bullets[name] if text]
        if not bullets[name]:
            raise InvalidSummary(f"the section {name} needs at least one non-empty bullet")


def is_hollow(bullets: Bullets) -> bool:
    """True when no bullet says anything."""
    return all(is_none_word(text) for texts in bullets.values() for text in texts)


def render(bullets: Bullets) -> str:
    """The display summary's text."""
    parts = [SUMMARY_MARK]
    parts += [f"{name}:\n" + "\n".join(f"- {text}" for text in bullets[name]) for name in SECTIONS]
    return "\n\n".join(parts)


def shape(text: str, max_chars: int) -> str:
    """A checked summary of at most max_chars characters.

    Over the limit it is shortened section by section, longest bullets first; every
    section keeps at least one bullet. Raises InvalidSummary as check does.
    """
    bullets = check(text)
    whole = render(bullets)
    if len(whole) <= max_chars:
        return whole
    return render(_shortened(bullets, max_chars))


def _shortened(bullets: Bullets, max_chars: int) -> Bullets:
    """Cut the longest bullets; where all are short, drop one of the section with most."""
    made = {
        name: texts[-MOST_BULLETS:] if name == "done" else texts[:MOST_BULLETS]
        for name, texts in bullets.items()
    }
    over = len(render(made)) - max_chars
    while over > 0:
        name = max(made, key=lambda key: sum(map(len, made[key])))
        texts = made[name]
        longest = max(range(len(texts)), key=lambda i: len(texts[i]))
        text = texts[longest]
        if len(text) > LEAST_BULLET_CHARS:
            keep = max(LEAST_BULLET_CHARS, len(text) - over, len(text) * 2 // 3)
            texts[longest] = shorten(text, min(keep, len(text) - 1))
            over -= len(text) - len(texts[longest])
            continue
        crowded = max(made, key=lambda key: len(made[key]))
        if len(made[crowded]) < 2:
            break
        dropped = made[crowded].pop(0 if crowded == "done" else -1)
        over -= len(dropped) + len("- \n")
    return made

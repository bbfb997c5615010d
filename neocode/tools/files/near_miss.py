"""Why a text was not found: the place it nearly matches, and how it differs there (B49). Pure."""

import difflib
import re
import unicodedata

_LOOK_ALIKE = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "`": "'", "\u00b4": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2033": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
        "\u200b": None, "\u200c": None, "\u200d": None, "\ufeff": None, "\u00ad": None,
    }
)  # fmt: skip
_LARGEST = 2_000_000
_NAMED = {
    " ": "blank",
    "\t": "tab",
    "\n": "line end",
    "\u00a0": "no-break space",
    "\r": "carriage return",
    "'": "straight quote '",
    '"': 'straight quote "',
}


def explain(text: str, wanted: str) -> str:
    """Where wanted nearly stands in text and what differs first; both with LF line ends.

    Always words for the model, also when nothing comes near.
    """
    if _has_line_numbers(wanted):
        return "It begins with the line numbers that read prints; leave numbers and tab out."
    place = _place(text, wanted) if len(text) <= _LARGEST else None
    if place is not None:
        return _difference(text, wanted, place)
    return _closest_line(text, wanted)


def line_of(text: str, position: int) -> int:
    """The number, from 1, of the line in which a position lies."""
    return text.count("\n", 0, position) + 1


def _has_line_numbers(wanted: str) -> bool:
    lines = [line for line in wanted.split("\n") if line.strip()]
    return bool(lines) and all(re.match(r"\s*\d+\t", line) for line in lines)


def _place(text: str, wanted: str) -> int | None:
    """Where the first visible character of wanted stands, blanks, case and look-alikes aside."""
    bones, positions = _skeleton(text)
    wanted_bones, _ = _skeleton(wanted)
    found = bones.find(wanted_bones) if wanted_bones else -1
    return positions[found] if found >= 0 else None


def _skeleton(text: str) -> tuple[str, list[int]]:
    """Visible characters in one plain form, and where each came from."""
    chars: list[str] = []
    positions: list[int] = []
    for position, char in enumerate(text):
        if char.isspace():
            continue
        for plain in _plain(char):
            chars.append(plain)
            positions.append(position)
    return "".join(chars), positions


def _plain(char: str) -> str:
    if char.isascii():
        return char.lower() if char != "`" else "'"
    return unicodedata.normalize("NFKD", char.translate(_LOOK_ALIKE)).casefold()


def _difference(text: str, wanted: str, place: int) -> str:
    """Words for the first difference between wanted and the text around place."""
    lead = wanted[: len(wanted) - len(wanted.lstrip())]
    before = text[max(0, place - len(lead)) : place]
    if lead and before != lead:
        here = re.search(r"\s*\Z", text[:place])
        found = here[0] if here else ""
        return _words(text, place, found.rsplit("\n", 1)[-1], lead.rsplit("\n", 1)[-1])
    at, index = place, len(lead)
    while at < len(text) and index < len(wanted) and text[at] == wanted[index]:
        at, index = at + 1, index + 1
    at, index = _run_start(text, at, wanted, index)
    return _words(text, at, _run(text, at), _run(wanted, index))


def _run_start(text: str, at: int, wanted: str, index: int) -> tuple[int, int]:
    """Back to the beginning of the blanks in which both begin to differ."""
    blank = (at < len(text) and text[at].isspace()) or (
        index < len(wanted) and wanted[index].isspace()
    )
    while blank and at > 0 and index > 0 and text[at - 1].isspace() and text[at - 1] != "\n":
        at, index = at - 1, index - 1
    return at, index


def _run(text: str, start: int) -> str:
    """The blanks of one kind of place at start, or the one character, with its accents."""
    stop = start
    if start < len(text) and text[start].isspace():
        while stop < len(text) and text[stop].isspace() and (text[stop] != "\n" or stop == start):
            stop += 1
    else:
        stop = min(start + 1, len(text))
        while stop < len(text) and unicodedata.combining(text[stop]):
            stop += 1
    return text[start:stop]


def _words(text: str, at: int, found: str, wanted: str) -> str:
    line = line_of(text, at)
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return (
        f"It nearly matches; the first difference is in line {line}, column {column}: "
        f"the file has {describe(found)}, old_text has {describe(wanted)}."
    )


def describe(chars: str) -> str:
    """Characters by name: "2 tabs", "no-break space (U+00A0)", "nothing"."""
    if not chars:
        return "nothing there"
    parts: list[str] = []
    for char, group in _grouped(chars):
        name = _NAMED.get(char) or _unicode_name(char)
        code = (
            ""
            if char in " \t\n'\"" or (char.isascii() and char.isprintable())
            else f" (U+{ord(char):04X})"
        )
        parts.append(f"{group} {name}s{code}" if group > 1 else f"{name}{code}")
    text = " + ".join(parts[:4]) + (" ..." if len(parts) > 4 else "")
    is_composed = len(chars) > 1 and unicodedata.combining(chars[1])
    return f"{text} (decomposed)" if is_composed else text


def _grouped(chars: str) -> list[tuple[str, int]]:
    groups: list[tuple[str, int]] = []
    for char in chars:
        if groups and groups[-1][0] == char:
            groups[-1] = (char, groups[-1][1] + 1)
        else:
            groups.append((char, 1))
    return groups


def _unicode_name(char: str) -> str:
    if char.isascii() and char.isprintable():
        return repr(char)
    return unicodedata.name(char, "character").lower()


def _closest_line(text: str, wanted: str) -> str:
    """The most similar line to the first one of wanted that says something."""
    first = max(wanted.split("\n")[:3], key=lambda line: len(line.strip())).strip()
    lines = text.split("\n")[:20_000]
    stripped = [line.strip()[:300] for line in lines]
    near = difflib.get_close_matches(first[:300], list(dict.fromkeys(stripped)), 1, 0.6)
    if not near:
        return "Nothing in the file comes near it. Read the file again."
    number = stripped.index(near[0]) + 1
    shown = near[0] if len(near[0]) <= 120 else near[0][:120] + "..."
    return f"The nearest line is {number}: {shown!r}. Read the lines around it."

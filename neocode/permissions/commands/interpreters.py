"""Shells and interpreters, and the text that they are given to run."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neocode.permissions.commands.options import read_options
from neocode.permissions.shell.words import Word, after, literal, unknown

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "mksh", "rbash"})
INTERPRETERS = frozenset(
    {"python", "python2", "python3", "pypy", "pypy3", "perl", "ruby", "node", "nodejs", "deno"}
    | {"bun", "php", "lua", "Rscript", "osascript", "tclsh", "pwsh", "powershell", "ipython"}
)
_CODE_FLAGS = {"perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "php": "r", "lua": "e"}


@dataclass(frozen=True, slots=True)
class Layer:
    """What a wrapping command runs.

    commands: simple commands, as words. script: a shell line to be parsed. code: a
        program's text with its language. Each "" or empty when there is none.
    whole: nothing else happens: the wrapper passes when these pass.
    note: why it is asked about beyond that; "" for nothing.
    far: it runs on another machine, so that paths mean other places.
    assignments: variables that are set for the commands.
    fed: what it runs is read from standard input.
    """

    commands: tuple[tuple[Word, ...], ...] = ()
    script: str = ""
    code: str = ""
    language: str = ""
    whole: bool = False
    note: str = ""
    far: bool = False
    assignments: tuple[tuple[str, Word], ...] = ()
    fed: bool = False


def shell_layer(name: str, words: Sequence[Word], stdin: str | None) -> Layer:
    """What a shell runs: the text behind -c, a here-document, or whatever it is sent."""
    options = read_options(words, ("O", "o", "rcfile", "init-file"))
    if "c" in options.flags:
        script = options.operands[0] if options.operands else literal("")
        if not script.literal:
            return Layer(note=f"{name} runs a text that is not known.")
        calm = options.flags <= {"c", "l", "e", "u", "x", "o"} and len(options.operands) == 1
        return Layer(
            script=script.text, whole=calm, note="" if calm else f"{name} takes arguments."
        )
    if options.operands and not options.has("s"):
        return Layer()
    if stdin is not None:
        return Layer(script=stdin, whole=not options.flags, fed=True)
    return Layer(note=f"{name} runs whatever it is sent.", fed=True)


def interpreter_layer(name: str, words: Sequence[Word], stdin: str | None) -> Layer:
    """What an interpreter runs: a program in its arguments, or whatever it is sent."""
    if [word.text for word in words] in (["--version"], ["-V"], ["-v"]):
        return Layer()
    code = _code_argument(name, words)
    if code is not None:
        known = code.literal
        note = "" if known else f"{name} runs a text that is not known."
        return Layer(code=code.text if known else "", language=name, note=note)
    if (not words or words[0].text == "-") and stdin is not None:
        return Layer(code=stdin, language=name, fed=True)
    if not words or words[0].text == "-":
        return Layer(note=f"{name} runs whatever it is sent.", fed=True)
    return Layer()


def _code_argument(name: str, words: Sequence[Word]) -> Word | None:
    """The program given in the arguments, None when a file or a module is named.

    python takes one, after -c; the others may take several, which are joined.
    """
    if name.startswith(("py", "ipy")):
        return _python_code(words)
    letters = _CODE_FLAGS.get(name, "e")
    found: list[Word] = []
    index = 0
    while index < len(words) and words[index].text.startswith("-"):
        text = words[index].text
        attached = text[:1] == "-" and text[1:2] in letters and len(text) > 2 and text[2] != "-"
        if text in ("--eval", "--print", "--run") or re.fullmatch(rf"-\w*[{letters}]", text):
            found += words[index + 1 : index + 2]
            index += 1
        elif attached:
            found.append(after(words[index], 2))
        index += 1
    if not found:
        return None
    known = all(word.literal for word in found)
    return literal("\n".join(w.text for w in found)) if known else unknown(found[0].text)


def _python_code(words: Sequence[Word]) -> Word | None:
    for index, word in enumerate(words):
        text = word.text
        if not text.startswith("-") or text.startswith("--") or text == "-":
            return None
        ends = next((i for i, letter in enumerate(text) if i and letter in "cmWX"), 0)
        if ends and text[ends] == "c":
            if text[ends + 1 :]:
                return after(word, ends + 1)
            return words[index + 1] if index + 1 < len(words) else None
        if ends and text[ends] == "m":
            return None
    return None

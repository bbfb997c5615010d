"""What a command does to files, for the commands whose arguments say so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from neocode.permissions.commands.options import Options, read_options
from neocode.permissions.shell.words import Word, after, literal, unknown

EffectKind = Literal["read", "write", "append", "create", "delete", "attributes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One thing that happens to one path.

    follow: a link as the last name is followed. tree: all below it too.
    force: without a question, write-protected or not. into: a folder there receives
        a file of this name.
    """

    kind: EffectKind
    word: Word
    follow: bool = True
    tree: bool = False
    force: bool = False
    into: str = ""


Reader = Callable[[Sequence[Word]], list[Effect]]


def effects(name: str, words: Sequence[Word]) -> list[Effect] | None:
    """The effects of a command with these arguments; None for a command not in the table."""
    reader = _TABLE.get(name)
    return reader(words) if reader else None


EDITORS = frozenset({"mkdir", "touch", "mv", "cp", "ln", "rmdir", "tee", "install", "truncate"})
"""Commands that do nothing but what their effects say; they count as edits."""


def _all(kind: EffectKind, words: Sequence[Word], *, force: bool = False) -> list[Effect]:
    return [Effect(kind=kind, word=word, force=force) for word in words]


def _rm(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words)
    tree = options.has("rR", "recursive") or options.unsure
    force = options.has("f", "force") or options.unsure
    return [
        Effect(
            kind="delete",
            word=word,
            follow=word.text.endswith("/"),
            tree=tree or not word.known,
            force=force or not word.known,
        )
        for word in options.operands
    ]


def _unlink(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, ("n", "s", "iterations", "size", "random-source"))
    return [Effect(kind="delete", word=word, follow=False) for word in options.operands]


def _shred(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, ("n", "s", "iterations", "size", "random-source"))
    return [Effect(kind="delete", word=word) for word in options.operands]


_COPY_VALUES = ("t", "S", "suffix", "target-directory", "m", "o", "g", "mode", "owner", "group")


def _sources_and_target(options: Options) -> tuple[Sequence[Word], Word | None, bool]:
    """Sources, the target, and whether it must be a folder."""
    folder = options.value("t", "target-directory")
    if folder is not None:
        return options.operands, folder, True
    if len(options.operands) < 2:
        return options.operands, None, False
    return options.operands[:-1], options.operands[-1], len(options.operands) > 2


def _copy(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, _COPY_VALUES)
    sources, aim, _ = _sources_and_target(options)
    found = _all("read", sources)
    return found + _arrivals(sources, aim)


def _arrivals(sources: Sequence[Word], aim: Word | None) -> list[Effect]:
    """Writes of the target, or in it when it is a folder."""
    if aim is None:
        return []
    return [
        Effect(kind="write", word=aim, into=source.text.rstrip("/").rsplit("/", 1)[-1])
        for source in sources
    ]


def _move(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, _COPY_VALUES)
    sources, aim, _ = _sources_and_target(options)
    gone = [Effect(kind="delete", word=word, follow=False) for word in sources]
    return gone + _arrivals(sources, aim)


def _link(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, _COPY_VALUES)
    sources, aim, _ = _sources_and_target(options)
    return _all("read", sources) + _arrivals(sources, aim if aim is not None else literal("."))


def _install(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, _COPY_VALUES)
    return _all("create", options.operands) if options.has("d", "directory") else _copy(words)


def _touch(words: Sequence[Word]) -> list[Effect]:
    return _all("create", read_options(words, ("d", "r", "t", "date", "reference")).operands)


def _mkdir(words: Sequence[Word]) -> list[Effect]:
    return _all("create", read_options(words, ("m", "mode")).operands)


def _rmdir(words: Sequence[Word]) -> list[Effect]:
    return [Effect(kind="delete", word=word, follow=False) for word in read_options(words).operands]


def _tee(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words)
    return _all("append" if options.has("a", "append") else "write", options.operands)


def _truncate(words: Sequence[Word]) -> list[Effect]:
    return _all("write", read_options(words, ("s", "r", "size", "reference")).operands)


def _dd(words: Sequence[Word]) -> list[Effect]:
    found: list[Effect] = []
    for word in words:
        if word.text.startswith("of="):
            found.append(Effect(kind="write", word=after(word, 3)))
        elif word.text.startswith("if="):
            found.append(Effect(kind="read", word=after(word, 3)))
        elif not word.literal:
            found.append(Effect(kind="write", word=unknown(word.text)))
    return found


def _attributes(words: Sequence[Word]) -> list[Effect]:
    options = read_options(words, ("from", "reference"))
    skip = 0 if "reference" in options.flags else 1
    operands = options.operands[skip:]
    if any(word.literal and word.text.startswith("-") for word in words[:1]) and not options.flags:
        operands = options.operands
    tree = options.has("R", "recursive")
    return [Effect(kind="attributes", word=word, tree=tree) for word in operands]


def _sync(words: Sequence[Word]) -> list[Effect]:
    """rsync; a place with a colon is on another machine."""
    options = read_options(words, ("e", "f", "exclude", "include", "filter", "rsh", "exclude-from"))
    deletes = any(
        flag.startswith(("del", "remove-source-files")) and not flag.startswith("delay")
        for flag in options.flags
    )
    here = [word for word in options.operands if ":" not in word.text.split("/")[0]]
    if not options.operands:
        return []
    aim = options.operands[-1]
    found = _all("read", [word for word in here if word is not aim])
    if aim in here:
        kind: EffectKind = "delete" if deletes else "write"
        found.append(Effect(kind=kind, word=aim, tree=True, force=deletes))
    elif deletes:
        found.append(Effect(kind="delete", word=unknown(aim.text), tree=True, force=True))
    return found


def _stream_edit(words: Sequence[Word]) -> list[Effect]:
    """sed, for its -i; without it the files are only read."""
    options = read_options(words, ("e", "f", "l", "expression", "file", "line-length"))
    script_given = options.value("e", "f", "expression", "file") is not None
    files = options.operands if script_given else options.operands[1:]
    changes = options.has("i", "in-place") or any(f.startswith("in-place") for f in options.flags)
    return _all("write" if changes else "read", files)


def _fetch(words: Sequence[Word]) -> list[Effect]:
    """curl and wget, for the files they write."""
    options = read_options(words, ("o", "O", "output", "output-document", "P", "d", "H", "X", "u"))
    return [
        Effect(kind="write", word=word)
        for flag, word in options.values
        if flag in ("o", "output", "output-document") or (flag == "O" and "/" in word.text)
    ]


_TABLE: dict[str, Reader] = {
    "rm": _rm,
    "unlink": _unlink,
    "shred": _shred,
    "rmdir": _rmdir,
    "mv": _move,
    "cp": _copy,
    "ln": _link,
    "install": _install,
    "touch": _touch,
    "mkdir": _mkdir,
    "tee": _tee,
    "truncate": _truncate,
    "dd": _dd,
    "chmod": _attributes,
    "chown": _attributes,
    "chgrp": _attributes,
    "rsync": _sync,
    "sed": _stream_edit,
    "gsed": _stream_edit,
    "curl": _fetch,
    "wget": _fetch,
}

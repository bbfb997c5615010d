"""A shell line as the judge sees it: simple commands, each with what is known around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from neocode.permissions.shell.words import Word

PartKind = Literal["command", "assign", "declare", "test", "redirect"]
MAX_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class State:
    """What is known before a command runs.

    folders: the absolute paths the shell may stand in; "" is one that is not known.
    variables: those whose value is known, each with its possible values (a loop has many).
    """

    folders: frozenset[str]
    variables: Mapping[str, tuple[Word, ...]] = field(default_factory=dict)

    def moved(self, folders: frozenset[str]) -> "State":
        """In other folders; too many are as good as unknown."""
        kept = folders if len(folders) <= MAX_FOLDERS else frozenset({""})
        return State(kept, self.variables)

    def assigned(self, name: str, values: tuple[Word, ...] | None) -> "State":
        """With a variable's values; None forgets it."""
        rest = {key: value for key, value in self.variables.items() if key != name}
        return State(self.folders, rest if values is None else {**rest, name: values})

    def forgotten(self) -> "State":
        """Without any known variable."""
        return State(self.folders)


def merge(one: State, other: State) -> State:
    """What is known when either of two ways was taken."""
    if one == other:
        return one
    variables = {
        name: values
        for name, values in one.variables.items()
        if other.variables.get(name) == values
    }
    return State(one.folders, variables).moved(one.folders | other.folders)


@dataclass(frozen=True, slots=True)
class Flow:
    """What is known afterwards: when it went well, and in any case."""

    ok: State
    any: State


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection. op: ">", ">>", "<", ">&" ...; target: a file, None for a copied stream."""

    op: str
    target: Word | None

    @property
    def writes(self) -> bool:
        """True when it may create or change the target."""
        return self.target is not None and self.op != "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One simple command of a line.

    words: the command and its arguments; empty for a bare redirection or assignment.
    assignments: NAME=VALUE in front of it, or the whole of it for kind "assign".
    stdin: the text of a here-document or here-string, None when there is none or it is
        not known. inner: the commands in its substitutions. upstream: those whose output
        it reads through a pipe.
    """

    kind: PartKind
    words: tuple[Word, ...]
    state: State
    source: str
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    inner: tuple["Part", ...] = ()
    upstream: tuple["Part", ...] = ()

    @property
    def name(self) -> str:
        """The command's bare name without its folder, "" when it is not known."""
        if not self.words or not self.words[0].literal:
            return ""
        return self.words[0].text.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A parsed line. problems: why it may not pass unasked; bombs: functions that breed."""

    parts: tuple[Part, ...]
    problems: tuple[str, ...] = ()
    bombs: tuple[str, ...] = ()

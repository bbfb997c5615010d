"""Weighing what a command reads, or names in its arguments."""

import os
from collections.abc import Sequence

from neocode.permissions.commands.places import mentioned
from neocode.permissions.path_judge import denying_rule, path_rule
from neocode.permissions.paths import Place, locate
from neocode.permissions.report import Report
from neocode.permissions.rules import Rule
from neocode.permissions.sensitive import looks_secret
from neocode.permissions.shell.line import State
from neocode.permissions.shell.resolve import target
from neocode.permissions.shell.words import Word, after, literal
from neocode.permissions.verdict import Policy

_MAX_SWEPT = 4000
_UNSWEPT = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "target"})


def read_word(
    word: Word, state: State, policy: Policy, report: Report, *, sweeps: bool = False
) -> None:
    """One file that is read: known, inside and no secret, or there is a doubt.

    sweeps: a folder stands for the text of all the files in it.
    """
    if word.text == "-" or (word.pieces and word.pieces[0].text.startswith("<(")):
        return
    found = target(word, state, policy.ground)
    if not found.sure:
        report.doubts.append(f"Which file {word.text!r} is, is not known before it runs.")
    if word.wild and any(p.given.rsplit("/", 1)[-1].startswith("-") for p in found.places):
        report.doubts.append("A file's name would be taken for an option.")
    for place in found.places:
        read_place(place, policy, report)
        if sweeps and place.is_dir and place.readable:
            sweep(place, policy, report)


def read_place(place: Place, policy: Policy, report: Report) -> None:
    """A place that is read."""
    report.refuse(denying_rule("read", "bash", place, policy), place)
    if place.stream or path_rule(policy.granted, "read", "bash", place, policy):
        return
    if not place.readable:
        report.doubts.append(f"It reads outside the project: {place.real}.")
        report.point(place)
    elif looks_secret(place.real):
        report.secrets.append(place)


def sweep(folder: Place, policy: Policy, report: Report) -> None:
    """A search through a folder would also read what a deny rule keeps away.

    Looks through at most 4000 names, and only when there are such rules.
    """
    rules = [rule for rule in policy.deny if rule.path and rule.names("read", "bash")]
    seen = 0
    for path, folders, names in os.walk(folder.real) if rules else ():
        folders[:] = [name for name in folders if name not in _UNSWEPT]
        for name in names:
            place = locate(f"{path}/{name}", policy.ground, follow=False)
            rule = denying_rule("read", "bash", place, policy)
            if rule:
                report.doubts.append(f"It would also read {place.real}, against {rule.text}.")
                report.point(place)
                return
        seen += len(names) + len(folders)
        if seen > _MAX_SWEPT:
            return


def mention(words: Sequence[Word], state: State, policy: Policy, report: Report) -> None:
    """The arguments of a command that no table knows, as the paths they may be."""
    for place in mentioned(words, state, policy.ground):
        report.refuse(denying_rule("read", "bash", place, policy), place)
        if place.readable or path_rule(policy.granted, "read", "bash", place, policy):
            continue
        report.doubts.append(f"It names a place outside the project: {place.real}.")
        report.point(place)


def mention_secrets(words: Sequence[Word], state: State, policy: Policy, report: Report) -> None:
    """Secret files among the arguments of git and find: HEAD:.env, -name '*.pem'."""
    for word in words:
        text = word.text.rsplit(":", 1)[-1]
        if not text or text.startswith("-"):
            continue
        named = literal(text.strip("*")) if ":" in word.text or "*" in text else after(word, 0)
        for place in target(named, state, policy.ground).places:
            report.refuse(denying_rule("read", "bash", place, policy), place)
            if place.readable and looks_secret(place.real):
                granted = path_rule(policy.granted, "read", "bash", place, policy)
                report.secrets += [] if granted else [place]


def first_denied(paths: Sequence[str], state: State, policy: Policy) -> tuple[Rule, Place] | None:
    """The first of these texts that is a path which a deny rule keeps from being read."""
    for path in paths:
        for folder in sorted(filter(None, state.folders)):
            place = locate(path, policy.ground, folder)
            rule = denying_rule("read", "bash", place, policy)
            if rule:
                return rule, place
    return None

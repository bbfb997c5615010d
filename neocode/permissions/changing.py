"""Weighing what a command changes: creates, overwrites, deletes."""

from neocode.permissions.commands.effects import Effect
from neocode.permissions.path_judge import denying_rule, edit_danger, edit_doubt
from neocode.permissions.paths import Place, is_below
from neocode.permissions.reading import read_word
from neocode.permissions.report import Report
from neocode.permissions.shell.line import State
from neocode.permissions.shell.resolve import target
from neocode.permissions.shell.words import literal, make_word
from neocode.permissions.verdict import Policy


def weigh(effect: Effect, state: State, policy: Policy, report: Report) -> None:
    """One effect of a command: a hard question, a doubt, an edit inside, or nothing."""
    if effect.kind == "read":
        read_word(effect.word, state, policy, report)
        return
    if effect.word.pieces and effect.word.pieces[0].text.startswith((">(", "<(")):
        return
    found = target(effect.word, state, policy.ground, follow=effect.follow)
    if not found.sure:
        text = f"Which place {effect.word.text!r} is, is not known before it runs."
        (report.hard if effect.tree else report.doubts).append(text)
    if effect.word.wild and any(p.given.rsplit("/", 1)[-1].startswith("-") for p in found.places):
        report.doubts.append("A file's name would be taken for an option.")
    for place in found.places:
        aim = place
        if effect.into and place.is_dir:
            inner = make_word([*effect.word.pieces, *literal("/" + effect.into).pieces])
            aim = next(iter(target(inner, state, policy.ground).places), place)
        _change(effect, aim, policy, report)


def _change(effect: Effect, place: Place, policy: Policy, report: Report) -> None:
    report.refuse(denying_rule("edit", "bash", place, policy), place)
    if effect.kind in ("delete", "attributes"):
        why = _lost(effect, place, policy)
    else:
        why = edit_danger(place, policy, append=effect.kind in ("append", "create"))
    if why:
        if not report.hard:
            report.real_path = place.real
        report.hard.append(why)
        return
    doubt = edit_doubt(place, policy, links=effect.kind != "delete")
    if doubt:
        report.doubts.append(doubt)
        report.point(place)
    elif not place.stream:
        report.edits.append(place)


def _lost(effect: Effect, place: Place, policy: Policy) -> str:
    """Why deleting, or changing the rights of, a place is a hard question."""
    root = policy.ground.root
    verb = "Deleting" if effect.kind == "delete" else "Changing the permissions of"
    if not place.inside and not place.stream:
        over = " and holds it" if is_below(root, place.real) else ""
        what = f"outside the project{over}"
        return f"{verb} {place.real}, which is {what}."
    if place.real == root and effect.kind == "delete":
        return f"Deleting the whole project: {place.real}."
    if effect.tree and effect.force:
        return f"A recursive force-delete of {place.real} (inside the project)."
    if effect.tree and f"{root}/.git" == place.real:
        return f"Deleting the repository's history: {place.real}."
    return ""

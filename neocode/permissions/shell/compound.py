"""Compound statements: branches, loops, cases and functions."""

from typing import TYPE_CHECKING

from neocode.permissions.shell.line import Flow, State, merge
from neocode.permissions.shell.read_words import WORD_TYPES, read_words, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from neocode.permissions.shell.walker import Walker

_SUBSTITUTIONS = ("command_substitution", "process_substitution")


def function(walker: "Walker", node: "Node", state: State) -> Flow:
    """A definition: its body counts as run; a name that may hide a command is a problem."""
    name = next((text_of(child) for child in node.children if child.type == "word"), "")
    first = len(walker.parts)
    body = [child for child in node.named_children if child.type != "word"]
    walker.sequence(body, state.forgotten().moved(frozenset({""}) | state.folders))
    if any(part.name == name for part in walker.parts[first:]):
        walker.bombs.append(name)
    walker.problems.append(f"it defines a function ({name})")
    return Flow(state, state)


def branches(walker: "Walker", node: "Node", state: State) -> Flow:
    """if: each branch starts from what its condition left, the end knows all of them."""
    groups: list[list[Node]] = [[]]
    for child in node.children:
        if child.type in ("then", "elif_clause", "else_clause"):
            groups.append([])
        if child.type in ("elif_clause", "else_clause"):
            groups[-1] += child.children
        elif child.is_named or child.type == "&":
            groups[-1].append(child)
    condition = walker.sequence(groups[0], state)
    end = condition.any
    for number, group in enumerate(groups[1:]):
        start = condition.ok if number == 0 else end
        end = merge(end, walker.sequence(group, start).any)
    return Flow(end, end)


def loop(walker: "Walker", node: "Node", state: State) -> Flow:
    """A body is walked again from all it may have changed, until nothing is new."""
    start = state
    for child in node.children:
        if child.type in WORD_TYPES:
            _substitutions_of(walker, child, state)
    if node.type == "for_statement":
        start = _loop_variable(node, state)
    body = [
        child
        for child in node.children
        if not child.is_named or child.type not in WORD_TYPES | {"binary_expression"}
    ]
    mark = len(walker.parts), len(walker.problems), len(walker.bombs)
    flow = walker.sequence(body, start)
    again = merge(start, flow.any)
    if again != start:
        del walker.parts[mark[0] :], walker.problems[mark[1] :], walker.bombs[mark[2] :]
        moved = again.folders != start.folders
        wide = again.moved(again.folders | {""}) if moved else again
        flow = walker.sequence(body, wide)
        again = merge(wide, flow.any)
    end = merge(state, again)
    return Flow(end, end)


def _substitutions_of(walker: "Walker", node: "Node", state: State) -> None:
    if node.type in _SUBSTITUTIONS:
        walker.sequence(node.children, state)
    else:
        walker.substitutions(node, state)


def _loop_variable(node: "Node", state: State) -> State:
    names = [text_of(child) for child in node.children if child.type == "variable_name"]
    values = [
        word
        for child in node.children
        if child.type in WORD_TYPES - {"variable_name"}
        for word in read_words(child)
    ]
    known = bool(values) and all(word.known for word in values)
    return state.assigned(names[0], tuple(values) if known else None) if names else state


def case(walker: "Walker", node: "Node", state: State) -> Flow:
    """case: any of the items may have run."""
    end = state
    for child in node.children:
        if child.type == "case_item":
            body = [c for c in child.children if c.type not in WORD_TYPES]
            for pattern in child.children:
                if pattern.type in WORD_TYPES:
                    _substitutions_of(walker, pattern, state)
            end = merge(end, walker.sequence(body, end).any)
        elif child.type in WORD_TYPES:
            _substitutions_of(walker, child, state)
    return Flow(end, end)

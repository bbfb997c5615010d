"""The walk over a shell line's tree: which commands run, in which folder, with which input."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from neocode.permissions.paths import Ground
from neocode.permissions.shell.compound import branches, case, function, loop
from neocode.permissions.shell.line import Flow, Part, PartKind, Redirect, State, merge
from neocode.permissions.shell.moves import after_command, assign, read_assignment
from neocode.permissions.shell.read_words import (
    EXPANSIONS,
    WORD_TYPES,
    Misread,
    read_words,
    text_of,
)
from neocode.permissions.shell.redirects import REDIRECTS, lost_dash, read_redirects, words_behind
from neocode.permissions.shell.resolve import settle
from neocode.permissions.shell.words import Word, literal, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_STEPS = 20_000
_MAX_DEPTH = 60
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_SILENT = ("comment", "heredoc_start", "heredoc_body", "heredoc_end", "heredoc_content")
_RESERVED = frozenset(
    {"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for"}
    | {"in", "function", "select", "{", "}", "!", "[[", "]]"}
)


class Overlong(Exception):
    """The line takes too many steps to walk."""


class Walker:
    """Collects parts, problems and bombs of one line, in the order in which they run."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.parts: list[Part] = []
        self.problems: list[str] = []
        self.bombs: list[str] = []
        self._upstream: tuple[Part, ...] = ()
        self._steps = 0
        self._depth = 0

    def sequence(self, nodes: Iterable["Node"], state: State) -> Flow:
        """Statements one after the other; one that ends in "&" changes nothing here."""
        flow = Flow(state, state)
        before = state
        for node in nodes:
            if not node.is_named:
                flow = Flow(before, before) if node.type == "&" else flow
                continue
            before = flow.any
            flow = self.statement(node, flow.any)
        return flow

    def statement(self, node: "Node", state: State) -> Flow:
        """One statement, whatever its kind."""
        self._steps += 1
        self._depth += 1
        if self._steps > _MAX_STEPS or self._depth > _MAX_DEPTH:
            raise Overlong
        try:
            return self._dispatch(node, state)
        except Misread as problem:
            self.problems.append(f"{problem} near {text_of(node)[:40]!r}")
            self._add("command", (unknown(text_of(node)),), node, state)
            return Flow(state, state.forgotten().moved(state.folders | {""}))
        finally:
            self._depth -= 1

    def _dispatch(self, node: "Node", state: State) -> Flow:
        match node.type:
            case "command":
                return self._command(node, state)
            case "redirected_statement":
                return self._redirected(node, state)
            case "list":
                return self._list(node, state)
            case "pipeline" | "subshell":
                if node.type == "pipeline":
                    self._pipeline(node.named_children, state, ())
                else:
                    self.sequence(node.children, state)
                return Flow(state, state)
            case "compound_statement" if node.children and node.children[0].type == "((":
                self.substitutions(node, state)
                return Flow(state.forgotten(), state.forgotten())
            case "compound_statement" | "do_group" | "negated_command":
                return self.sequence(node.children, state)
            case "variable_assignment" | "variable_assignments" | "declaration_command":
                return self._assignment(node, state)
            case "function_definition":
                return function(self, node, state)
            case _ if node.type in _SILENT:
                return Flow(state, state)
            case _:
                return self._rarer(node, state)

    def _rarer(self, node: "Node", state: State) -> Flow:
        match node.type:
            case "if_statement":
                return branches(self, node, state)
            case "while_statement" | "for_statement" | "c_style_for_statement":
                return loop(self, node, state)
            case "case_statement":
                return case(self, node, state)
            case "test_command" | "unset_command":
                self.substitutions(node, state)
                name = "test" if node.type == "test_command" else "unset"
                kind: PartKind = "test" if node.type == "test_command" else "declare"
                self._add(kind, (literal(name), unknown(text_of(node))), node, state)
                known = state.forgotten() if name == "unset" else state
                return Flow(known, known)
            case "file_redirect" | "herestring_redirect" | "heredoc_redirect":
                self._add("redirect", (), node, state, redirects=read_redirects([node])[0])
                return Flow(state, state)
            case _:
                self.problems.append(f"{text_of(node)[:40]!r} is not understood")
                self._add("command", (unknown(text_of(node)),), node, state)
                return self.sequence(node.children, state)

    def _add(
        self,
        kind: PartKind,
        words: tuple[Word, ...],
        node: "Node",
        state: State,
        *,
        assignments: tuple[tuple[str, Word], ...] = (),
        redirects: tuple[Redirect, ...] = (),
        inner: tuple[Part, ...] = (),
        stdin: str | None = None,
    ) -> Part:
        part = Part(
            kind=kind,
            words=words,
            state=state,
            source=text_of(node),
            assignments=assignments,
            redirects=redirects,
            inner=inner,
            stdin=stdin,
            upstream=self._upstream,
        )
        self.parts.append(part)
        return part

    def _command(self, node: "Node", state: State) -> Flow:
        first = len(self.parts)
        self.substitutions(node, state)
        inner = tuple(self.parts[first:])
        words: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        redirects: list[Redirect] = []
        stdin: str | None = None
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(read_assignment(child))
            elif child.type == "command_name":
                words += read_words(child.children[0]) if child.children else [literal("")]
            elif child.type in REDIRECTS:
                found, text = read_redirects([child])
                redirects += found
                stdin = text if text is not None else stdin
            elif child.type in WORD_TYPES:
                words += read_words(child)
            elif not child.is_named:
                words.append(literal(text_of(child)))
            elif child.type != "comment":
                raise Misread("an argument is not understood")
        if words and words[0].literal and words[0].text in _RESERVED:
            self.problems.append(f"{words[0].text!r} stands where a command should")
        part = self._add(
            "command",
            tuple(settle(word, state, self.ground) for word in words),
            node,
            state,
            assignments=tuple(assignments),
            redirects=tuple(redirects),
            inner=inner,
            stdin=stdin,
        )
        ok, always = after_command(part, self.ground)
        return Flow(ok, always)

    def substitutions(self, node: "Node", state: State) -> None:
        """Walk every $( ), backquote and <( ) below a node; each is a shell of its own."""
        saved, self._upstream = self._upstream, ()
        todo = list(reversed(node.children))
        while todo:
            child = todo.pop()
            if child.type in _SUBSTITUTIONS:
                self.sequence(child.children, state)
            else:
                todo += reversed(child.children)
        self._upstream = saved

    def _redirected(self, node: "Node", state: State) -> Flow:
        redirects = [child for child in node.children if child.type in REDIRECTS]
        bodies = [child for child in node.named_children if child.type not in REDIRECTS]
        first = len(self.parts)
        for redirect in redirects:
            self.substitutions(redirect, state) if redirect.type != "heredoc_redirect" else None
        simple = bool(bodies) and bodies[-1].type in ("command", "list", "pipeline")
        flow = self.sequence(bodies, state)
        found, stdin = read_redirects(redirects)
        extra = words_behind(redirects) + ([literal("-")] if lost_dash(node) else [])
        if simple and len(self.parts) > first:
            last = self.parts[-1]
            self.parts[-1] = replace(
                last,
                words=last.words + tuple(extra),
                redirects=last.redirects + found,
                stdin=stdin if stdin is not None else last.stdin,
                state=merge(last.state, state),
            )
        else:
            self._add("redirect", (), node, state, redirects=found, stdin=stdin)
        for redirect in redirects:
            if redirect.type == "heredoc_redirect":
                flow = self._behind_heredoc(redirect, state, flow, tuple(self.parts[first:]))
        return flow

    def _behind_heredoc(
        self, node: "Node", state: State, flow: Flow, body: tuple[Part, ...]
    ) -> Flow:
        """What stands on the line behind <<EOF, and the substitutions in the document."""
        for child in node.named_children:
            if child.type == "heredoc_body":
                self.substitutions(child, state)
            elif child.type == "pipeline":
                self._pipeline(child.named_children, state, body)
            elif child.type in ("file_redirect", "herestring_redirect") or child.type in EXPANSIONS:
                self.substitutions(child, state)
            elif child.type not in WORD_TYPES.union(_SILENT, ("file_descriptor",)):
                flow = self.statement(child, merge(flow.any, state))
        return flow

    def _list(self, node: "Node", state: State) -> Flow:
        left, *rest = [child for child in node.children if child.type != "comment"]
        flow = self.statement(left, state)
        for operator, right in zip(rest[::2], rest[1::2], strict=False):
            if operator.type == "&&":
                after = self.statement(right, flow.ok)
                flow = Flow(after.ok, merge(flow.any, after.any))
            else:
                after = self.statement(right, flow.any)
                flow = Flow(merge(flow.ok, after.ok), merge(flow.any, after.any))
        if len(rest) % 2:
            raise Misread("a chain is not understood")
        return flow

    def _pipeline(self, stages: Iterable["Node"], state: State, source: tuple[Part, ...]) -> None:
        saved = self._upstream
        first = len(self.parts)
        for index, stage in enumerate(stages):
            if index or source:
                self._upstream = source + tuple(self.parts[first:])
            self.statement(stage, state)
        self._upstream = saved

    def _assignment(self, node: "Node", state: State) -> Flow:
        first = len(self.parts)
        self.substitutions(node, state)
        inner = tuple(self.parts[first:])
        nodes = [node] if node.type == "variable_assignment" else node.children
        pairs = tuple(read_assignment(n) for n in nodes if n.type == "variable_assignment")
        declares = node.type == "declaration_command"
        words: list[Word] = [literal(text_of(node.children[0]))] if declares else []
        for child in node.children[1:] if declares else ():
            if child.type in WORD_TYPES:
                words += read_words(child)
        kind: PartKind = "declare" if declares else "assign"
        self._add(kind, tuple(words), node, state, assignments=pairs, inner=inner)
        known = state
        for name, value in pairs:
            known = assign(known, name, value)
        return Flow(known, known)

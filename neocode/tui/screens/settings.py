"""/settings: the configuration, each profile, the models and the screen, field by field."""

from typing import Any

from neocode.runtime.api import EngineApi
from neocode.tui.saving import Saved, save, tilde
from neocode.tui.screens.page import Page, Row, plain_row
from neocode.tui.settings_fields import AT_START, Field, Scope, overlay, scopes, value_at, words_of
from neocode.tui.text.clean import one_line
from neocode.tui.text.lines import Line, Span

_LABEL = 17
_INHERIT = {"auxiliary_model": "the session's own"}


class SettingsScreen(Page):
    """Left and Right change the marked field; every change is written at once.

    engine: the configuration is read and reloaded there. tab: the title of the first tab.
    """

    heading = "Settings"

    def __init__(self, engine: EngineApi, tab: str = "") -> None:
        super().__init__()
        self._engine = engine
        self._pending: dict[str, Any] = {}
        self._said: dict[str, Saved] = {}
        self._tabs = self._scopes()
        titles = [scope.title.lower() for scope in self._tabs]
        self._tab = next((at for at, title in enumerate(titles) if tab and tab in title), 0)

    def _scopes(self) -> list[Scope]:
        return scopes(overlay(self._engine.base_config, self._pending.items()))

    @property
    def _scope(self) -> Scope:
        return self._tabs[self._tab]

    # --- what is shown

    def head(self) -> list[list[Span]]:
        """The tabs."""
        room = self.query_one("#title").size.width - len("Settings  ‹ ›")
        names = [f" {one_line(scope.title, 24)} " for scope in self._tabs]
        first = 0
        while first < self._tab and sum(len(n) + 1 for n in names[first : self._tab + 1]) > room:
            first += 1
        spans = [Span("Settings ", "accent b"), Span("‹" if first else " ", "muted")]
        for at, name in enumerate(names[first:], first):
            style = "reverse b" if at == self._tab else "muted"
            if sum(len(n) + 1 for n in names[first : at + 1]) > room:
                return [[*spans, Span("›", "muted")]]
            spans += [Span(name, style, f"tab:{at}"), Span(" ")]
        return [spans]

    def rows(self) -> list[Row]:
        """The fields of the tab."""
        scope = self._scope
        rows = [plain_row(indent="")]
        if scope.words:
            rows.append(plain_row(Span(scope.words, "muted")))
        for at, field in enumerate(scope.fields):
            label = Span(f"{one_line(field.label, _LABEL - 2):<{_LABEL}}", "accent")
            spans = [label, *_control(field, at), *self._beside(field)]
            hang = (Span(" " * (_LABEL + 2)),)
            rows.append(Row([Line(tuple(spans), (Span("  "),), hang)], field))
        most = max(len(each.fields) for each in self._tabs) + 2
        return [*rows, *[plain_row(indent="")] * max(1, most - len(rows))]

    def _beside(self, field: Field) -> list[Span]:
        said = self._said.get(field.key)
        if said is None:
            return []
        return [
            Span(f"  {'✗' if said.failed else '✓'} {said.words}", "error" if said.failed else "ok")
        ]

    def hint(self) -> list[list[Span]]:
        """What the field means, where it is written, the keys."""
        field = self.value
        if self.editing and isinstance(field, Field):
            words = f"{field.label}: {field.allowed} · Enter saves · Esc gives up"
            return [[Span(words, "muted")]]
        doc = field.doc if isinstance(field, Field) else ""
        gone = "inherit" if isinstance(field, Field) and field.can_inherit else "default"
        file = tilde(self._engine.config_file)
        return [
            [Span(doc or " ")],
            [Span(f"← → change · Enter · Del {gone} · Tab next page · Esc closes", "muted")],
            [Span(f"Written to {file}, comments and order kept.", "muted")],
        ]

    # --- what is done

    def pressed(self, key: str) -> bool:
        """Change the field, or the tab."""
        field = self.value
        if key in ("tab", "shift+tab"):
            self._turn(self._tab + (1 if key == "tab" else -1))
            return True
        if not isinstance(field, Field):
            return False
        match key:
            case "left" | "right":
                self._put(field, field.moved(1 if key == "right" else -1))
            case "delete" | "backspace":
                self._put(field, None)
            case "enter" | "space" if field.choices:
                self._put(field, field.moved(1))
            case "enter":
                self.edit(str(field.value if field.value is not None else field.inherited))
            case digit if digit.isdecimal() and not field.choices:
                self.edit(digit)
            case _:
                return False
        return True

    def acted(self, action: str) -> None:
        """A click on a tab or an arrow."""
        kind, _, rest = action.partition(":")
        if kind == "tab":
            self._turn(int(rest))
        elif kind == "step":
            at, _, way = rest.partition(":")
            self.marked = int(at)
            field = self._scope.fields[self.marked]
            self._put(field, field.moved(int(way)))

    def _turn(self, tab: int) -> None:
        self._tab, self.marked = tab % len(self._tabs), 0
        self._said.clear()
        self.draw()

    def saved(self, text: str) -> None:
        """A number was typed."""
        field = self.value
        if not isinstance(field, Field):
            return
        bare = text.strip().replace(",", "").replace("_", "").removesuffix("%").strip()
        if not bare:
            self._put(field, None)
        elif bare.removeprefix("-").isdecimal():
            self._put(field, int(bare))
        else:
            self._said[field.key] = Saved(f"{one_line(text, 30)} is not {field.allowed}.", True)

    def _put(self, field: Field, value: Any) -> None:
        done = save(self._engine, field.key, value)
        if not done.failed:
            self._pending[field.key] = value
            now = value_at(self._engine.base_config, field.key)
            if not self._engine.busy:
                done = self._checked(field, value, now, done)
                self._pending.pop(field.key, None)
            self._tabs = self._scopes()
            if field.key == "ui.theme":
                self._show_theme(value)
        self._said = {field.key: done}
        self.draw()

    def _checked(self, field: Field, value: Any, now: Any, done: Saved) -> Saved:
        """Say when another layer wins over what was saved, or when it waits for a start."""
        if value is not None and now != value:
            words = f"Saved, but the project or the environment sets {words_of(now)} here."
            return Saved(words, failed=True)
        if field.key in AT_START:
            return Saved("Saved for the next start.")
        return done

    def _show_theme(self, name: object) -> None:
        """The colours change at once."""
        from neocode.tui.app import NeoCodeApp

        if isinstance(self.app, NeoCodeApp):
            self.app.use_theme(str(name or "auto"))


def _control(field: Field, at: int) -> list[Span]:
    """What the value looks like: a slider, a number, a choice; arrows can be clicked."""
    back, on = Span("◂ ", "button", f"step:{at}:-1"), Span(" ▸", "button", f"step:{at}:1")
    name = field.key.rpartition(".")[2]
    if field.value is None:
        inherited = field.inherited
        shown = _INHERIT.get(name, "") if inherited is None else words_of(inherited)
        unit = " %" if field.is_slider else ""
        return [back, Span("inherit", "b"), Span(f" ({shown}{unit})", "muted"), on]
    if field.is_slider:
        return [back, *_slider(field), on, Span(f"  {field.value} %", "b")]
    if field.key.startswith("models."):
        mark = "[x] may write summaries" if field.value else "[ ] may write summaries"
        return [Span(mark, "b" if field.value else "", f"step:{at}:1")]
    return [back, Span(words_of(field.value), "b"), on]


def _slider(field: Field) -> list[Span]:
    """The range with a knob: 30 ━━━━━━●── 95."""
    most = field.most or 100
    width = (most - field.least) // field.step
    knob = max(0, min(width, round((field.value - field.least) / field.step)))
    return [
        Span(f"{field.least} ", "muted"),
        Span("━" * knob, "accent"),
        Span("●", "accent b"),
        Span("─" * (width - knob), "dim"),
        Span(f" {most}", "muted"),
    ]

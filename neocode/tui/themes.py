"""Colours: one palette a theme, from which Textual's theme and the text styles are made."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rich.style import Style
from textual.theme import Theme

ThemeName = Literal["dark", "light", "ansi", "high-contrast"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours by meaning, as rich names them ("#rrggbb" or an ANSI name)."""

    name: ThemeName
    dark: bool
    background: str
    surface: str
    text: str
    muted: str
    dim: str
    accent: str
    ok: str
    warn: str
    error: str
    blue: str
    track: str
    scroll: str
    user_bg: str
    code_bg: str
    add_bg: str
    del_bg: str
    select_bg: str
    keyword: str
    string: str
    number: str
    function: str


DARK = Palette(
    name="dark",
    dark=True,
    background="#15171c",
    surface="#1e2128",
    text="#e3e6ec",
    muted="#9aa4b5",
    dim="#6f7a8c",
    accent="#82aaff",
    ok="#67c23a",
    warn="#e6a23c",
    error="#f56c6c",
    blue="#409eff",
    track="#3a404c",
    scroll="#3a404c",
    user_bg="#232833",
    code_bg="#1c1f26",
    add_bg="#16301e",
    del_bg="#3a1c20",
    select_bg="#34486e",
    keyword="#c792ea",
    string="#a5d68a",
    number="#f7a76c",
    function="#82aaff",
)
LIGHT = Palette(
    name="light",
    dark=False,
    background="#ffffff",
    surface="#f3f4f6",
    text="#1f2328",
    muted="#57606a",
    dim="#6e7781",
    accent="#0550ae",
    ok="#1a7f37",
    warn="#8a5a00",
    error="#c21f2c",
    blue="#0a63c9",
    track="#4b5563",
    scroll="#c3c9d2",
    user_bg="#e8eef7",
    code_bg="#f3f5f7",
    add_bg="#dbf5e1",
    del_bg="#fde3e3",
    select_bg="#b6d4fb",
    keyword="#8250b5",
    string="#0a5f38",
    number="#953800",
    function="#0550ae",
)
HIGH_CONTRAST = Palette(
    name="high-contrast",
    dark=True,
    background="#000000",
    surface="#000000",
    text="#ffffff",
    muted="#e0e0e0",
    dim="#c0c0c0",
    accent="#66d9ff",
    ok="#67ff67",
    warn="#ffd24d",
    error="#ff8a8a",
    blue="#7db8ff",
    track="#808080",
    scroll="#a0a0a0",
    user_bg="#1a1a40",
    code_bg="#000000",
    add_bg="#003300",
    del_bg="#440000",
    select_bg="#0050b0",
    keyword="#ffb3ff",
    string="#b3ffb3",
    number="#ffd24d",
    function="#66d9ff",
)
ANSI = Palette(
    name="ansi",
    dark=True,
    background="default",
    surface="default",
    text="default",
    muted="default",
    dim="bright_black",
    accent="cyan",
    ok="green",
    warn="yellow",
    error="red",
    blue="blue",
    track="bright_black",
    scroll="bright_black",
    user_bg="default",
    code_bg="default",
    add_bg="default",
    del_bg="default",
    select_bg="blue",
    keyword="magenta",
    string="green",
    number="yellow",
    function="cyan",
)
PALETTES = {p.name: p for p in (DARK, LIGHT, ANSI, HIGH_CONTRAST)}
METER = {
    "ok": "#67C23A",
    "warn": "#E6A23C",
    "error": "#F56C6C",
    "error2": "#F99A9A",
    "blue": "#409EFF",
    "blue2": "#8CC5FF",
}
"""The context bar's own colours, the same in every theme but ANSI (spec/tui, context bar).

error2 and blue2: the lighter halves of the pulse and of what moves.
"""
_METER_ON = {"light": "#262b33"}
"""What the bar lies on where the background is too bright for its colours (4.5:1)."""


_ANSI_VARIABLES = {
    "ansi-background": "ansi_black",
    "ansi-foreground": "ansi_white",
    "border-blurred": "ansi_black",
    "block-cursor-foreground": "ansi_black",
    "block-cursor-background": "ansi_white",
    "input-cursor-background": "ansi_black",
    "input-cursor-foreground": "ansi_bright_white",
    "input-selection-foreground": "ansi_black",
    "screen-selection-background": "ansi_bright_blue",
    "screen-selection-foreground": "ansi_black",
}
"""What Textual's own ANSI themes define besides; its widgets refer to them."""


def chosen(setting: str, colorfgbg: str = "") -> Palette:
    """The palette for ui.theme.

    auto looks at COLORFGBG ("15;0"), which many terminals set, else it is dark.
    """
    if setting != "auto":
        return PALETTES.get(setting, DARK)  # type: ignore[call-overload, no-any-return]
    last = colorfgbg.rpartition(";")[2]
    return LIGHT if last in ("7", "15") else DARK


def textual_theme(palette: Palette) -> Theme:
    """The palette as a theme of Textual's."""

    def css(color: str) -> str:
        plain = palette.name != "ansi" or color.startswith("#")
        return color if plain else f"ansi_{color}"

    return Theme(
        name=f"neocode-{palette.name}",
        primary=css(palette.accent),
        secondary=css(palette.accent),
        accent=css(palette.accent),
        warning=css(palette.warn),
        error=css(palette.error),
        success=css(palette.ok),
        foreground=css(palette.text),
        background=css(palette.background),
        surface=css(palette.surface),
        panel=css(palette.surface),
        boost=css(palette.surface),
        dark=palette.dark,
        ansi=palette.name == "ansi",
        variables={
            "nc-muted": css(palette.muted),
            "nc-dim": css(palette.dim),
            "nc-select": css(palette.select_bg),
            "nc-user": css(palette.user_bg),
            "scrollbar": css(palette.scroll),
            "scrollbar-hover": css(palette.dim),
            "scrollbar-active": css(palette.accent),
            "scrollbar-background": css(palette.background),
            "scrollbar-background-hover": css(palette.background),
            "scrollbar-background-active": css(palette.background),
            "scrollbar-corner-color": css(palette.background),
            "input-selection-background": css(palette.select_bg),
            **(_ANSI_VARIABLES if palette.name == "ansi" else {}),
        },
    )


def _words(p: Palette) -> dict[str, str]:
    """What each word of a Span's style means in rich's style language."""
    return {
        "b": "bold",
        "i": "italic",
        "u": "underline",
        "s": "strike",
        "muted": f"{p.muted}{' dim' if p.name == 'ansi' else ''}",
        "dim": p.dim,
        "accent": p.accent,
        "ok": p.ok,
        "warn": p.warn,
        "error": p.error,
        "blue": p.blue,
        "track": p.track,
        "heading": p.accent,
        "link": f"{p.accent} underline",
        "button": f"{p.accent} underline",
        "code": p.text,
        "inline": f"{p.function} on {p.code_bg}",
        "codeblock": f"on {p.code_bg}",
        "user": f"on {p.user_bg}",
        "add": f"{p.ok if p.name == 'ansi' else p.text} on {p.add_bg}",
        "del": f"{p.error if p.name == 'ansi' else p.text} on {p.del_bg}",
        "selected": f"on {p.select_bg}",
        "marked": "bold" if p.name == "ansi" else f"on {p.user_bg}",
        "reverse": "reverse",
        "archived": "dim" if p.name == "ansi" else p.muted,
        "c.comment": f"{p.muted} italic",
        "c.keyword": p.keyword,
        "c.string": p.string,
        "c.number": p.number,
        "c.name": p.function,
        "c.builtin": p.number,
    } | _meter_words(p)


def _meter_words(p: Palette) -> dict[str, str]:
    """The words of the context bar; sixteen colours have bold for the lighter halves."""
    if p.name == "ansi":
        plain = {"ok": p.ok, "warn": p.warn, "error": p.error, "blue": p.blue}
        bold = {"error2": f"{p.error} bold", "blue2": f"{p.blue} bold"}
        more = {"track": p.track, "tick": "bold"}
        return {f"m.{name}": look for name, look in (plain | bold | more).items()}
    on = _METER_ON.get(p.name, p.background)
    more = {"track": "#7b8594", "tick": "#e3e6ec bold"}
    return {f"m.{name}": f"{color} on {on}" for name, color in (METER | more).items()}


class Styles:
    """Resolves the style words of spans; one per palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self._words = {word: Style.parse(style) for word, style in _words(palette).items()}
        base = f"{palette.text} on {palette.background}"
        self.base = Style.parse(base)
        self._made: dict[tuple[str, str], Style] = {}

    def get(self, style: str, fill: str = "") -> Style:
        """The rich style of these words on top of a row's fill; unknown words are an error."""
        key = (style, fill)
        made = self._made.get(key)
        if made is None:
            made = self.base
            for word in (*fill.split(), *style.split()):
                made = made + self._words[word]
            self._made[key] = made
        return made


@lru_cache(maxsize=8)
def styles_for(name: str) -> Styles:
    """The styles of a palette by its name."""
    return Styles(PALETTES[name])  # type: ignore[index]

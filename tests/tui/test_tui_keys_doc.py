"""docs/keys.md is held to the key map, and the key map to itself."""

from pathlib import Path

from neocode.tui.keymap import KEYS, key_name, table
from neocode.tui.screens.chat import ChatScreen

DOCS = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_table_in_docs_is_the_key_map() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


def test_every_bound_action_exists_and_no_key_is_bound_twice() -> None:
    bound = [key for key in KEYS if key.binds]
    for key in bound:
        assert hasattr(ChatScreen, f"action_{key.action.split('(')[0]}")
    names = [name for key in KEYS for name in key.keys.split(",")]
    assert len(names) == len(set(names))


def test_keys_are_named_as_people_write_them() -> None:
    assert key_name("ctrl+j,alt+enter,pageup,escape") == "Ctrl+J, Alt+Enter, PageUp, Esc"

"""Styled text as plain values: cleaned, parsed, wrapped; no Textual in here.

Nothing in this package reads markup, so text from outside can only be shown (B43).
"""

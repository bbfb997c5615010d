"""The same events, printed."""

"""Measures the screen in a pseudo-terminal, beside what Textual itself costs."""

"""Runs a user's prompt to its end and says so in events."""

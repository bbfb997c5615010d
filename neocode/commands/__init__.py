"""Slash commands: one table, one module a group."""

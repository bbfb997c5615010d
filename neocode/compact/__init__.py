"""The heart: older messages are archived, a summary and a TaskState take their place."""

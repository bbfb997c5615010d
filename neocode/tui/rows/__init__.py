"""The rows of a conversation: what each kind of record looks like."""

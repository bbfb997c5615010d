"""A recorded conversation run again, step by step: what would be sent, what it would cost."""

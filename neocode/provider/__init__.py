"""The model: one small protocol, litellm behind it."""

"""argv becomes one call; nothing heavy is imported before it is needed."""

"""What a shell line runs in: environment, sandbox, background jobs."""

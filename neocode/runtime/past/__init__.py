"""Back to earlier prompts, and what became of the files since."""

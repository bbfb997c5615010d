"""The screens; all but the chat are imported when they are opened."""

"""What the model will see: counting, building, clearing at reading time."""

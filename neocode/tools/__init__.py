"""What the model can do: one class in one file each."""

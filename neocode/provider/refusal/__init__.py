"""Reading what a failed call left behind, and what it means."""

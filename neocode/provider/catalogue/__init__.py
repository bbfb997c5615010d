"""What is known about models without asking them."""

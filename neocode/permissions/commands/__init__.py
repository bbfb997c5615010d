"""Knowledge of single commands: what they touch, what they run, which only look."""

"""What may run: mode, rules and a parsed call become allow, ask or deny."""

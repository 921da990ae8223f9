"""Repairs of parsed blocks and inlines. Each recognises a common mistake, reads what was meant, and reports it."""

"""Repairs of parsed blocks and inlines: each one recognises a common mistake, reads what was meant, and reports it."""

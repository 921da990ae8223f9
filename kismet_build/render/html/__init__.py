"""Helpers for generated HTML: escaping, addresses, templates, dice buttons."""

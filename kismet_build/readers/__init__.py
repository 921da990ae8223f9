"""Readers: texts in some way of writing to documents."""

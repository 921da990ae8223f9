"""Compile tabletop rule books into a linked website and validated data."""

__version__ = "0.1.0"

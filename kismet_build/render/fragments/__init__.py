"""Fragments: blocks of a book, rendered once. The parts that differ from place to place are filled in later."""

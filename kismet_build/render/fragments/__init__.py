"""Fragments: blocks of a book rendered once, with the parts that differ from place to place filled in later."""

"""Syntax rules beyond CommonMark, one a file; dialects.py says which dialect has which."""

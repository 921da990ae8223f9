"""Syntax rules beyond CommonMark, one per file; `dialects.py` lists the rules of each dialect."""

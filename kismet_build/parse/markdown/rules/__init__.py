"""Syntax rules beyond CommonMark. `dialects.py` lists the rules of each dialect."""

"""Syntax rules beyond CommonMark, one in each file. `dialects.py` lists the rules of each dialect."""

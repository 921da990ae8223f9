"""Generates the reference pages of the manual from schemas, code and tests/pages/extract (`make docs`)."""

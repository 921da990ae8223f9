"""Writes files: the output tree, its lock, the previous tree and the search index."""

"""Output: writing the tree, locking it, reading the previous one and indexing it for search."""

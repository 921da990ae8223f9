"""Output: write, lock and replace the tree, read the previous one, and index the text for search."""

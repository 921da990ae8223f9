"""Write files: the tree, its lock, the previous tree and the search index."""

"""The data that every stage shares: sources, diagnostics, the document tree, the book."""

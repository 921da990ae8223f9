"""The data shared by all stages: sources, diagnostics, the document tree, the book."""

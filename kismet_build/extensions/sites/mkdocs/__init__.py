"""MkDocs: its project file, and its Markdown."""

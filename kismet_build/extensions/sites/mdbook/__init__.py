"""mdBook: its project file, and its Markdown."""
